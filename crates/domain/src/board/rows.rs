//! Rows of the board: reading them with their related rows, and changing them so that the change is remembered. Contains no rule about
//! when.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Board;
use crate::attempt::{Attempt, AttemptMode};
use crate::batch::{Batch, RunState};
use crate::id::{AttemptId, BatchId, StageId, TaskId};
use crate::task::{Comment, Task, TaskState};
use crate::time::Timestamp;
use crate::workflow::{EvidenceKind, GateSet, Stage, Workflow};

impl Board {
    /// Returns the workflow of a task, if it is loaded.
    pub fn workflow_of(&self, task: &Task) -> Option<&Workflow> {
        self.workflows.get(&task.workflow).map(Arc::as_ref)
    }

    /// Returns the current stage of a task, if its workflow is loaded and has it.
    pub fn stage_of(&self, task: &Task) -> Option<&Stage> {
        self.workflow_of(task)?.stage(&task.stage)
    }

    /// Returns the stage an attempt was started for.
    pub fn stage_of_attempt(&self, attempt: &Attempt) -> Option<&Stage> {
        let task = self.tasks.get(&attempt.task)?;
        self.workflow_of(task)?.stage(&attempt.stage)
    }

    /// Returns the title of a stage in a task's workflow, or its name if the workflow is not loaded.
    pub(super) fn stage_label<'a>(&'a self, task: &Task, stage: &'a StageId) -> &'a str {
        let known = self.workflow_of(task).and_then(|flow| flow.stage(stage));
        known.map_or(stage.as_str(), |stage| &stage.label)
    }

    /// Returns the base branch of a task: its batch's, else the settings' (K61).
    pub fn base_of(&self, task: &Task) -> Option<&str> {
        let own = self
            .batches
            .get(&task.batch)
            .and_then(|batch| batch.base.as_deref());
        own.or(self.settings.base.as_deref())
            .filter(|base| !base.is_empty())
    }

    /// Returns the branch of the remote from which the engine makes a missing base of a task's batch: that of the settings. `None` if the
    /// batch has no base of its own, or if work was merged into it, which would be lost with the branch.
    pub fn base_origin(&self, task: &Task) -> Option<&str> {
        let own = self.batches.get(&task.batch)?.base.as_deref()?;
        let mut others = self.tasks.values();
        let is_begun = others.any(|other| other.batch == task.batch && other.merged.is_some());
        let from = self.settings.base.as_deref();
        from.filter(|from| !is_begun && !from.is_empty() && *from != own)
    }

    /// Returns the evidence that the engine must see before an attempt in that mode has succeeded; gates `if_any` count only if there is
    /// one.
    pub fn evidence_for(&self, task: &Task, stage: &Stage, mode: AttemptMode) -> Vec<EvidenceKind> {
        let mut kinds = mode.evidence(stage);
        if stage.gates == GateSet::IfAny && self.settings.gates_of(task, stage).is_empty() {
            kinds.retain(|kind| *kind != EvidenceKind::Gates);
        }
        kinds.retain(|kind| task.asks_for(kind, stage));
        kinds
    }

    pub(super) fn task(&self, id: &TaskId) -> Option<Arc<Task>> {
        self.tasks.get(id).cloned()
    }

    pub(super) fn attempt(&self, id: AttemptId) -> Option<Arc<Attempt>> {
        self.attempts.get(&id).cloned()
    }

    /// Changes a task and remembers that.
    pub(super) fn edit(&mut self, id: &TaskId, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.tasks.get_mut(id) {
            change(Arc::make_mut(task));
            self.changed.tasks.insert(id.clone());
            self.index.task_changed(id);
        }
    }

    /// Changes an attempt and remembers that.
    pub(super) fn edit_attempt(&mut self, id: AttemptId, change: impl FnOnce(&mut Attempt)) {
        if let Some(attempt) = self.attempts.get_mut(&id) {
            change(Arc::make_mut(attempt));
            self.changed.attempts.insert(id);
            self.index.attempt_changed(attempt);
        }
    }

    /// Changes a batch and remembers that.
    pub(super) fn edit_batch(&mut self, id: &BatchId, change: impl FnOnce(&mut Batch)) {
        if let Some(batch) = self.batches.get_mut(id) {
            let before = allowed(batch);
            change(Arc::make_mut(batch));
            self.changed.batches.insert(id.clone());
            if allowed(batch) != before {
                self.index.everything_changed();
            }
        }
    }

    pub(super) fn insert_task(&mut self, task: Task) {
        self.changed.tasks.insert(task.id.clone());
        self.index.task_changed(&task.id);
        self.tasks.insert(task.id.clone(), Arc::new(task));
    }

    pub(super) fn insert_attempt(&mut self, attempt: Attempt) {
        self.changed.attempts.insert(attempt.id);
        self.index.attempt_changed(&attempt);
        self.attempts.insert(attempt.id, Arc::new(attempt));
    }

    pub(super) fn insert_batch(&mut self, batch: Batch) {
        self.changed.batches.insert(batch.id.clone());
        self.batches.insert(batch.id.clone(), Arc::new(batch));
    }

    /// Puts a task into a state.
    pub(super) fn set_state(&mut self, now: Timestamp, id: &TaskId, state: TaskState) {
        self.edit(id, |task| {
            task.state = state;
            task.why_not = None;
            task.since = now;
        });
    }

    /// Makes a task ready in a stage, to be started as soon as possible.
    pub(super) fn enter_stage(&mut self, now: Timestamp, id: &TaskId, stage: &StageId, mode: AttemptMode) {
        self.edit(id, |task| {
            if task.stage != *stage {
                task.checkpoint = None;
                task.begins_anew = false;
                task.stage_head.clone_from(&task.head);
            }
            task.stage = stage.clone();
            task.next_mode = mode;
            task.not_before = None;
        });
        self.set_state(now, id, TaskState::Released);
    }

    /// Writes a comment on a task.
    pub(super) fn comment(&mut self, now: Timestamp, id: &TaskId, author: &str, text: String) {
        let comment = Comment {
            author: author.to_owned(),
            text,
            at: now,
        };
        self.edit(id, |task| task.comments.push(comment));
    }
}

/// Returns the permissions of a batch for its tasks: whether and after which other batches they may start, how many at once, and from which
/// base.
fn allowed(batch: &Batch) -> (bool, bool, Option<u32>, Option<String>, BTreeSet<BatchId>) {
    let aborted = matches!(batch.run, RunState::Aborted(_));
    let (base, needs) = (batch.base.clone(), batch.needs.clone());
    let released = batch.go_ahead.is_some();
    (aborted, released, batch.options.at_once, base, needs)
}

/// Author of the engine's own comments on a task.
pub(crate) const ENGINE: &str = "dbs";
