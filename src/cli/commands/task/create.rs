//! `dbs task create`, and the names that new tasks get.

use crate::cli::commands::prelude::*;
use crate::domain::cut::cut_chars;
use std::collections::BTreeSet;

use clap::builder::NonEmptyStringValueParser;
use clap::value_parser;

use super::agent::{self, AgentArgs};
use super::values;
use crate::cli::text_input;
use crate::config::schema;
use crate::domain::task::{GateCommand, TaskKind};
use crate::domain::{AgentSettings, Command, Span, TaskDraft, TaskId};
use crate::engine::inbox::CommandReply;
use crate::protocol::task_ids;

/// Maximum number of times that names are made up before a refusal is believed.
const MAX_TRIES: u32 = 5;

/// Create a task in the backlog
#[derive(Debug, Args)]
#[command(add = facts(Conductors, "dbs task create \"Fix login\" -d \"src/login.rs: …\" --type bug --priority 1\ndbs task create \"Fix login\" -d - <notes.md\ndbs task create \"Add CSV export\" --deps dbs-1 --tag security --release"))]
pub struct CreateArgs {
    /// Title, one line
    title: String,
    /// Description; `-` reads standard input
    #[arg(short, long, default_value = "", allow_hyphen_values = true)]
    description: String,
    /// Ids of tasks that must be done first, separated by commas
    #[arg(long, value_delimiter = ',')]
    deps: Vec<String>,
    /// Tags, such as security, frontend, priority
    #[arg(long = "tag")]
    tags: Vec<String>,
    /// Priority, 0 (most urgent) to 4
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u8).range(0..=4), allow_negative_numbers = true)]
    priority: u8,
    /// Kind of work
    #[arg(long = "type", default_value = "task", value_parser = values::task_kinds())]
    kind: TaskKind,
    /// First stage; default: the workflow's entry
    #[arg(long)]
    stage: Option<String>,
    /// Workflow of the task
    #[arg(long, default_value = "kanban")]
    workflow: String,
    /// Batch of the task
    #[arg(long, default_value = "main")]
    batch: String,
    /// Id of the task; default: a generated one
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    id: Option<String>,
    /// Require the approval of a person
    #[arg(long)]
    approval: bool,
    /// Gate for this task only, a name and a command; can be repeated
    #[arg(long = "gate", value_name = "NAME=COMMAND", value_parser = values::gate)]
    gates: Vec<GateCommand>,
    /// Time limit of an attempt, such as 90m; default: as its stage says
    #[arg(long, value_name = "TIME", value_parser = values::time_limit)]
    timeout: Option<Span>,
    #[command(flatten)]
    agent: AgentArgs,
    /// Release the task at once
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for CreateArgs {
    /// Puts a task into the backlog.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let (json, release) = (self.json, self.release);
        agent::check_kind(env, &self.agent)?;
        put(env, &draft(self)?, release, json)
    }
}

/// Builds a task from a single text with the requirement.
pub fn requirement(text: &str) -> TaskDraft {
    let first = text.lines().next().unwrap_or_default();
    TaskDraft {
        body: text.to_owned(),
        kind: TaskKind::Feature,
        ..TaskDraft::new("", cut_chars(first, 120))
    }
}

/// Puts a new task on the board, and releases it if that is wanted.
pub(in crate::cli::commands) fn put(
    env: &ProcessEnv,
    draft: &TaskDraft,
    release: bool,
    json: JsonFlag,
) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let by = env.author();
    let (made, ids) = create_tasks(&mut access, &by, &[draft], |ids| {
        let id = ids.first().cloned().unwrap_or_else(|| draft.id.clone());
        Command::Create(TaskDraft { id, ..draft.clone() })
    })?;
    let answer = if release && made.is_ok() {
        access.execute(&by, Command::Release(ids.clone()))?
    } else {
        made
    };
    if let (Ok(accepted), true) = (&answer, json.json) {
        output::json(&serde_json::json!({ "ok": accepted.0, "task": ids.first() }));
        return Ok(ExitCode::SUCCESS);
    }
    Ok(print_reply(&answer, "", json))
}

fn draft(create: CreateArgs) -> CommandResult<TaskDraft> {
    let named = create.deps.iter().map(|text| text.trim());
    Ok(TaskDraft {
        id: TaskId::new(create.id.unwrap_or_default()),
        batch: create.batch.as_str().into(),
        workflow: create.workflow.as_str().into(),
        stage: create.stage.map(|stage| stage.replace('-', "_").as_str().into()),
        title: create.title,
        body: text_input::typed("description", create.description)?,
        kind: create.kind,
        tags: create.tags.into_iter().collect(),
        priority: create.priority,
        deps: named.filter(|text| !text.is_empty()).map(TaskId::from).collect(),
        gates: create.gates,
        timeout: create.timeout,
        agent: Box::new(agent::merged(&create.agent, AgentSettings::default())?),
        plan: None,
        needs_approval: create.approval,
    })
}

/// Creates new tasks; those without an id get a made-up one, which another process may take in between: then others are tried. Returns the
/// answer, and the ids.
pub fn create_tasks(
    access: &mut BoardAccess,
    by: &str,
    drafts: &[&TaskDraft],
    command: impl Fn(&[TaskId]) -> Command,
) -> CommandResult<(CommandReply, Vec<TaskId>)> {
    let mut tries = 0;
    loop {
        tries += 1;
        let ids = ids(access, drafts, tries)?;
        let answer = access.execute(by, command(&ids))?;
        let is_made_up = drafts.iter().zip(&ids).any(|(draft, id)| draft.id != *id);
        // Another process may have taken the id a moment ago, before it could be seen here; any other refusal comes again.
        if answer.is_ok() || !is_made_up || tries == MAX_TRIES {
            return Ok((answer, ids));
        }
    }
}

/// Returns the ids of drafts: as given, else free ones; in the first try made from the titles alone, then also from a part that no other
/// process trying the same has.
fn ids(access: &mut BoardAccess, drafts: &[&TaskDraft], nth_try: u32) -> CommandResult<Vec<TaskId>> {
    if drafts.iter().all(|draft| !draft.id.as_str().is_empty()) {
        return Ok(drafts.iter().map(|draft| draft.id.clone()).collect());
    }
    let in_use = access.ids()?;
    let prefix = access.paths.read_config().value(&schema::PREFIX);
    let board = access.paths.board();
    let mut given: BTreeSet<TaskId> = drafts.iter().map(|draft| draft.id.clone()).collect();
    let mut ids = Vec::new();
    for draft in drafts {
        if !draft.id.as_str().is_empty() {
            ids.push(draft.id.clone());
            continue;
        }
        let taken = |id: &str| {
            let id = TaskId::from(id);
            in_use.contains(&id) || given.contains(&id)
        };
        let seed = match nth_try {
            1 => draft.title.clone(),
            more => format!("{}\0{}\0{more}", draft.title, std::process::id()),
        };
        let id = TaskId::new(task_ids::free_id(&prefix, &board, &seed, &taken));
        given.insert(id.clone());
        ids.push(id);
    }
    Ok(ids)
}
