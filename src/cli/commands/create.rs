//! `dbs task create`, and the names that new tasks get.

use crate::domain::cut::cut_chars;
use std::collections::BTreeSet;
use std::process::ExitCode;

use crate::adapters::output;
use crate::cli::args::{CreateArgs, JsonFlag};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::plans::AgentStart;
use crate::cli::commands::{CommandResult, print_reply, task_agent};
use crate::cli::text_input;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::domain::task::TaskKind;
use crate::domain::{AgentSettings, Command, TaskDraft, TaskId, WorkflowId};
use crate::engine::inbox::CommandReply;
use crate::protocol::task_ids;

/// Maximum number of times that names are made up before a refusal is believed.
const MAX_TRIES: u32 = 5;

/// Puts a task into the backlog.
pub fn run(env: &ProcessEnv, create: CreateArgs) -> CommandResult {
    let (json, release) = (create.json, create.release);
    task_agent::check_kind(env, &create.agent)?;
    put(env, &draft(create)?, release, json)
}

/// Starts a conductor: its task goes to it at once. The goal may be left out; the person then explains it to the conductor.
pub fn conduct(env: &ProcessEnv, (goal, is_agreed): (&str, bool), json: JsonFlag) -> CommandResult {
    let goal = text_input::typed("goal", goal.to_owned())?;
    let goal = if goal.trim().is_empty() {
        "Plan with a person"
    } else {
        &goal
    };
    let draft = TaskDraft {
        workflow: WorkflowId::from(WorkflowId::CONDUCT),
        ..requirement(goal)
    };
    if !json.json {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let start = AgentStart {
            paths: &paths,
            workflows: &[WorkflowId::CONDUCT],
            chosen: AgentSettings::default(),
            result: "It plans with you in its terminal, which `dbs` shows, until you end it.".to_owned(),
        };
        start.agree(is_agreed)?;
    }
    put(env, &draft, true, json)
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

fn put(env: &ProcessEnv, draft: &TaskDraft, release: bool, json: JsonFlag) -> CommandResult {
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
        agent: Box::new(task_agent::merged(&create.agent, AgentSettings::default())?),
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
        let id = TaskId::new(task_ids::free_id(&prefix, &seed, &taken));
        given.insert(id.clone());
        ids.push(id);
    }
    Ok(ids)
}
