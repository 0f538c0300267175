//! Commands of a person that can be undone: those that change nothing but the tasks they name. Undo is not offered for the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attempt::Attempt;
use super::batch::{Batch, RunState};
use super::command::Command;
use super::id::{AttemptId, BatchId, StageId, TaskId, WorkflowId};
use super::task::{HoldReason, Task, TaskState};
use super::wait_graph::reachable;
use super::workflow::{Actor, CascadePolicy, Workflow};

/// Rows that decide whether a command can be undone.
#[derive(Clone, Copy)]
pub struct UndoScope<'a> {
    pub tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    pub batches: &'a BTreeMap<BatchId, Arc<Batch>>,
    pub workflows: &'a BTreeMap<WorkflowId, Arc<Workflow>>,
    pub attempts: &'a BTreeMap<AttemptId, Arc<Attempt>>,
}

impl UndoScope<'_> {
    /// Returns true if nothing happened to a task since the last command about it, except that an agent was started or approval is asked
    /// for.
    pub fn is_as_left(&self, id: &TaskId) -> bool {
        let Some((task, before)) = self
            .tasks
            .get(id)
            .and_then(|task| Some((task, task.before.as_ref()?)))
        else {
            return false;
        };
        let goes = before.left == TaskState::Released;
        let Some(attempt) = task.open_attempt.and_then(|id| self.attempts.get(&id)) else {
            let asks = goes && task.state == TaskState::Held(HoldReason::Approval);
            return asks || task.state == before.left;
        };
        goes && task.state == TaskState::Active
            && attempt.created_at >= before.at
            && attempt.is_agent_at_work()
            && !before.progress.begins_anew
    }

    /// Returns the tasks that undo restores after that command; empty if undo would not restore everything.
    pub fn restorable(&self, command: &Command) -> Vec<TaskId> {
        let (ids, is_whole) = match command {
            Command::Skip(id) => {
                let with = self.skipped_with(id).filter(|_| !self.is_aborted(id));
                let is_whole = with.is_some();
                let with = with.into_iter().flatten();
                (std::iter::once(id.clone()).chain(with).collect(), is_whole)
            }
            Command::Park(id, _) => {
                let goes_alone = !self.concerns_dependents(id) && !self.is_aborted(id);
                (vec![id.clone()], goes_alone)
            }
            Command::Retry { task: id, stage, .. } => {
                let goes_alone = self.begins_alone(id) && !self.is_of_engine(id, stage.as_ref());
                (vec![id.clone()], goes_alone)
            }
            Command::Withdraw(id) => (vec![id.clone()], self.begins_alone(id)),
            Command::Release(ids) => (ids.clone(), ids.iter().all(|id| self.begins_alone(id))),
            _ => (Vec::new(), false),
        };
        if is_whole && ids.iter().all(|id| self.is_at_rest(id)) {
            ids
        } else {
            Vec::new()
        }
    }

    /// Returns true if nothing works on the task, and no session waits to be continued: those are stopped or let go for good. A task that
    /// was skipped because of another stays skipped only while that one is broken.
    fn is_at_rest(&self, id: &TaskId) -> bool {
        self.tasks.get(id).is_some_and(|task| {
            let is_of_another =
                matches!(&task.state, TaskState::Skipped(skip) if skip.root().is_some_and(|root| root != id));
            task.open_attempt.is_none() && task.continues.is_none() && !is_of_another
        })
    }

    /// Returns true if the engine acts at that stage, or at the task's own: the engine finishes what it begins.
    fn is_of_engine(&self, id: &TaskId, stage: Option<&StageId>) -> bool {
        self.tasks.get(id).is_some_and(|task| {
            let flow = self.workflows.get(&task.workflow);
            let stage = flow.and_then(|flow| flow.stage(stage.unwrap_or(&task.stage)));
            stage.is_none_or(|stage| matches!(stage.actor, Actor::Engine(_)))
        })
    }

    /// Returns true if nothing but the task changes once it waits to begin.
    fn begins_alone(&self, id: &TaskId) -> bool {
        self.runs_already(id) && !self.frees_dependents(id) && !self.waits_for_broken(id)
    }

    /// Returns true if the task waits for one that is broken: it would be skipped, or its run aborted, as soon as it waits to begin.
    fn waits_for_broken(&self, id: &TaskId) -> bool {
        let deps = self.tasks.get(id).into_iter().flat_map(|task| &task.deps);
        let mut known = deps.filter_map(|id| self.tasks.get(id));
        known.any(|task| task.root_cause().is_some())
    }

    /// Returns true if the batch of the task runs already, so that releasing the task starts nothing else of the batch.
    fn runs_already(&self, id: &TaskId) -> bool {
        let batch = self.tasks.get(id).and_then(|task| self.batches.get(&task.batch));
        batch.is_some_and(|batch| batch.go_ahead.is_some() && !matches!(batch.run, RunState::Aborted(_)))
    }

    /// Returns true if the run of the task was aborted: it is judged again when one of its tasks is left out.
    fn is_aborted(&self, id: &TaskId) -> bool {
        let batch = self.tasks.get(id).and_then(|task| self.batches.get(&task.batch));
        batch.is_some_and(|batch| matches!(batch.run, RunState::Aborted(_)))
    }

    /// Returns true if a task that waits for this one, at any distance, is skipped because of another: it would come back, or be reported
    /// again, once this one continues.
    fn frees_dependents(&self, id: &TaskId) -> bool {
        let dependents = |on| {
            let dependents = self.tasks.values().filter(move |task| task.deps.contains(on));
            dependents.map(|task| &task.id)
        };
        let mut behind = reachable(dependents(id), dependents).into_iter();
        behind.any(|id| {
            let state = self.tasks.get(id).map(|task| &task.state);
            matches!(state, Some(TaskState::Skipped(skip)) if skip.root().is_some())
        })
    }

    /// Returns the tasks that are skipped along with this one, at any distance; `None` if more would happen than that: another task
    /// would begin, or a run that was aborted would be judged again.
    fn skipped_with(&self, id: &TaskId) -> Option<Vec<TaskId>> {
        let (mut found, mut open) = (Vec::new(), vec![id]);
        while let Some(on) = open.pop() {
            let waits = |task: &&Arc<Task>| {
                let is_waiting = matches!(task.state, TaskState::Backlog | TaskState::Released);
                is_waiting && task.deps.contains(on)
            };
            for task in self.tasks.values().filter(waits) {
                let flow = self.workflows.get(&task.workflow)?;
                if task.passes_over() || self.is_aborted(&task.id) {
                    return None;
                }
                if matches!(flow.cascade, CascadePolicy::Skip { .. }) && !found.contains(&task.id) {
                    found.push(task.id.clone());
                    open.push(&task.id);
                }
            }
        }
        Some(found)
    }

    /// Returns true if another task is skipped, or begins, once this one stops.
    fn concerns_dependents(&self, id: &TaskId) -> bool {
        let mut dependents = self.tasks.values().filter(|task| task.deps.contains(id));
        dependents.any(|task| {
            let waits = matches!(task.state, TaskState::Backlog | TaskState::Released);
            let flow = self.workflows.get(&task.workflow);
            let skips = flow.is_none_or(|flow| matches!(flow.cascade, CascadePolicy::Skip { .. }));
            waits && (skips || task.passes_over())
        })
    }
}
