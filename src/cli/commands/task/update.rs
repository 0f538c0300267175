//! `dbs task update`: other facts of a task.

use std::collections::BTreeSet;

use clap::value_parser;

use super::agent::{self, AgentArgs};
use super::values;
use crate::cli::commands::prelude::*;
use crate::cli::text_input;
use crate::domain::task::GateCommand;
use crate::domain::{Command, Span, TaskId, TaskPatch};

/// Change a task
///
/// `--add-label` and `--remove-label` are other names of `--add-tag` and `--remove-tag`. A stage is no label: `--stage` moves a task.
#[derive(Debug, Args)]
#[command(add = facts(Conductors, "dbs task update dbs-1 --priority 0 --add-tag priority\ndbs task update dbs-1 --stage development\ndbs task update dbs-1 --gate lint='make lint' --timeout 90m"))]
pub struct UpdateArgs {
    /// Id of the task
    id: String,
    /// New title
    #[arg(long)]
    title: Option<String>,
    /// New description; `-` reads standard input
    #[arg(short, long, allow_hyphen_values = true)]
    description: Option<String>,
    /// New priority, 0 (most urgent) to 4
    #[arg(long, value_parser = value_parser!(u8).range(0..=4), allow_negative_numbers = true)]
    priority: Option<u8>,
    /// Tags to add
    #[arg(long = "add-tag", alias = "add-label")]
    add_tags: Vec<String>,
    /// Tags to remove
    #[arg(long = "remove-tag", alias = "remove-label")]
    remove_tags: Vec<String>,
    /// Status as in beads, always refused: the error names the command to use instead
    #[arg(long)]
    status: Option<String>,
    /// New stage
    #[arg(long)]
    stage: Option<String>,
    /// New workflow, entered at its entry or at --stage; refused while an agent works on the task
    #[arg(long)]
    workflow: Option<String>,
    /// New gates for this task only, each a name and a command; can be repeated
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = values::gate)]
    gates: Vec<GateCommand>,
    /// Remove the gates for this task only
    #[arg(long, conflicts_with = "gates")]
    no_gates: bool,
    /// Approval by a person, required or not
    #[arg(long, value_name = "yes|no", value_parser = values::yes_or_no())]
    approval: Option<bool>,
    /// Time limit of an attempt, such as 90m; default: as its stage says
    #[arg(long, value_name = "TIME", value_parser = values::time_limit)]
    timeout: Option<Span>,
    #[command(flatten)]
    agent: AgentArgs,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for UpdateArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        if let Some(status) = &self.status {
            return Err(CommandError::user(status_way(&self.id, status)));
        }
        let described = self
            .description
            .map(|text| text_input::typed("description", text));
        let patch = TaskPatch {
            title: self.title,
            body: described.transpose()?,
            priority: self.priority,
            add_tags: self.add_tags.into_iter().collect::<BTreeSet<_>>(),
            remove_tags: self.remove_tags.into_iter().collect(),
            stage: self.stage.map(|stage| stage.replace('-', "_").as_str().into()),
            workflow: self.workflow.as_deref().map(Into::into),
            gates: (self.no_gates || !self.gates.is_empty()).then_some(self.gates),
            needs_approval: self.approval,
            timeout: self.timeout,
            agent: agent::changed(env, &TaskId::from(self.id.as_str()), &self.agent)?,
            begins_anew: None,
            plan: None,
        };
        if patch == TaskPatch::default() {
            return Err(CommandError::user(
                "could not change anything: say what to change, for example --title or --priority",
            ));
        }
        execute(
            env,
            Command::Update(TaskId::from(self.id.as_str()), patch),
            self.json,
        )
    }
}

/// Returns the action to take instead of giving a task the status of a bead (K77).
fn status_way(id: &str, status: &str) -> String {
    let way = match status {
        "open" => format!("`dbs task release {id}` hands it over, `dbs retry {id}` retries it"),
        "blocked" => {
            format!("`dbs task park {id} REASON` sets it aside, `dbs task dep {id} ON` lets it wait")
        }
        "deferred" => format!("`dbs task withdraw {id}` moves it back to the backlog"),
        "closed" => format!("`dbs task close {id} REASON` closes it; only checked work is done"),
        "in_progress" => "an agent that begins sets it".to_owned(),
        _ => "a bead is open, in_progress, blocked, deferred or closed".to_owned(),
    };
    format!("could not set the status of {id} to {status}: the engine keeps it; {way}")
}
