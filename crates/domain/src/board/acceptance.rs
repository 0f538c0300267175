//! A batch that a conductor plans ends with one acceptance of all its work (K91): without it nothing of the batch is released.

use std::collections::BTreeMap;

use super::Board;
use super::commands::refuse;
use super::waiting_circles::Awaited;
use crate::command::Refusal;
use crate::id::{BatchId, TaskId};
use crate::task::{Task, TaskState};

impl Board {
    /// Refuses to release tasks of a batch that asks for an acceptance and has none, has two, or has work that its acceptance does not wait
    /// for. An acceptance that failed counts until it is closed: a new one takes its place, and the old one is not used again.
    pub(super) fn check_acceptance(&self, batch: &BatchId, released: &[&TaskId]) -> Result<(), Refusal> {
        let needs = self.batches.get(batch).is_some_and(|row| row.needs_acceptance());
        let is_accepted = |task: &Task| {
            let flow = self.workflow_of(task);
            flow.is_some_and(|flow| flow.stage(&Task::ACCEPTANCE.into()).is_some())
        };
        let mut asked = released.iter().filter_map(|id| self.tasks.get(*id));
        // An investigation has nothing to accept: it is released before the work is planned.
        if !needs || !asked.any(|task| task.batch == *batch && is_accepted(task)) {
            return Ok(());
        }
        let is_over = |task: &Task| matches!(task.state, TaskState::Done | TaskState::Cancelled);
        let open = || {
            let of_batch = self.tasks.values().filter(|task| task.batch == *batch);
            let of_batch = of_batch.map(AsRef::as_ref);
            of_batch.filter(|task: &&Task| !is_over(task) && is_accepted(task))
        };
        let mut acceptances = open().filter(|task: &&Task| task.is_acceptance());
        let Some(last) = acceptances.next() else {
            refuse!(
                "the batch {batch} has no acceptance: create one with `--batch {batch} --stage acceptance --deps` and the ids of all its tasks"
            );
        };
        if let Some(second) = acceptances.next() {
            let old = if released.contains(&&last.id) {
                second
            } else {
                last
            };
            refuse!(
                "the batch {batch} has two acceptances, {} and {}: close the old one, such as with `dbs task close {} REASON`",
                last.id,
                second.id,
                old.id
            );
        }
        let is_awaited = |id: &TaskId| {
            let is_it = |next: Awaited<'_>| next == Awaited::Task(id);
            self.waits_for([Awaited::Task(&last.id)], is_it, &BTreeMap::new())
        };
        let missed = open().find(|task| !is_awaited(&task.id));
        if let Some(missed) = missed {
            refuse!(
                "the acceptance {} of the batch {batch} does not wait for {}: `dbs task dep {} {}`",
                last.id,
                missed.id,
                last.id,
                missed.id
            );
        }
        Ok(())
    }
}
