//! Routing of work: on after success, back after a rejection, to rest when a person is needed. Stages change only along the edges of the
//! workflow, or because a person says so.

use super::Board;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::AttemptMode;
use crate::effect::NoticeLevel;
use crate::id::{StageId, TaskId};
use crate::task::{HoldReason, Task, TaskState};
use crate::workflow::{ExhaustionPolicy, RejectTo, Stage, Workspace};

impl Board {
    /// Sends a task on after success: along the first edge whose tag it carries, to its end if there is none (K9, K29). `how` is added to
    /// the notice: the one line for leaving this stage and entering the next.
    pub(super) fn advance(&mut self, transition: &mut Transition, id: &TaskId, how: &str) {
        let Some(task) = self.task(id) else { return };
        let Some(stage) = self.stage_of(&task) else { return };
        let to = next_stage(stage, &task);
        let from = stage.id.clone();
        let target = to.as_ref().map_or("done", |to| self.stage_label(&task, to));
        let text = format!("{id} {} → {target}{how}", stage.label);
        self.edit(id, |task| {
            task.failures.remove(&from);
            task.finding = None;
        });
        if let Some(to) = to {
            self.enter_stage(transition.now, id, &to, AttemptMode::Fresh);
            transition.notify_task(NoticeLevel::Success, "advance", id, text);
            return;
        }
        self.edit(id, |task| {
            task.next_mode = AttemptMode::Fresh;
            task.not_before = None;
        });
        self.set_state(transition.now, id, TaskState::Done);
        transition.notify_task(NoticeLevel::Success, "close", id, text);
        self.retire_if_unused(transition, id);
    }

    /// Sends a task back, or holds it, because its work was found wanting (K22–K24).
    pub(super) fn reject(&mut self, transition: &mut Transition, id: &TaskId, by: &str, reason: &str) {
        let Some(task) = self.task(id) else { return };
        let (Some(flow), Some(stage)) = (self.workflow_of(&task), self.stage_of(&task)) else {
            // The stage it would go back to is not known: it stays, visibly, and is looked at again when its workflow is there (K19).
            self.comment(
                transition.now,
                id,
                by,
                format!("rejected in {}: {reason}", task.stage),
            );
            self.enter_stage(transition.now, id, &task.stage, task.next_mode);
            return;
        };
        let (from, label) = (stage.id.clone(), stage.label.clone());
        let target = match &stage.reject {
            RejectTo::Stage(to) => Some(to.clone()),
            RejectTo::Hold | RejectTo::Never => None,
        };
        let most = flow.limits.rejections;
        let cooldown = self.settings.cooldown.unwrap_or(flow.limits.cooldown);
        let times = task.rejections.saturating_add(1);
        let reason = if reason.trim().is_empty() {
            "rejected without a reason"
        } else {
            reason
        };
        self.edit(id, |task| {
            task.rejections = times;
            task.finding = Some(reason.to_owned());
            task.failures.remove(&from);
        });
        self.comment(transition.now, id, by, format!("rejected in {from}: {reason}"));
        let Some(to) = target else {
            let text = format!("{id} rejected in {label} by {by}: {reason}");
            transition.notify_task(NoticeLevel::Alert, "reject", id, text);
            self.set_state(
                transition.now,
                id,
                TaskState::Held(HoldReason::AcceptanceFailed(reason.to_owned())),
            );
            return;
        };
        let back = self.stage_label(&task, &to).to_owned();
        let mode = self.remediation_mode(&task, &to);
        self.enter_stage(transition.now, id, &to, mode);
        if times >= most {
            self.comment(
                transition.now,
                id,
                ENGINE,
                format!("rejected {times} times: rewrite it, split it or add missing details, then retry it"),
            );
            let text = format!("{id} rejected {times} times, held in {back}, last by {by}: {reason}");
            transition.notify_task(NoticeLevel::Alert, "loop_blocked", id, text);
            self.set_state(transition.now, id, TaskState::Held(HoldReason::RejectLoop(times)));
        } else {
            let text = format!("{id} {label} → {back}, rejected by {by}: {reason}");
            transition.notify_task(NoticeLevel::Warning, "reject", id, text);
            self.edit(id, |task| task.not_before = Some(transition.now + cooldown));
        }
    }

    /// Returns the mode of a fix: on the task's branch if the stage works on one; else the stage begins again.
    pub(super) fn remediation_mode(&self, task: &Task, stage: &StageId) -> AttemptMode {
        let target = self.workflow_of(task).and_then(|flow| flow.stage(stage));
        match target.map(|stage| stage.workspace) {
            Some(Workspace::Branch) => AttemptMode::Remediate,
            _ => AttemptMode::Fresh,
        }
    }

    /// Ends a task's own efforts as its workflow says: held for a person, or failed; the task says why (K28, K43).
    pub(super) fn give_up(&mut self, transition: &mut Transition, id: &TaskId, hold: HoldReason) {
        let Some(task) = self.task(id) else { return };
        let policy = self.workflow_of(&task).map(|flow| flow.exhausted);
        let why = task.hold_text(&hold);
        let text = format!("{why}; look at what went wrong in {}, then retry it", task.stage);
        self.comment(transition.now, id, ENGINE, text);
        let state = match policy {
            Some(ExhaustionPolicy::Hold) | None => TaskState::Held(hold),
            Some(ExhaustionPolicy::Fail) => TaskState::Failed(why),
        };
        self.set_state(transition.now, id, state);
    }
}

/// Returns the target of the first edge whose tag the task carries.
fn next_stage(stage: &Stage, task: &Task) -> Option<StageId> {
    let open = |tag: &Option<String>| tag.as_ref().is_none_or(|tag| task.tags.contains(tag));
    let edge = stage.success.iter().find(|edge| open(&edge.when));
    edge.map(|edge| edge.to.clone())
}
