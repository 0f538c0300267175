//! What reports say of a run, as far as whoever waits for its end needs it.

use serde::Deserialize;

use crate::domain::{AttemptId, AttemptState, PauseReason, RunState, TaskId, TaskState, WaitReason};

/// What the report on the whole board says, as far as it is needed here.
#[derive(Debug, Deserialize)]
pub(super) struct BoardFacts {
    pub(super) pause: Option<PauseReason>,
}

/// What the report on a run says, as far as it is needed here.
#[derive(Debug, Deserialize)]
pub(super) struct RunFacts {
    pub(super) run: BatchFacts,
    pub(super) tasks: Vec<PhaseFacts>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BatchFacts {
    pub(super) state: RunState,
}

#[derive(Debug, Deserialize)]
pub(super) struct PhaseFacts {
    pub(super) id: TaskId,
    pub(super) state: TaskState,
    pub(super) why_not: Option<WaitReason>,
    pub(super) attempts: Vec<AttemptFacts>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AttemptFacts {
    pub(super) attempt: AttemptId,
    pub(super) state: AttemptState,
}

impl RunFacts {
    pub(super) fn waits(&self, why: &WaitReason) -> bool {
        self.tasks.iter().any(|task| task.why_not.as_ref() == Some(why))
    }
}
