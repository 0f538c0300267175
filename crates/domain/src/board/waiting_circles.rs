//! Detection of circular waits: tasks wait for tasks, all tasks of a batch for the batches that it needs, and dependents of a batch for all
//! its tasks.

use std::collections::BTreeMap;

use super::Board;
use super::commands::refuse;
use crate::command::{Refusal, TaskDraft};
use crate::id::{BatchId, TaskId};
use crate::wait_graph::reachable;

/// Target of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Awaited<'a> {
    Task(&'a TaskId),
    Batch(&'a BatchId),
}

impl Board {
    /// Returns true if one of these is the goal, or waits for it over any number of steps; `drafts` are tasks that are about to be made.
    pub(super) fn waits_for<'a>(
        &'a self,
        from: impl IntoIterator<Item = Awaited<'a>>,
        is_goal: impl Fn(Awaited<'a>) -> bool,
        drafts: &BTreeMap<&'a TaskId, &'a TaskDraft>,
    ) -> bool {
        let next = |awaited: Awaited<'a>| self.awaited_by(awaited, drafts);
        reachable(from, next).into_iter().any(is_goal)
    }

    /// Returns the direct targets of the waits of a task, or of all dependents of a batch.
    fn awaited_by<'a>(
        &'a self,
        awaited: Awaited<'a>,
        drafts: &BTreeMap<&'a TaskId, &'a TaskDraft>,
    ) -> Vec<Awaited<'a>> {
        match awaited {
            Awaited::Task(id) => {
                let on_board = self.tasks.get(id).map(|task| (&task.deps, &task.batch));
                let draft = || drafts.get(id).map(|draft| (&draft.deps, &draft.batch));
                let Some((deps, batch)) = on_board.or_else(draft) else {
                    return Vec::new();
                };
                let needs = self.needs_of(batch).map(Awaited::Batch);
                deps.iter().map(Awaited::Task).chain(needs).collect()
            }
            Awaited::Batch(id) => {
                let on_board = self.tasks.values().map(|task| (&task.id, &task.batch));
                let drafts = drafts.values().map(|draft| (&draft.id, &draft.batch));
                let of_it = on_board.chain(drafts).filter(|(_, batch)| *batch == id);
                let needs = self.needs_of(id).map(Awaited::Batch);
                of_it.map(|(task, _)| Awaited::Task(task)).chain(needs).collect()
            }
        }
    }

    /// Refuses a new task that would wait for one that waits for the new one's batch. Tasks of its own batch do not wait for the batch.
    pub(super) fn check_circle(
        &self,
        draft: &TaskDraft,
        before: &BTreeMap<&TaskId, &TaskDraft>,
    ) -> Result<(), Refusal> {
        let batch_of = |id: &TaskId| match self.tasks.get(id) {
            Some(task) => Some(&task.batch),
            None => before.get(id).map(|draft| &draft.batch),
        };
        let back = |next: Awaited<'_>| next == Awaited::Batch(&draft.batch);
        for on in draft.deps.iter().filter(|id| batch_of(id) != Some(&draft.batch)) {
            if self.waits_for([Awaited::Task(on)], back, before) {
                refuse!(
                    "it would wait for {on}, which waits for the batch {}: neither would ever start",
                    draft.batch
                );
            }
        }
        Ok(())
    }

    /// Returns the batches that a batch needs.
    fn needs_of(&self, id: &BatchId) -> impl Iterator<Item = &BatchId> {
        self.batches.get(id).into_iter().flat_map(|batch| &batch.needs)
    }
}
