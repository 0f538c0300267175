//! Dependents of what went wrong for good: skipped with the root cause where the workflow says so (G50), unless that would be
//! too large a part of what is left: then the run is aborted before anything is skipped (G51, LG-11).

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::transition::Transition;
use crate::batch::RunState;
use crate::effect::NoticeLevel;
use crate::id::{BatchId, TaskId};
use crate::task::{HoldReason, Task, TaskState};
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
        self.unskip(step, &near);
        let freed = std::mem::take(&mut self.index.cascade);
        near.extend(self.with_dependents(freed));
        let mut doomed = self.unreachable_tasks(&near);
        while let Some((batch, why)) = self.tripped_breaker(&doomed) {
            step.notify(NoticeLevel::Alert, "aborted", format!("{batch} aborted: {why}"));
            self.edit_batch(&batch, |row| {
                row.run = RunState::Aborted(why);
                row.since = step.now;
            });
            // Nothing of it is skipped, so what waits for that in other runs waits on.
            doomed = self.unreachable_tasks(&near);
        }
        for (id, root) in doomed {
            let text = format!("{id} skipped because of {root}");
            step.notify_task(NoticeLevel::Warning, "skip", &id, text);
            self.set_state(step.now, &id, TaskState::Skipped(root));
        }
    }

    /// What was skipped because of others whose work is done by now.
    fn unskip(&mut self, step: &mut Transition, near: &BTreeSet<TaskId>) {
        let freed: Vec<TaskId> = near
            .iter()
            .filter_map(|id| self.tasks.get(id))
            .filter(|task| matches!(&task.state, TaskState::Skipped(root) if *root != task.id))
            .filter(|task| self.open_dependencies(task).is_empty())
            .map(|task| task.id.clone())
            .collect();
        for id in freed {
            let text = format!("{id} no longer skipped: its dependencies are done");
            step.notify_task(NoticeLevel::Info, "unskip", &id, text);
            self.set_state(step.now, &id, TaskState::Released);
        }
    }

    /// Tasks to be skipped, each with the root cause: everything that waits, over any number of steps, for a broken one, but for
    /// aborted runs and what waits for them. Looked
    /// for from `near` on: what is broken there, or is waited for there.
    fn unreachable_tasks(&self, near: &BTreeSet<TaskId>) -> BTreeMap<TaskId, TaskId> {
        let rows = near.iter().filter_map(|id| self.tasks.get(id));
        let needed = rows.flat_map(|task| std::iter::once(&task.id).chain(&task.deps));
        let roots: BTreeMap<&TaskId, TaskId> = needed
            .filter_map(|id| Some((id, root_cause(self.tasks.get(id)?)?)))
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
            .is_some_and(|flow| matches!(flow.cascade, CascadePolicy::Skip { .. }));
        waits && skips && !task.passes_over() && task.open_attempt.is_none() && !self.is_aborted(&task.batch)
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
        let broken = |id: &&TaskId| self.tasks.get(*id).is_some_and(|on| root_cause(on).is_some());
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
        let percents: BTreeSet<u8> = all
            .iter()
            .filter(|task| doomed.contains_key(&task.id))
            .filter_map(|task| match self.workflow_of(task)?.cascade {
                CascadePolicy::Skip { breaker_percent } => Some(breaker_percent),
                CascadePolicy::Wait => None,
            })
            .collect();
        let percent = usize::from(*percents.first()?);
        let left = all.iter().filter(|task| is_remaining(task)).count();
        let lost = doomed.len();
        let too_many = all.len() > BREAKER_MIN_TASKS && lost * 100 > percent * left;
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

/// What is wrong with a task for good as far as its dependents are concerned. A hold for approval, or
/// because of something outside, is not: it waits.
fn root_cause(task: &Task) -> Option<TaskId> {
    match &task.state {
        TaskState::Skipped(root) => Some(root.clone()),
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
        ) => Some(task.id.clone()),
        // Nothing is wrong with the task itself.
        TaskState::Held(
            HoldReason::Approval
            | HoldReason::Findings(_)
            | HoldReason::Unreviewed(_)
            | HoldReason::Unverified(_)
            | HoldReason::Trouble { .. }
            | HoldReason::Interrupted(_)
            | HoldReason::GitChanged(_)
            | HoldReason::Refused(_),
        )
        | TaskState::Backlog
        | TaskState::Released
        | TaskState::Active
        | TaskState::Verifying
        | TaskState::Done => None,
    }
}

fn is_remaining(task: &Task) -> bool {
    matches!(
        task.state,
        TaskState::Backlog | TaskState::Released | TaskState::Active | TaskState::Verifying
    )
}
