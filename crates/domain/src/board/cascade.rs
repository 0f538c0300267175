//! Dependents of what went wrong for good: skipped with the root cause where the workflow says so (G50), unless that would be
//! too large a part of what is left: then the run is aborted before anything is skipped (G51, LG-11).

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::transition::Transition;
use crate::batch::RunState;
use crate::effect::NoticeLevel;
use crate::id::{BatchId, TaskId};
use crate::skip::Skip;
use crate::task::{Task, TaskState};
use crate::workflow::CascadePolicy;

/// Batches with so few tasks are never aborted (G51).
const BREAKER_MIN_TASKS: usize = 3;

impl Board {
    /// Skips what can never start, takes up again what can.
    pub(super) fn cascade(&mut self, step: &mut Transition) {
        self.update_links();
        let mut pending = std::mem::take(&mut self.index.cascade);
        // What is doomed in an aborted run stays as it is, so nothing tells which of it was seen before.
        pending.all |= self.batches.keys().any(|id| self.is_aborted(id));
        let mut near = self.with_dependents(pending);
        while self.unskip(step, &near) {
            let freed = std::mem::take(&mut self.index.cascade);
            near.extend(self.with_dependents(freed));
        }
        let mut doomed = self.unreachable_tasks(&near);
        while let Some((batch, why)) = self.tripped_breaker(&doomed) {
            step.notify(
                NoticeLevel::Alert,
                "aborted",
                format!("batch {batch} aborted: {why}"),
            );
            self.edit_batch(&batch, |row| {
                row.run = RunState::Aborted(why);
                row.since = step.now;
            });
            // Nothing of it is skipped, so what waits for that in other runs waits on.
            doomed = self.unreachable_tasks(&near);
        }
        for (id, root) in doomed {
            let how = if self.is_left_out(&root) {
                "with"
            } else {
                "because of"
            };
            let text = format!("{id} skipped {how} {root}");
            step.notify_task(NoticeLevel::Warning, "skip", &id, text);
            let is_planned = self
                .tasks
                .get(&id)
                .is_some_and(|task| task.state == TaskState::Backlog);
            let skip = if is_planned {
                Skip::InBacklog { root }
            } else {
                Skip::Dependency(root)
            };
            self.set_state(step.now, &id, TaskState::Skipped(skip));
        }
    }

    /// Takes up again what was skipped because of others, where nothing that it waits for is broken any more. Answers whether there was
    /// any: what waits for that may follow.
    fn unskip(&mut self, step: &mut Transition, near: &BTreeSet<TaskId>) -> bool {
        let freed: Vec<(TaskId, TaskState)> = near
            .iter()
            .filter_map(|id| self.tasks.get(id))
            .filter(|task| self.broken_dependency(task).is_none())
            .filter_map(|task| {
                let state = match &task.state {
                    TaskState::Skipped(Skip::Dependency(_)) => TaskState::Released,
                    TaskState::Skipped(Skip::InBacklog { .. }) => TaskState::Backlog,
                    _ => return None,
                };
                Some((task.id.clone(), state))
            })
            .collect();
        for (id, state) in &freed {
            let text = format!("{id} no longer skipped: nothing it waits for has failed");
            step.notify_task(NoticeLevel::Info, "unskip", id, text);
            self.set_state(step.now, id, state.clone());
        }
        !freed.is_empty()
    }

    /// Tasks to be skipped, each with the root cause: everything that waits, over any number of steps, for a broken one. In an aborted
    /// run that is what waits for a task that a person left out. Looked for from `near` on: what is broken there, or is waited for there.
    pub(super) fn unreachable_tasks(&self, near: &BTreeSet<TaskId>) -> BTreeMap<TaskId, TaskId> {
        let rows = near.iter().filter_map(|id| self.tasks.get(id));
        let needed = rows.flat_map(|task| std::iter::once(&task.id).chain(&task.deps));
        let roots: BTreeMap<&TaskId, TaskId> = needed
            .filter_map(|id| Some((id, self.tasks.get(id)?.root_cause()?.clone())))
            .collect();
        let mut open: Vec<(&TaskId, TaskId)> = roots.into_iter().collect();
        // From the end: what waits for a task that a person left out is skipped with that, also where it waits for others.
        open.sort_by_key(|(_, root)| self.is_left_out(root));
        let mut doomed = BTreeMap::new();
        while let Some((id, root)) = open.pop() {
            let dependents = self.index.dependents(id).filter_map(|id| self.tasks.get(id));
            for dependent in dependents.filter(|task| task.deps.contains(id)) {
                if self.may_be_skipped(dependent, &root) && !doomed.contains_key(&dependent.id) {
                    doomed.insert(dependent.id.clone(), root.clone());
                    open.push((&dependent.id, root.clone()));
                }
            }
        }
        doomed
    }

    /// Returns whether a person left the task out. What waits for it goes with it, however much that is.
    fn is_left_out(&self, id: &TaskId) -> bool {
        let task = self.tasks.get(id);
        task.is_some_and(|task| matches!(task.state, TaskState::Skipped(Skip::Person { .. })))
    }

    fn may_be_skipped(&self, task: &Task, root: &TaskId) -> bool {
        let waits = matches!(task.state, TaskState::Backlog | TaskState::Released);
        let skips = self
            .workflow_of(task)
            .is_some_and(|flow| matches!(flow.cascade, CascadePolicy::Skip { .. }));
        let is_refused = self.is_aborted(&task.batch) && !self.is_left_out(root);
        waits && skips && !task.passes_over() && task.open_attempt.is_none() && !is_refused
    }

    /// The first run of which too much would be skipped, and why that is too much.
    fn tripped_breaker(&self, doomed: &BTreeMap<TaskId, TaskId>) -> Option<(BatchId, String)> {
        let mut by_batch: BTreeMap<&BatchId, BTreeMap<TaskId, TaskId>> = BTreeMap::new();
        for (id, root) in doomed {
            if let Some(task) = self.tasks.get(id) {
                let of_batch = by_batch.entry(&task.batch).or_default();
                of_batch.insert(id.clone(), root.clone());
            }
        }
        by_batch
            .into_iter()
            .find_map(|(batch, doomed)| Some((batch.clone(), self.breaker_reason(batch, &doomed)?)))
    }

    /// The first dependency that would have this task skipped again.
    pub(super) fn broken_dependency(&self, task: &Task) -> Option<TaskId> {
        if task.passes_over() {
            return None;
        }
        let broken = |id: &&TaskId| self.tasks.get(*id).is_some_and(|on| on.root_cause().is_some());
        task.deps.iter().find(broken).cloned()
    }

    /// Why the run is aborted instead, if it is: strictly more than the share of what is left would be skipped.
    fn breaker_reason(&self, batch: &BatchId, doomed: &BTreeMap<TaskId, TaskId>) -> Option<String> {
        let all: Vec<&Task> = self
            .tasks
            .values()
            .map(AsRef::as_ref)
            .filter(|task: &&Task| task.batch == *batch)
            .collect();
        let (chosen, lost): (Vec<_>, Vec<_>) = doomed.iter().partition(|(_, root)| self.is_left_out(root));
        let is_lost = |task: &&&Task| lost.iter().any(|(id, _)| **id == task.id);
        let is_chosen = |task: &&&Task| chosen.iter().any(|(id, _)| **id == task.id);
        let percents: BTreeSet<u8> = all
            .iter()
            .filter(is_lost)
            .filter_map(|task| match self.workflow_of(task)?.cascade {
                CascadePolicy::Skip { breaker_percent } => Some(breaker_percent),
                CascadePolicy::Wait => None,
            })
            .collect();
        let percent = usize::from(*percents.first()?);
        let left = all
            .iter()
            .filter(|task| is_remaining(task) && !is_chosen(task))
            .count();
        let many = lost.len();
        let too_many = all.len() > BREAKER_MIN_TASKS && many * 100 > percent * left;
        let roots: BTreeSet<&str> = lost.iter().map(|(_, root)| root.as_str()).collect();
        let roots: Vec<&str> = roots.into_iter().collect();
        too_many.then(|| {
            format!(
                "{many} of {left} remaining tasks would be skipped because of {}: `dbs retry ID` or `dbs skip ID`",
                roots.join(", ")
            )
        })
    }

    pub(super) fn is_aborted(&self, batch: &BatchId) -> bool {
        self.batches
            .get(batch)
            .is_some_and(|batch| matches!(batch.run, RunState::Aborted(_)))
    }
}

fn is_remaining(task: &Task) -> bool {
    matches!(
        task.state,
        TaskState::Backlog | TaskState::Released | TaskState::Active | TaskState::Verifying
    )
}
