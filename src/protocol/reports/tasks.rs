//! Tasks, one line each.

use std::sync::Arc;

use crate::domain::{Task, TaskState, WaitReason};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::read_model::ReadModel;

/// All tasks, or those in a state, by its word, and in a stage.
pub(in crate::protocol) fn list(
    board: &ReadModel,
    (state, wanted): (Option<&str>, Option<&str>),
    format: OutputFormat,
) -> Result<String, QueryError> {
    let place = wanted.map(|name| name.replace('-', "_"));
    if let Some(name) = &place {
        is_stage(board, name)?;
    }
    let fits = |task: &Task| {
        state.is_none_or(|word| task.state.word() == word)
            && place.as_ref().is_none_or(|name| task.stage.as_str() == name)
    };
    of(board, fits, format)
}

/// Tasks that could be started now: released, and nothing but room stands against it.
pub(in crate::protocol) fn ready(board: &ReadModel, format: OutputFormat) -> Result<String, QueryError> {
    of(board, |task| is_ready(board, task), format)
}

fn of(board: &ReadModel, fits: impl Fn(&Task) -> bool, format: OutputFormat) -> Result<String, QueryError> {
    let tasks = board.tasks.values().map(Arc::as_ref);
    let tasks: Vec<&Task> = tasks.filter(|task| fits(task)).collect();
    let lines = || match tasks.as_slice() {
        [] => vec!["no tasks".to_owned()],
        tasks => tasks.iter().map(|task| line(board, task)).collect(),
    };
    in_format(format, || &tasks, lines)
}

fn line(board: &ReadModel, task: &Task) -> String {
    format!(
        "{:<14} {:<16} {:<10} {}{}",
        task.id,
        task.stage,
        task.state.word(),
        task.title,
        note(board, task)
    )
}

/// The note behind a title in a list: the agent, the reason to wait, or the hold.
pub(super) fn note(board: &ReadModel, task: &Task) -> String {
    if let Some(attempt) = board.open_attempt(task) {
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
fn is_stage(board: &ReadModel, name: &str) -> Result<(), QueryError> {
    let stages = board.workflows.values().flat_map(|flow| &flow.stages);
    let mut known: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&name) || board.tasks.values().any(|task| task.stage.as_str() == name) {
        return Ok(());
    }
    Err(QueryError::NoStage {
        name: name.to_owned(),
        known: known.into_iter().map(str::to_owned).collect(),
    })
}

fn is_ready(board: &ReadModel, task: &Task) -> bool {
    let only_room = matches!(
        task.why_not,
        None | Some(
            WaitReason::NoRoom { .. }
                | WaitReason::BatchFull { .. }
                | WaitReason::TurnLimit
                | WaitReason::Paused
                | WaitReason::Untrusted
                | WaitReason::SingletonBusy(_)
                | WaitReason::FileBusy { .. }
        )
    );
    task.state == TaskState::Released && only_room && board.open_dependencies(task).is_empty()
}
