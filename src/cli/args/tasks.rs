//! The command line of `dbs task`, and the arguments other verbs on a task share with it.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, value_parser};

use crate::cli::args::{JsonFlag, parse_word};
use crate::domain::Span;
use crate::domain::task::{GateCommand, TaskKind};
use crate::formats::span_text::parse_span;

/// Words for the states of tasks.
const STATES: [&str; 10] = [
    "backlog",
    "released",
    "active",
    "verifying",
    "held",
    "parked",
    "done",
    "failed",
    "skipped",
    "cancelled",
];

fn task_kinds() -> impl TypedValueParser<Value = TaskKind> {
    PossibleValuesParser::new(["bug", "feature", "task", "chore"]).try_map(parse_word)
}

/// `NAME=COMMAND`.
fn gate(text: &str) -> Result<GateCommand, &'static str> {
    let parts = text
        .split_once('=')
        .map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => Ok(GateCommand {
            name: name.to_owned(),
            command: command.to_owned(),
        }),
        _ => Err("write a name, = and a command, such as test='cargo test'"),
    }
}

fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|word| word == "yes")
}

/// A limit; zero stands for `default`.
fn time_limit(text: &str) -> Result<Span, &'static str> {
    if text == "default" {
        return Ok(Span::default());
    }
    parse_span(text)
        .filter(|limit| *limit != Span::default())
        .ok_or("write a time such as 90s, 30m or 2h, or default")
}

/// A subcommand of `dbs task`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Create a task in the backlog
    Create(CreateArgs),
    /// Create many tasks in the backlog, all of them or none
    Import(ImportArgs),
    /// Show everything about a task
    Show(TaskArgs),
    /// List tasks
    List {
        /// State of the tasks to list
        #[arg(long, value_parser = STATES)]
        state: Option<String>,
        /// Stage of the tasks to list
        #[arg(long)]
        stage: Option<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// List tasks that could be started now
    Ready(JsonFlag),
    /// Change a task
    Update(UpdateArgs),
    /// Edit title and description of a task in your editor
    Edit(TaskArgs),
    /// Add a comment to a task; `-` as the text reads standard input
    Comment(TaskTextArgs),
    /// Add or remove a dependency: `dbs task dep ID ON` lets ID wait for ON
    Dep {
        /// Task that waits
        id: String,
        /// Task it waits for
        on: String,
        /// Remove the dependency
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Release tasks to the pipeline
    Release {
        /// Ids of the tasks
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Move a task without a running agent back to the backlog
    Withdraw(TaskArgs),
    /// Park a task
    Park(TaskTextArgs),
    /// Close a task that is not done
    Close(TaskTextArgs),
    /// Retry a held, parked or failed task
    Retry(RetryArgs),
    /// Explain why a task does not move
    Why(WhyArgs),
    /// Restore as branches what agents left uncommitted, and what was on deleted branches
    Attic(TaskArgs),
}

/// A task or an agent, and how much is said of it.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Id of the task, or name of the agent
    pub id: String,
    /// Also show what each source reports of the agent, and which one counts
    #[arg(long)]
    pub sources: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Settings for the agents of a task, overriding those of its stages and roles; `default` removes one.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// Agent for every stage: claude, codex, ... or default
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Model of its agents, as their tool names it; or default
    #[arg(long)]
    pub model: Option<String>,
    /// Reasoning effort of its agents, as their tool names it; or default
    #[arg(long)]
    pub effort: Option<String>,
    /// Permission rules of its agents, written like roles.ROLE.permissions; or default
    #[arg(long, value_name = "RULES")]
    pub permissions: Option<String>,
}

/// Arguments of `dbs task create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// Title, one line
    pub title: String,
    /// Description; `-` reads standard input
    #[arg(short, long, default_value = "", allow_hyphen_values = true)]
    pub description: String,
    /// Ids of tasks that must be done first, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub deps: Vec<String>,
    /// Tags, such as security, frontend, priority
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// Priority, 0 (most urgent) to 4
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u8).range(0..=4), allow_negative_numbers = true)]
    pub priority: u8,
    /// Kind of work
    #[arg(long = "type", default_value = "task", value_parser = task_kinds())]
    pub kind: TaskKind,
    /// First stage; default: the workflow's entry
    #[arg(long)]
    pub stage: Option<String>,
    /// Workflow of the task
    #[arg(long, default_value = "kanban")]
    pub workflow: String,
    /// Batch of the task
    #[arg(long, default_value = "main")]
    pub batch: String,
    /// Id of the task; default: a generated one
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub id: Option<String>,
    /// Require the approval of a person
    #[arg(long)]
    pub approval: bool,
    /// Check of its own, a name and a command; can be repeated
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = gate)]
    pub gates: Vec<GateCommand>,
    /// Time limit of an attempt, such as 90m; default: as its stage says
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub timeout: Option<Span>,
    #[command(flatten)]
    pub agent: AgentArgs,
    /// Release the task at once
    #[arg(long)]
    pub release: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs task import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// JSON objects, one per line, or the output of `dbs task list --json`; `-` reads standard input
    pub file: PathBuf,
    /// Release the tasks at once
    #[arg(long)]
    pub release: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs task update`.
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Id of the task
    pub id: String,
    /// New title
    #[arg(long)]
    pub title: Option<String>,
    /// New description; `-` reads standard input
    #[arg(short, long, allow_hyphen_values = true)]
    pub description: Option<String>,
    /// New priority, 0 (most urgent) to 4
    #[arg(long, value_parser = value_parser!(u8).range(0..=4), allow_negative_numbers = true)]
    pub priority: Option<u8>,
    /// Tags to add
    #[arg(long = "add-tag", alias = "add-label")]
    pub add_tags: Vec<String>,
    /// Tags to remove
    #[arg(long = "remove-tag", alias = "remove-label")]
    pub remove_tags: Vec<String>,
    /// Status of a bead, always refused: the error names the command to use instead
    #[arg(long)]
    pub status: Option<String>,
    /// New stage
    #[arg(long)]
    pub stage: Option<String>,
    /// New workflow, entered at its entry or at --stage; refused while an agent works on the task
    #[arg(long)]
    pub workflow: Option<String>,
    /// New checks of its own, each a name and a command; can be repeated
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = gate)]
    pub gates: Vec<GateCommand>,
    /// Remove its own checks
    #[arg(long, conflicts_with = "gates")]
    pub no_gates: bool,
    /// Approval by a person, required or not
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no())]
    pub approval: Option<bool>,
    /// Time limit of an attempt, such as 90m; default: as its stage says
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub timeout: Option<Span>,
    #[command(flatten)]
    pub agent: AgentArgs,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of commands that take the id of a task.
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// Id of the task
    pub id: String,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Id of the task
    pub id: String,
    /// Compare with the version of the last review instead of the base
    #[arg(long)]
    pub review: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of commands that take the id of a task and a text.
#[derive(Debug, Args)]
pub struct TaskTextArgs {
    /// Id of the task
    pub id: String,
    /// Text to send
    #[arg(required = true)]
    pub text: Vec<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs retry`.
#[derive(Debug, Args)]
pub struct RetryArgs {
    /// Id of the task
    pub id: String,
    /// Note for the next attempt
    #[arg(long)]
    pub note: Option<String>,
    /// Stage to retry from; default: the stage it was in
    #[arg(long)]
    pub stage: Option<String>,
    /// Start on a clean branch; the old work is kept in the attic
    #[arg(long, conflicts_with = "stage")]
    pub clean: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{HoldReason, Skip, TaskState};

    #[test]
    fn every_state_can_be_asked_for() {
        let text = String::new;
        let all = [
            TaskState::Backlog,
            TaskState::Released,
            TaskState::Active,
            TaskState::Verifying,
            TaskState::Held(HoldReason::Approval),
            TaskState::Parked(text()),
            TaskState::Done,
            TaskState::Failed(text()),
            TaskState::Skipped(Skip::Dependency("t".into())),
            TaskState::Cancelled,
        ];
        assert_eq!(all.map(|state| state.word()), STATES);
    }
}
