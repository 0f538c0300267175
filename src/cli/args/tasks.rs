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
fn gate(text: &str) -> Result<GateCommand, String> {
    let parts = text
        .split_once('=')
        .map(|(name, command)| (name.trim(), command.trim()));
    match parts {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => Ok(GateCommand {
            name: name.to_owned(),
            command: command.to_owned(),
        }),
        _ => Err("write a name, = and a command, such as test='cargo test'".to_owned()),
    }
}

fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|word| word == "yes")
}

/// A limit; zero stands for `default`.
fn time_limit(text: &str) -> Result<Span, String> {
    if text == "default" {
        return Ok(Span::default());
    }
    parse_span(text)
        .filter(|limit| *limit != Span::default())
        .ok_or_else(|| "write a time such as 90s, 30m or 2h, or default".to_owned())
}

/// A subcommand of `dbs task`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Put a task into the backlog
    Create(CreateArgs),
    /// Put many tasks into the backlog, all of them or none
    Import(ImportArgs),
    /// Everything about a task
    Show(TaskArgs),
    /// All tasks
    List {
        /// Only tasks in that state
        #[arg(long, value_parser = STATES)]
        state: Option<String>,
        /// Only tasks in that stage
        #[arg(long)]
        stage: Option<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Tasks that could be started now
    Ready(JsonFlag),
    /// Change what a task says
    Update(UpdateArgs),
    /// Change title and description in your editor
    Edit(TaskArgs),
    /// Write on a task; `-` as the text: read it from the standard input
    Comment(TaskTextArgs),
    /// Dependencies: `dbs task dep ID ON` lets ID wait for ON
    Dep {
        /// The task that waits
        id: String,
        /// The task it waits for
        on: String,
        /// Let it no longer wait
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Hand tasks to the pipeline
    Release {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Take a task that nobody works on back into the backlog
    Withdraw(TaskArgs),
    /// Set a task aside
    Park(TaskTextArgs),
    /// Close a task without it being done
    Close(TaskTextArgs),
    /// Take up a held, parked or failed task again
    Retry(RetryArgs),
    /// Why does it not move?
    Why(TaskArgs),
    /// Bring back as branches what agents left uncommitted, and what was on branches that are gone
    Attic(TaskArgs),
}

/// What is said of the agents of a task, over what the settings say of its stages and roles; `default` takes it back.
#[derive(Debug, Args)]
pub struct AgentArgs {
    /// Which agent works on it, at every stage: claude, codex, ... or default
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Model of its agents, in their tool's words; or default
    #[arg(long)]
    pub model: Option<String>,
    /// How hard its agents think, in their tool's words; or default
    #[arg(long)]
    pub effort: Option<String>,
    /// What happens when a tool asks, as roles.ROLE.permissions says it; or default
    #[arg(long, value_name = "RULES")]
    pub permissions: Option<String>,
}

/// Arguments of `dbs task create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// One line
    pub title: String,
    /// Everything else; `-`: read it from the standard input
    #[arg(short, long, default_value = "", allow_hyphen_values = true)]
    pub description: String,
    /// Ids of tasks that must be done first, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub deps: Vec<String>,
    /// Tags, such as security, frontend, priority
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// 0 (most urgent) to 4
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u8).range(0..=4), allow_negative_numbers = true)]
    pub priority: u8,
    /// Kind of work
    #[arg(long = "type", default_value = "task", value_parser = task_kinds())]
    pub kind: TaskKind,
    /// Where it begins; the workflow's entry without it
    #[arg(long)]
    pub stage: Option<String>,
    /// The workflow
    #[arg(long, default_value = "kanban")]
    pub workflow: String,
    /// The batch
    #[arg(long, default_value = "main")]
    pub batch: String,
    /// Its id; made up without it
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub id: Option<String>,
    /// A person must approve it
    #[arg(long)]
    pub approval: bool,
    /// A check of its own: a name and a command; may be given several times
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = gate)]
    pub gates: Vec<GateCommand>,
    /// Longest run of one attempt at it, such as 90m; default: as its stage says
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    pub timeout: Option<Span>,
    #[command(flatten)]
    pub agent: AgentArgs,
    /// Hand it to the pipeline at once
    #[arg(long)]
    pub release: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs task import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// JSON objects, one a line, or what `dbs task list --json` prints; `-`: read it from the standard input
    pub file: PathBuf,
    /// Hand them to the pipeline at once
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
    /// New description; `-`: read it from the standard input
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
    /// The status of a bead: never set by hand, so it is refused with the command that leads there
    #[arg(long)]
    pub status: Option<String>,
    /// Move it to that stage
    #[arg(long)]
    pub stage: Option<String>,
    /// Let it go on by that workflow, at its entry or at --stage; nobody may be at work on it
    #[arg(long)]
    pub workflow: Option<String>,
    /// Its own checks from now on: a name and a command; may be given several times
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = gate)]
    pub gates: Vec<GateCommand>,
    /// Take its own checks away
    #[arg(long, conflicts_with = "gates")]
    pub no_gates: bool,
    /// Whether a person must approve it
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no())]
    pub approval: Option<bool>,
    /// Longest run of one attempt at it, such as 90m; default: as its stage says
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
    /// Against what the last review saw, not against the base
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
    /// What to say
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
    /// What the next attempt should know
    #[arg(long)]
    pub note: Option<String>,
    /// Where to begin; where it stood without it
    #[arg(long)]
    pub stage: Option<String>,
    /// Begin on a clean branch: what is on the task's branch is kept in the attic and put aside
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
