//! Which commands of a person can be undone: those after which nothing but the tasks they name is different. Of the others undo is
//! not offered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::batch::{Batch, RunState};
use super::command::Command;
use super::id::{BatchId, StageId, TaskId, WorkflowId};
use super::task::{Task, TaskState};
use super::workflow::{Actor, CascadePolicy, Workflow};

/// The rows by which it is decided whether a command can be undone.
#[derive(Clone, Copy)]
pub struct UndoScope<'a> {
    pub tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    pub batches: &'a BTreeMap<BatchId, Arc<Batch>>,
    pub workflows: &'a BTreeMap<WorkflowId, Arc<Workflow>>,
}

impl UndoScope<'_> {
    /// The tasks that undo puts back after that command; none where undo would not restore everything.
    pub fn restorable(&self, command: &Command) -> Vec<TaskId> {
        let (ids, is_whole) = match command {
            Command::Skip(id) | Command::Park(id, _) => {
                let goes_alone = !self.concerns_dependents(id) && !self.is_aborted(id);
                (vec![id.clone()], goes_alone)
            }
            Command::Retry { task: id, stage, .. } => {
                let goes_alone = self.runs_already(id) && !self.frees_dependents(id);
                (
                    vec![id.clone()],
                    goes_alone && !self.is_of_engine(id, stage.as_ref()),
                )
            }
            Command::Withdraw(id) => {
                let goes_alone = self.runs_already(id) && !self.frees_dependents(id);
                (vec![id.clone()], goes_alone)
            }
            Command::Release(ids) => {
                let goes_alone = |id| self.runs_already(id) && !self.frees_dependents(id);
                (ids.clone(), ids.iter().all(goes_alone))
            }
            _ => (Vec::new(), false),
        };
        if is_whole && ids.iter().all(|id| self.is_at_rest(id)) {
            ids
        } else {
            Vec::new()
        }
    }

    /// Whether nothing works on the task, and no session waits to be gone on with: those are stopped or let go for good. A task that was
    /// skipped because of another stays skipped only while that one is broken.
    fn is_at_rest(&self, id: &TaskId) -> bool {
        self.tasks.get(id).is_some_and(|task| {
            let is_of_another =
                matches!(&task.state, TaskState::Skipped(skip) if skip.root().is_some_and(|root| root != id));
            task.open_attempt.is_none() && task.continues.is_none() && !is_of_another
        })
    }

    /// Returns whether the engine acts at that stage, or where the task stands: what it begins it brings to an end.
    fn is_of_engine(&self, id: &TaskId, stage: Option<&StageId>) -> bool {
        self.tasks.get(id).is_some_and(|task| {
            let flow = self.workflows.get(&task.workflow);
            let stage = flow.and_then(|flow| flow.stage(stage.unwrap_or(&task.stage)));
            stage.is_none_or(|stage| matches!(stage.actor, Actor::Engine(_)))
        })
    }

    /// Returns whether the batch of the task goes already, so that handing over the task starts nothing else of it.
    fn runs_already(&self, id: &TaskId) -> bool {
        let batch = self.tasks.get(id).and_then(|task| self.batches.get(&task.batch));
        batch.is_some_and(|batch| batch.go_ahead.is_some() && !matches!(batch.run, RunState::Aborted(_)))
    }

    /// Returns whether the run of the task was aborted: it is judged anew when one of its tasks is left out.
    fn is_aborted(&self, id: &TaskId) -> bool {
        let batch = self.tasks.get(id).and_then(|task| self.batches.get(&task.batch));
        batch.is_some_and(|batch| matches!(batch.run, RunState::Aborted(_)))
    }

    /// Returns whether a task that waits for this one, at any distance, is skipped because of another: it would come back, or be told
    /// anew, once this one goes on.
    fn frees_dependents(&self, id: &TaskId) -> bool {
        let mut seen = BTreeSet::from([id]);
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            for task in self.tasks.values().filter(|task| task.deps.contains(next)) {
                if matches!(&task.state, TaskState::Skipped(skip) if skip.root().is_some()) {
                    return true;
                }
                if seen.insert(&task.id) {
                    open.push(&task.id);
                }
            }
        }
        false
    }

    /// Returns whether another task is skipped, or begins, once this one stands still.
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
