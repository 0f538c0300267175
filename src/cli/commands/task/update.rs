//! `dbs task update`: other facts of a task.

use std::collections::BTreeSet;

use clap::value_parser;

use super::agent::{self, AgentArgs};
use super::values;
use crate::cli::commands::prelude::*;
use crate::cli::text_input;
use crate::config::session_setup;
use crate::domain::task::GateCommand;
use crate::domain::{Accepted, Command, Span, StageId, TaskId, TaskPatch, Workflow, WorkflowId};

/// Change a task
///
/// `--add-label` and `--remove-label` are other names of `--add-tag` and `--remove-tag`. `--stage` moves a task;
/// `--add-label stage:NAME`, the way of an earlier program, also releases it.
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
        let (stages, tags): (Vec<_>, Vec<_>) = self
            .add_tags
            .into_iter()
            .partition(|tag| tag.starts_with(STAGE_LABEL));
        let label = stages.last().and_then(|label| label.strip_prefix(STAGE_LABEL));
        if label.is_some_and(|stage| self.stage.as_deref().is_some_and(|own| own != stage)) {
            return Err(CommandError::user("could not change the stage: two are named"));
        }
        let stage = self.stage.as_deref().or(label).map(stage_id);
        let labelled = stage.as_ref().filter(|_| label.is_some());
        let workflow = match (self.workflow.as_deref(), labelled) {
            (None, Some(stage)) => workflow_with(env, &self.id, stage)?,
            (workflow, _) => workflow.map(Into::into),
        };
        let described = self
            .description
            .map(|text| text_input::typed("description", text));
        let patch = TaskPatch {
            title: self.title,
            body: described.transpose()?,
            priority: self.priority,
            add_tags: tags.into_iter().collect::<BTreeSet<_>>(),
            remove_tags: self.remove_tags.into_iter().collect(),
            stage,
            workflow,
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
        let id = TaskId::from(self.id.as_str());
        if label.is_none() {
            return execute(env, Command::Update(id, patch), self.json);
        }
        let mut access = BoardAccess::open(env)?;
        let update = Command::Update(id.clone(), patch);
        if env.is_agent() {
            let moved = access.execute(&env.author(), update)?;
            let code = print_reply(&moved, "", self.json);
            output::problem(&format!("a person releases it: `dbs task release {id}`"));
            return Ok(code);
        }
        let both = Command::All(vec![update, Command::Release(vec![id.clone()])]);
        let reply = access.execute(&env.author(), both)?;
        let reply = reply.map(|_| Accepted(format!("{id} is released to {}", label.unwrap_or_default())));
        Ok(print_reply(&reply, "", self.json))
    }
}

/// Beginning of the labels by which an earlier program moved tasks (K6).
const STAGE_LABEL: &str = "stage:";

fn stage_id(typed: &str) -> StageId {
    typed.trim().replace('-', "_").as_str().into()
}

/// Returns the workflow to which a task must change for a stage that its own one does not have; an earlier program had all stages in one.
fn workflow_with(env: &ProcessEnv, id: &str, stage: &StageId) -> CommandResult<Option<WorkflowId>> {
    let mut access = BoardAccess::open(env)?;
    let flows = session_setup::workflows(Some(&access.paths))?;
    let own = access
        .task(&TaskId::from(id))?
        .map(|detail| detail.task.workflow.clone());
    let with_stage: Vec<&Workflow> = flows.iter().filter(|flow| flow.stage(stage).is_some()).collect();
    let is_own = with_stage.iter().any(|flow| Some(&flow.id) == own.as_ref());
    Ok(with_stage.first().filter(|_| !is_own).map(|flow| flow.id.clone()))
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
