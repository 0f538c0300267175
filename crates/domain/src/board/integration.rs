//! Changes of an integrator beyond its conflict. They are merged only after a review: by the stage that reviews before the merge, or by a
//! person if a workflow has no such stage.

use super::Board;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptMode, Verdict};
use crate::effect::NoticeLevel;
use crate::id::{StageId, TaskId};
use crate::integration::Integration;
use crate::signal::SignalKind;
use crate::task::{HoldReason, Task, TaskState};
use crate::workflow::{Actor, FileAccess, Stage, Workflow, Workspace};

impl Board {
    /// Returns the first stage that reviews the work of a task before it comes to that stage; `None` if its workflow has none.
    pub fn review_before(&self, task: &Task, stage: &StageId) -> Option<&Stage> {
        let flow = self.workflow_of(task)?;
        let mut stages = flow.stages.iter();
        stages.find(|review| reviews(review) && leads_to(flow, review, stage, flow.stages.len()))
    }

    /// Sends changes of an integrator that the merge found to a review.
    pub(super) fn integration_found(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        integration: &Integration,
    ) {
        let id = &attempt.task;
        let Some(task) = self.task(id) else { return };
        let what = integration.summary();
        let review = self.review_before(&task, &attempt.stage);
        let review = review.map(|stage| (stage.id.clone(), stage.label.clone()));
        self.settle(transition, attempt.id, Verdict::Rejected(what.clone()));
        self.edit(id, |task| task.integration = Some(Box::new(integration.clone())));
        let Some((review, label)) = review else {
            return self.hold(transition, attempt, HoldReason::Unreviewed(what));
        };
        let from = self.stage_label(&task, &attempt.stage).to_owned();
        self.comment(
            transition.now,
            id,
            ENGINE,
            format!("not reviewed yet: {what}; {label} looks at that difference alone"),
        );
        self.enter_stage(transition.now, id, &review, AttemptMode::Fresh);
        let text = format!("{id} {from} → {label}: {what}");
        transition.notify_attempt(NoticeLevel::Warning, "unreviewed", attempt, text);
    }

    /// Sends the merge of an agent that merged for the engine, with changes of its own, to a review. It is in the base already.
    pub(super) fn merge_to_review(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        integration: &Integration,
    ) {
        self.edit(&attempt.task, |task| {
            task.head = Some(integration.head.clone());
            task.merged = Some(integration.head.clone());
        });
        self.deliver(transition, &attempt.task);
        self.integration_found(transition, attempt, integration);
    }

    /// Accepts the changes of an integrator for a person: they are merged without another look at them.
    pub(super) fn accept_integration(&mut self, transition: &mut Transition, by: &str, id: &TaskId) {
        self.edit(id, |task| {
            task.stage_head.clone_from(&task.head);
            task.integration = None;
        });
        let text = format!("{by} approved the changes by the integrator of {id}");
        transition.notify_task(NoticeLevel::Success, "approve", id, text);
        self.set_state(transition.now, id, TaskState::Released);
    }
}

/// Returns true if the actor of a stage judges the work and does not change it.
fn reviews(stage: &Stage) -> bool {
    match stage.actor {
        Actor::Human => true,
        Actor::Role(_) => {
            let only_reads = stage.workspace == Workspace::Head && stage.access == FileAccess::Read;
            only_reads && stage.signals.contains(&SignalKind::Reject)
        }
        Actor::Engine(_) => false,
    }
}

/// Returns true if success in a stage leads to another one through review stages only; at most `most` stages are looked through.
fn leads_to(flow: &Workflow, from: &Stage, to: &StageId, most: usize) -> bool {
    let reaches = |next: &StageId| {
        let next = flow.stage(next).filter(|next| most > 0 && reviews(next));
        next.is_some_and(|next| leads_to(flow, next, to, most - 1))
    };
    let mut edges = from.success.iter();
    edges.any(|edge| edge.to == *to || reaches(&edge.to))
}
