//! Root cause that keeps the dependents of a task from ever starting.

use super::id::TaskId;
use super::task::{HoldReason, Task, TaskState};

impl Task {
    /// Returns the task that is broken for good as far as dependents of this one are concerned: this task, or the one it was skipped
    /// because of. A task that is held for approval, or because of something outside, is not broken: it waits.
    pub fn root_cause(&self) -> Option<&TaskId> {
        match &self.state {
            TaskState::Skipped(skip) => Some(skip.root().unwrap_or(&self.id)),
            TaskState::Failed(_)
            | TaskState::Cancelled
            | TaskState::Parked(_)
            | TaskState::Held(
                HoldReason::Blocked(_)
                | HoldReason::RejectLoop(_)
                | HoldReason::Exhausted(_)
                | HoldReason::TooManyAttempts(_)
                | HoldReason::Budget { .. }
                | HoldReason::TooBig
                | HoldReason::AcceptanceFailed(_)
                | HoldReason::BasePushed(_),
            ) => Some(&self.id),
            // Nothing is wrong with the task itself.
            TaskState::Held(
                HoldReason::Approval
                | HoldReason::Findings(_)
                | HoldReason::Unreviewed(_)
                | HoldReason::Unverified(_)
                | HoldReason::Trouble { .. }
                | HoldReason::Interrupted(_)
                | HoldReason::Left
                | HoldReason::GitChanged(_)
                | HoldReason::BaseClosed(_)
                | HoldReason::Refused(_),
            )
            | TaskState::Backlog
            | TaskState::Released
            | TaskState::Active
            | TaskState::Verifying
            | TaskState::Done => None,
        }
    }
}
