//! `dbs task create`, and the names that new tasks get.

use std::collections::BTreeSet;
use std::process::ExitCode;

use crate::adapters::out;
use crate::cli::args::Create;
use crate::cli::commands::{Outcome, said};
use crate::cli::door::Door;
use crate::cli::incoming;
use crate::config::edge::Edge;
use crate::domain::task::TaskKind;
use crate::domain::{Command, Draft, TaskId};
use crate::engine::inbox::Answer as Said;
use crate::protocol::naming;

/// Names are made up so often before a refusal is believed.
const TRIES: u32 = 5;

/// Puts a task into the backlog.
pub fn run(edge: &Edge, create: Create) -> Outcome {
    let (json, release) = (create.json, create.release);
    let draft = draft(create)?;
    let mut door = Door::open(edge)?;
    let by = edge.author();
    let (made, ids) = ask(&mut door, &by, &[&draft], |ids| {
        let id = ids.first().cloned().unwrap_or_else(|| draft.id.clone());
        Command::Create(Draft { id, ..draft.clone() })
    })?;
    let answer = if release && made.is_ok() {
        door.ask(&by, Command::Release(ids.clone()))?
    } else {
        made
    };
    if let (Ok(accepted), true) = (&answer, json.json) {
        out::json(&serde_json::json!({ "ok": accepted.0, "task": ids.first() }));
        return Ok(ExitCode::SUCCESS);
    }
    Ok(said(&answer, json))
}

fn draft(create: Create) -> Result<Draft, String> {
    let named = create.deps.iter().map(|text| text.trim());
    Ok(Draft {
        id: TaskId::new(create.id.unwrap_or_default()),
        batch: create.batch.as_str().into(),
        workflow: create.workflow.as_str().into(),
        stage: create.stage.map(|stage| stage.replace('-', "_").as_str().into()),
        title: create.title,
        body: incoming::typed("description", create.description)?,
        kind: match create.kind.as_str() {
            "bug" => TaskKind::Bug,
            "feature" => TaskKind::Feature,
            "chore" => TaskKind::Chore,
            _ => TaskKind::Task,
        },
        tags: create.tags.into_iter().collect(),
        priority: create.priority,
        deps: named.filter(|text| !text.is_empty()).map(TaskId::from).collect(),
        gates: Vec::new(),
        needs_approval: create.approval,
    })
}

/// Asks for new tasks; those without an id get one made up for them, which somebody else may take in between: then others are
/// tried. The answer, and the ids.
pub fn ask(
    door: &mut Door,
    by: &str,
    drafts: &[&Draft],
    command: impl Fn(&[TaskId]) -> Command,
) -> Result<(Said, Vec<TaskId>), String> {
    let mut tries = 0;
    loop {
        tries += 1;
        let ids = ids(door, drafts, tries)?;
        let answer = door.ask(by, command(&ids))?;
        let made_up = drafts.iter().zip(&ids).filter(|(draft, id)| draft.id != **id);
        let made_up: Vec<&TaskId> = made_up.map(|(_, id)| id).collect();
        if answer.is_ok() || made_up.is_empty() || tries == TRIES {
            return Ok((answer, ids));
        }
        let taken = door.ids()?;
        if !made_up.into_iter().any(|id| taken.contains(id)) {
            return Ok((answer, ids));
        }
    }
}

/// The ids of drafts: as given, else free ones; in the first try made from the titles alone, then also from what no other process
/// that tries the same has.
fn ids(door: &mut Door, drafts: &[&Draft], nth_try: u32) -> Result<Vec<TaskId>, String> {
    if drafts.iter().all(|draft| !draft.id.as_str().is_empty()) {
        return Ok(drafts.iter().map(|draft| draft.id.clone()).collect());
    }
    let in_use = door.ids()?;
    let prefix = door.place.config().text("prefix").unwrap_or_default();
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
        let id = TaskId::new(naming::free_id(&prefix, &seed, &taken));
        given.insert(id.clone());
        ids.push(id);
    }
    Ok(ids)
}
