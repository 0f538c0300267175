//! Dependents of what went wrong for good: skipped with the root cause where the workflow says so (G50), unless that would be
//! too large a part of what is left: then the run is aborted before anything is skipped (G51, LG-11).

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::step::Step;
use crate::domain::effect::Level;
use crate::domain::id::{BatchId, TaskId};
use crate::domain::run::RunState;
use crate::domain::task::{Hold, Task, TaskState};
use crate::domain::workflow::Cascade;

/// Batches with so few tasks are never aborted (G51).
const SMALL_BATCH: usize = 3;

impl Board {
    /// Skips what can never start, takes up again what can.
    pub(super) fn cascade(&mut self, step: &mut Step) {
        self.link();
        let mut pending = std::mem::take(&mut self.index.cascading);
        // What is doomed in an aborted run stays as it is, so nothing tells which of it was seen before.
        pending.all |= self.batches.keys().any(|id| self.is_aborted(id));
        let mut near = self.near(pending);
        self.unskip(step, &near);
        let freed = std::mem::take(&mut self.index.cascading);
        near.extend(self.near(freed));
        let mut doomed = self.doomed(&near);
        while let Some((batch, why)) = self.too_many(&doomed) {
            step.announce(Level::Alert, "aborted", format!("run of {batch} aborted: {why}"));
            self.edit_batch(&batch, |row| {
                row.run = RunState::Aborted(why);
                row.since = step.now;
            });
            // Nothing of it is skipped, so what waits for that in other runs waits on.
            doomed = self.doomed(&near);
        }
        for (id, root) in doomed {
            step.say(
                Level::Warning,
                "skip",
                &id,
                format!("{id} is skipped because of {root}"),
            );
            self.put(step.now, &id, TaskState::Skipped(root));
        }
    }

    /// What was skipped because of others whose work is done by now.
    fn unskip(&mut self, step: &mut Step, near: &BTreeSet<TaskId>) {
        let freed: Vec<TaskId> = near
            .iter()
            .filter_map(|id| self.tasks.get(id))
            .filter(|task| matches!(&task.state, TaskState::Skipped(root) if *root != task.id))
            .filter(|task| self.open_dependencies(task).is_empty())
            .map(|task| task.id.clone())
            .collect();
        for id in freed {
            step.say(Level::Info, "unskip", &id, format!("{id} can be done after all"));
            self.put(step.now, &id, TaskState::Released);
        }
    }

    /// Tasks to be skipped, each with the root cause: everything that waits, over any number of steps, for a broken one, but for
    /// aborted runs and what waits for them. Looked
    /// for from `near` on: what is broken there, or is waited for there.
    fn doomed(&self, near: &BTreeSet<TaskId>) -> BTreeMap<TaskId, TaskId> {
        let rows = near.iter().filter_map(|id| self.tasks.get(id));
        let needed = rows.flat_map(|task| std::iter::once(&task.id).chain(&task.deps));
        let roots: BTreeMap<&TaskId, TaskId> = needed
            .filter_map(|id| Some((id, root_of(self.tasks.get(id)?)?)))
            .collect();
        let mut open: Vec<(&TaskId, TaskId)> = roots.into_iter().collect();
        let mut doomed = BTreeMap::new();
        while let Some((id, root)) = open.pop() {
            let dependents = self.index.dependents(id).filter_map(|id| self.tasks.get(id));
            for dependent in dependents.filter(|task| task.deps.contains(id)) {
                if self.may_be_skipped(dependent) && !doomed.contains_key(&dependent.id) {
                    doomed.insert(dependent.id.clone(), root.clone());
                    open.push((&dependent.id, root.clone()));
                }
            }
        }
        doomed
    }

    fn may_be_skipped(&self, task: &Task) -> bool {
        let waits = matches!(task.state, TaskState::Backlog | TaskState::Released);
        let skips = self
            .workflow_of(task)
            .is_some_and(|flow| matches!(flow.cascade, Cascade::Skip { .. }));
        waits && skips && task.open_attempt.is_none() && !self.is_aborted(&task.batch)
    }

    /// The first run of which too much would be skipped, and why that is too much.
    fn too_many(&self, doomed: &BTreeMap<TaskId, TaskId>) -> Option<(BatchId, String)> {
        let mut by_batch: BTreeMap<&BatchId, BTreeMap<TaskId, TaskId>> = BTreeMap::new();
        for (id, root) in doomed {
            if let Some(task) = self.tasks.get(id) {
                let of_batch = by_batch.entry(&task.batch).or_default();
                of_batch.insert(id.clone(), root.clone());
            }
        }
        by_batch
            .into_iter()
            .find_map(|(batch, doomed)| Some((batch.clone(), self.breaker(batch, &doomed)?)))
    }

    /// The first dependency that would have this task skipped again.
    pub(super) fn broken_dependency(&self, task: &Task) -> Option<TaskId> {
        let broken = |id: &&TaskId| self.tasks.get(*id).is_some_and(|on| root_of(on).is_some());
        task.deps.iter().find(broken).cloned()
    }

    /// Why the run is aborted instead, if it is: strictly more than the share of what is left would be skipped.
    fn breaker(&self, batch: &BatchId, doomed: &BTreeMap<TaskId, TaskId>) -> Option<String> {
        let all: Vec<&Task> = self
            .tasks
            .values()
            .map(AsRef::as_ref)
            .filter(|task: &&Task| task.batch == *batch)
            .collect();
        let percents: BTreeSet<u8> = all
            .iter()
            .filter(|task| doomed.contains_key(&task.id))
            .filter_map(|task| match self.workflow_of(task)?.cascade {
                Cascade::Skip { breaker_percent } => Some(breaker_percent),
                Cascade::Wait => None,
            })
            .collect();
        let percent = usize::from(*percents.first()?);
        let left = all.iter().filter(|task| is_left(task)).count();
        let lost = doomed.len();
        let too_many = all.len() > SMALL_BATCH && lost * 100 > percent * left;
        let roots: BTreeSet<&str> = doomed.values().map(TaskId::as_str).collect();
        let roots: Vec<&str> = roots.into_iter().collect();
        too_many.then(|| {
            format!(
                "{lost} of {left} remaining tasks would be skipped because of {}; retry or remove it",
                roots.join(", ")
            )
        })
    }

    fn is_aborted(&self, batch: &BatchId) -> bool {
        self.batches
            .get(batch)
            .is_some_and(|batch| matches!(batch.run, RunState::Aborted(_)))
    }
}

/// What is wrong with a task for good as far as its dependents are concerned. A hold for approval is not: it waits.
fn root_of(task: &Task) -> Option<TaskId> {
    match &task.state {
        TaskState::Skipped(root) => Some(root.clone()),
        TaskState::Failed(_)
        | TaskState::Cancelled
        | TaskState::Parked(_)
        | TaskState::Held(
            Hold::Blocked(_)
            | Hold::RejectLoop(_)
            | Hold::Exhausted(_)
            | Hold::TooManyAttempts(_)
            | Hold::AcceptanceFailed(_),
        ) => Some(task.id.clone()),
        TaskState::Held(Hold::Approval)
        | TaskState::Backlog
        | TaskState::Released
        | TaskState::Active
        | TaskState::Verifying
        | TaskState::Done => None,
    }
}

fn is_left(task: &Task) -> bool {
    matches!(
        task.state,
        TaskState::Backlog | TaskState::Released | TaskState::Active | TaskState::Verifying
    )
}
