//! The progress of the work as one percentage, for terminals that show one in their tab or in the task bar.

use serde::{Deserialize, Serialize};

use crate::domain::TaskState;
use crate::read_model::ReadModel;

/// The share of released tasks that are finished, as terminals show it in their tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkProgress {
    #[default]
    Idle,
    /// Percentage of the tasks handed to the agents that are finished.
    Working(u8),
    /// The same percentage, but something needs a person, or nothing new is started.
    Waiting(u8),
}

impl WorkProgress {
    /// Counts the tasks under way, and those that ended since the oldest of these was created.
    pub(super) fn from_model(model: &ReadModel) -> WorkProgress {
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
