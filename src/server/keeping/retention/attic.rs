//! Removes the names of work that the attic kept for tasks which were over long ago. The work of a task that may continue, or that the
//! board does not know, is never among it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::DAY;
use crate::domain::attempt::WorkspaceState;
use crate::domain::{Task, TaskId, TaskState, Timestamp};
use crate::ports::git::{Git, SafeName};
use crate::read_model::ReadModel;

/// Git adapter with the attic.
pub(in crate::server) struct AtticExpiry {
    pub(in crate::server) git: Arc<dyn Git>,
}

impl AtticExpiry {
    /// Removes names that are older than `days` days, of tasks that have been over for as long; with 0 none.
    pub(in crate::server) fn sweep(&self, model: &ReadModel, days: u32, now: Timestamp) {
        let Some((over, before)) = due(model, days, now) else {
            return;
        };
        match self.git.expire_attic(&over, before) {
            Ok(0) => {}
            Ok(gone) => tracing::info!("removed {gone} names from the attic that are older than {days} days"),
            Err(error) => tracing::warn!("could not {error}"),
        }
    }
}

/// Returns the names of tasks that have been done or cancelled for `days` days and have no workspace any more that would still be put into
/// the attic, and the time before which names are removed; `None` if there are none.
fn due(model: &ReadModel, days: u32, now: Timestamp) -> Option<(BTreeSet<SafeName>, Timestamp)> {
    let before = Timestamp(now.0.saturating_sub(u64::from(days) * DAY));
    let in_use = tasks_with_workspace(model);
    let (over, others): (Vec<&Task>, Vec<&Task>) =
        model.tasks.values().map(AsRef::as_ref).partition(|task| {
            let is_done = matches!(task.state, TaskState::Done | TaskState::Cancelled);
            is_done && task.since < before && !in_use.contains(&task.id)
        });
    let names = |tasks: Vec<&Task>| -> BTreeSet<SafeName> {
        let ids = tasks.into_iter().map(|task| task.id.as_str());
        ids.map(SafeName::derive).collect()
    };
    // Should two tasks ever share a name, the one that continues counts.
    let over = &names(over) - &names(others);
    (days > 0 && !over.is_empty()).then_some((over, before))
}

/// Returns the tasks whose files are not all put away yet.
fn tasks_with_workspace(model: &ReadModel) -> BTreeSet<&TaskId> {
    let attempts = model.attempts.values();
    let in_use = attempts.filter(|attempt| match attempt.workspace {
        WorkspaceState::Present | WorkspaceState::Kept | WorkspaceState::Leaving => true,
        WorkspaceState::None | WorkspaceState::Gone => attempt.state.is_open(),
    });
    in_use.map(|attempt| &attempt.task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AttemptState, Span, Verdict};
    use crate::server::keeping::retention::tests::board;

    #[test]
    fn only_tasks_that_were_over_long_ago_and_left_no_workspace_lose_what_the_attic_names() {
        let mut board = board();
        let ended = Timestamp(100 * DAY);
        let mut is_due = |state: TaskState, workspace: WorkspaceState, days: u32| {
            for task in board.tasks.values_mut() {
                let task = Arc::make_mut(task);
                (task.state, task.since) = (state.clone(), ended);
            }
            for attempt in board.attempts.values_mut() {
                let attempt = Arc::make_mut(attempt);
                (attempt.state, attempt.workspace) = (AttemptState::Settled(Verdict::Passed), workspace);
            }
            let model = ReadModel::of(&board, ended);
            due(&model, days, ended + Span(7 * DAY + 1)).is_some()
        };
        let gone = WorkspaceState::Gone;
        assert!(is_due(TaskState::Done, gone, 7));
        assert!(is_due(TaskState::Cancelled, WorkspaceState::None, 7));
        assert!(!is_due(TaskState::Done, gone, 8), "it was not over for so long");
        assert!(!is_due(TaskState::Done, gone, 0), "all names are kept");
        for workspace in [WorkspaceState::Leaving, WorkspaceState::Kept] {
            assert!(
                !is_due(TaskState::Done, workspace, 7),
                "its work is still being kept"
            );
        }
        for state in [TaskState::Active, TaskState::Released, TaskState::Backlog] {
            assert!(!is_due(state, gone, 7), "it goes on");
        }
    }
}
