//! The progress of the work as one percentage, for terminals that show one in their tab or in the task bar.

use crate::display::WorkProgress;
use crate::domain::TaskState;
use crate::read_model::ReadModel;

/// Counts the tasks under way, and those that ended since the oldest of these was created.
pub(super) fn progress_of(model: &ReadModel) -> WorkProgress {
    let tasks = || model.tasks.values();
    let open = || tasks().filter(|task| is_under_way(&task.state));
    let Some(begun) = open().map(|task| task.created_at).min() else {
        return WorkProgress::Idle;
    };
    let through = tasks().filter(|task| is_through(&task.state) && task.since >= begun);
    let (open, through) = (open().count(), through.count());
    let percent = u8::try_from(through * 100 / (through + open)).unwrap_or(100);
    if model.attention.is_empty() && model.pause.is_none() {
        WorkProgress::Working(percent)
    } else {
        WorkProgress::Waiting(percent)
    }
}

fn is_under_way(state: &TaskState) -> bool {
    matches!(
        state,
        TaskState::Released | TaskState::Active | TaskState::Verifying | TaskState::Held(_)
    )
}

fn is_through(state: &TaskState) -> bool {
    matches!(
        state,
        TaskState::Done | TaskState::Failed(_) | TaskState::Skipped(_)
    )
}
