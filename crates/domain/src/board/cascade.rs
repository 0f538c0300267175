//! Dependents of tasks that are broken for good: skipped with the root cause if the workflow says so (G50), unless they are too large a
//! part of the remaining tasks: then the run is aborted before anything is skipped (G51, LG-11).

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::transition::Transition;
use crate::batch::RunState;
use crate::effect::NoticeLevel;
use crate::id::{BatchId, TaskId};
use crate::skip::Skip;
use crate::task::{Task, TaskState};
use crate::workflow::CascadePolicy;

/// Batches with at most this number of tasks are never aborted (G51).
const BREAKER_MIN_TASKS: usize = 3;

impl Board {
    /// Skips tasks that can never start, and takes up those that can start again.
    pub(super) fn cascade(&mut self, transition: &mut Transition) {
        self.update_links();
        let mut pending = std::mem::take(&mut self.index.cascade);
        // Doomed tasks of an aborted run stay as they are, so nothing shows which of them were seen before.
        pending.all |= self.batches.keys().any(|id| self.is_aborted(id));
        let mut near = self.with_dependents(pending);
        while self.unskip(transition, &near) {
            let freed = std::mem::take(&mut self.index.cascade);
            near.extend(self.with_dependents(freed));
        }
        let mut doomed = self.unreachable_tasks(&near);
        while let Some((batch, why)) = self.tripped_breaker(&doomed) {
            transition.notify(
                NoticeLevel::Alert,
                "aborted",
                format!("batch {batch} aborted: {why}"),
            );
            self.edit_batch(&batch, |row| {
                row.run = RunState::Aborted(why);
                row.since = transition.now;
            });
            // Nothing of the batch is skipped, so its dependents in other runs keep waiting.
            doomed = self.unreachable_tasks(&near);
        }
        for (id, root) in doomed {
            let how = if self.is_left_out(&root) {
                "with"
            } else {
                "because of"
            };
            let text = format!("{id} skipped {how} {root}");
            transition.notify_task(NoticeLevel::Warning, "skip", &id, text);
            let is_planned = self
                .tasks
                .get(&id)
                .is_some_and(|task| task.state == TaskState::Backlog);
            let skip = if is_planned {
                Skip::InBacklog { root }
            } else {
                Skip::Dependency(root)
            };
            self.set_state(transition.now, &id, TaskState::Skipped(skip));
        }
    }

    /// Takes up again tasks that were skipped because of others, if none of their dependencies is broken any more. Returns true if there
    /// were any: their dependents may follow.
    fn unskip(&mut self, transition: &mut Transition, near: &BTreeSet<TaskId>) -> bool {
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
            transition.notify_task(NoticeLevel::Info, "unskip", id, text);
            self.set_state(transition.now, id, state.clone());
        }
        !freed.is_empty()
    }

    /// Returns the tasks to be skipped, each with the root cause: everything that waits, over any number of steps, for a broken task. In an
    /// aborted run these are only the dependents of a task that a person left out. The search begins at `near`: with the broken tasks among
    /// them or their dependencies.
    pub(super) fn unreachable_tasks(&self, near: &BTreeSet<TaskId>) -> BTreeMap<TaskId, TaskId> {
        let rows = near.iter().filter_map(|id| self.tasks.get(id));
        let needed = rows.flat_map(|task| std::iter::once(&task.id).chain(&task.deps));
        let roots: BTreeMap<&TaskId, TaskId> = needed
            .filter_map(|id| Some((id, self.tasks.get(id)?.root_cause()?.clone())))
            .collect();
        let mut open: Vec<(&TaskId, TaskId)> = roots.into_iter().collect();
        // From the end: dependents of a task that a person left out are skipped with it, even if they wait for others too.
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

    /// Returns true if a person left the task out. Its dependents go with it, however many they are.
    pub(super) fn is_left_out(&self, id: &TaskId) -> bool {
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

    /// Returns the first run of which too much would be skipped, and the reason that is too much.
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

    /// Returns the first dependency because of which this task would be skipped again.
    pub(super) fn broken_dependency(&self, task: &Task) -> Option<TaskId> {
        if task.passes_over() {
            return None;
        }
        let broken = |id: &&TaskId| self.tasks.get(*id).is_some_and(|on| on.root_cause().is_some());
        task.deps.iter().find(broken).cloned()
    }

    /// Returns the reason to abort the run, if strictly more than the allowed share of its remaining tasks would be skipped.
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
