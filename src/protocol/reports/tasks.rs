//! Tasks, one line each.

use std::sync::Arc;

use crate::domain::{Task, TaskState, WaitReason, Worker};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::{TaskJson, in_format};
use crate::read_model::ReadModel;

/// All tasks, or those in a state, by its word, and in a stage.
pub(in crate::protocol) fn list(
    model: &ReadModel,
    state: Option<&str>,
    wanted: Option<&str>,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let place = wanted.map(|name| name.replace('-', "_"));
    if let Some(name) = &place {
        is_stage(model, name)?;
    }
    let fits = |task: &Task| {
        state.is_none_or(|word| task.state.word() == word)
            && place.as_ref().is_none_or(|name| task.stage.as_str() == name)
    };
    of(model, fits, format)
}

/// Lists the tasks that could be started now: released, and held up by nothing but room.
pub(in crate::protocol) fn ready(model: &ReadModel, format: OutputFormat) -> Result<String, QueryError> {
    of(model, |task| is_ready(model, task), format)
}

fn of(model: &ReadModel, fits: impl Fn(&Task) -> bool, format: OutputFormat) -> Result<String, QueryError> {
    let tasks = model.tasks.values().map(Arc::as_ref);
    let tasks: Vec<&Task> = tasks.filter(|task| fits(task)).collect();
    let lines = || match tasks.as_slice() {
        [] => vec!["no tasks".to_owned()],
        tasks => tasks.iter().map(|task| line(model, task)).collect(),
    };
    let data = || {
        tasks
            .iter()
            .map(|task| TaskJson::of(model, task))
            .collect::<Vec<_>>()
    };
    in_format(format, data, lines)
}

fn line(model: &ReadModel, task: &Task) -> String {
    format!(
        "{:<14} {:<16} {:<10} {}{}",
        task.id,
        task.stage,
        task.state.word(),
        task.title,
        note(model, task)
    )
}

/// Returns the note after a title in a list: the worker of the task, and its standing where the word for its state does not say all of
/// that.
pub(super) fn note(model: &ReadModel, task: &Task) -> String {
    let standing = model.standing(task);
    let attempt = model.open_attempt(task);
    match attempt.map(|attempt| &attempt.worker) {
        Some(Worker::Agent { name, .. }) => format!("  [{name}: {}]", standing.line()),
        _ if standing.word != task.state.word() => format!("  ({})", standing.line()),
        _ if standing.reason.is_empty() => String::new(),
        _ => format!("  ({})", standing.reason.lines().next().unwrap_or_default()),
    }
}

/// Refuses a name that no stage has: an empty list would be taken for an answer.
fn is_stage(model: &ReadModel, name: &str) -> Result<(), QueryError> {
    let stages = model.workflows.values().flat_map(|flow| &flow.stages);
    let mut known: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    if known.contains(&name) || model.tasks.values().any(|task| task.stage.as_str() == name) {
        return Ok(());
    }
    Err(QueryError::NoStage {
        name: name.to_owned(),
        known: known.into_iter().map(str::to_owned).collect(),
    })
}

fn is_ready(model: &ReadModel, task: &Task) -> bool {
    let only_room = matches!(
        task.why_not,
        None | Some(
            WaitReason::NoRoom { .. }
                | WaitReason::BatchFull { .. }
                | WaitReason::TurnLimit
                | WaitReason::Paused
                | WaitReason::UsageLimit(_)
                | WaitReason::Untrusted
                | WaitReason::SingletonBusy(_)
                | WaitReason::FileBusy { .. }
        )
    );
    task.state == TaskState::Released && only_room && model.open_dependencies(task).is_empty()
}
