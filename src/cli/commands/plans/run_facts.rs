//! Facts about a run from reports, as far as a caller that waits for its end needs them.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::domain::{
    AttemptId, AttemptState, PauseReason, RunState, TaskId, TaskState, Timestamp, WaitReason,
};
use crate::read_model::AttentionRow;

/// Facts from the report on the whole board, as far as they are needed here.
#[derive(Debug, Deserialize)]
pub(super) struct BoardFacts {
    pub(super) pause: Option<PauseReason>,
}

/// Facts from the report on a run, as far as they are needed here.
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

/// Returns the time since which all of these attempts have asked something; nothing while one of them asks nothing.
pub(super) fn all_ask_since<'a>(
    mut open: impl Iterator<Item = &'a AttemptFacts>,
    rows: &[AttentionRow],
) -> Option<Timestamp> {
    let asking = rows.iter().filter(|row| row.item.kind.is_agents());
    let mut first: BTreeMap<AttemptId, Timestamp> = BTreeMap::new();
    for (attempt, since) in asking.filter_map(|row| Some((row.item.attempt?, row.item.since))) {
        let known = first.entry(attempt).or_insert(since);
        *known = since.min(*known);
    }
    open.try_fold(Timestamp::default(), |last, attempt| {
        Some(last.max(*first.get(&attempt.attempt)?))
    })
}
