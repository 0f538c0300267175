//! Tasks, one line each.

use std::sync::Arc;

use crate::adapters::output;
use crate::domain::{Task, TaskId, TaskState, WaitReason};
use crate::protocol::reports::query::{OutputFormat, json};
use crate::protocol::snapshot::BoardSnapshot;

/// All tasks, or those in a state, by its word, and in a stage.
pub(super) fn list(
    board: &BoardSnapshot,
    (state, wanted): (Option<&str>, Option<&str>),
    form: OutputFormat,
) -> Result<String, String> {
    let place = wanted.map(|name| name.replace('-', "_"));
    if let Some(name) = &place {
        is_stage(board, name)?;
    }
    let fits = |task: &Task| {
        state.is_none_or(|word| task.state.word() == word)
            && place.as_ref().is_none_or(|name| task.stage.as_str() == name)
    };
    of(board, fits, form)
}

/// Tasks that could be started now: released, and nothing but room stands against it.
pub(super) fn ready(board: &BoardSnapshot, form: OutputFormat) -> Result<String, String> {
    of(board, |task| is_ready(board, task), form)
}

fn of(board: &BoardSnapshot, fits: impl Fn(&Task) -> bool, form: OutputFormat) -> Result<String, String> {
    let tasks = board.tasks.values().map(Arc::as_ref);
    let tasks: Vec<&Task> = tasks.filter(|task| fits(task)).collect();
    match form {
        OutputFormat::Json => json(&tasks),
        OutputFormat::Lines if tasks.is_empty() => Ok(output::text(["no tasks"])),
        OutputFormat::Lines => Ok(output::text(tasks.iter().map(|task| line(board, task)))),
    }
}

fn line(board: &BoardSnapshot, task: &Task) -> String {
    format!(
        "{:<14} {:<16} {:<10} {}{}",
        task.id,
        task.stage,
        task.state.word(),
        task.title,
        note(board, task)
    )
}

/// What stands behind the title in a list: the agent, the reason to wait, the hold.
pub(super) fn note(board: &BoardSnapshot, task: &Task) -> String {
    if let Some(attempt) = task.open_attempt.and_then(|id| board.attempts.get(&id)) {
        return format!("  [{}]", attempt.worker.name());
    }
    match (&task.state, &task.why_not) {
        (TaskState::Held(hold), _) => format!("  ({hold})"),
        (TaskState::Failed(why) | TaskState::Parked(why), _) => format!("  ({why})"),
        (TaskState::Released, Some(why)) => format!("  ({why})"),
        _ => String::new(),
    }
}

/// Refuses a name that no stage has: an empty list would be taken for an answer.
fn is_stage(board: &BoardSnapshot, name: &str) -> Result<(), String> {
    let stages = board.workflows.iter().flat_map(|flow| &flow.stages);
    let mut known: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&name) || board.tasks.values().any(|task| task.stage.as_str() == name) {
        return Ok(());
    }
    Err(format!(
        "could not find a stage called {name}; there are {}",
        known.join(", ")
    ))
}

fn is_ready(board: &BoardSnapshot, task: &Task) -> bool {
    let done = |id: &TaskId| {
        board
            .tasks
            .get(id)
            .is_some_and(|other| other.state == TaskState::Done)
    };
    let only_room = matches!(
        task.why_not,
        None | Some(
            WaitReason::NoRoom { .. }
                | WaitReason::TurnLimit
                | WaitReason::Paused
                | WaitReason::SingletonBusy(_)
        )
    );
    task.state == TaskState::Released && only_room && task.deps.iter().all(done)
}
