//! Work that is left on its pushed branch: its task is done and not merged, its branch stays, and the base is looked at until it has the
//! work.

use super::Board;
use super::commands::{accepted, refuse};
use super::deliveries::wait_before;
use super::transition::Transition;
use super::verification::{EvidenceSummary, finding_text, summarize};
use crate::attempt::{Attempt, Verdict};
use crate::effect::{CommandReply, Effect, NoticeLevel};
use crate::evidence::Evidence;
use crate::failure::FailureClass;
use crate::id::TaskId;
use crate::merging::Handover;
use crate::task::MergeCheck;
use crate::time::Timestamp;
use crate::tri::Tri;
use crate::workflow::EvidenceKind;

impl Board {
    /// Ends a merge that stops at the branch.
    pub(super) fn handed_over(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        branch: &str,
        evidence: &[Evidence],
    ) {
        let mut evidence = self.with_missing(attempt, evidence);
        for piece in evidence
            .iter_mut()
            .filter(|piece| piece.kind == EvidenceKind::Merged)
        {
            // The merge is left to others; what was proved is the push of the branch.
            *piece = Evidence::new(EvidenceKind::Pushed, Tri::Yes);
        }
        let summary = summarize(&evidence);
        self.edit_attempt(attempt.id, |attempt| attempt.evidence = evidence);
        match summary {
            EvidenceSummary::Passed => self.leave_on_branch(transition, attempt, branch),
            EvidenceSummary::Incomplete(what) => {
                let why = what.after("could not be verified: ");
                self.fail_same(transition, attempt, FailureClass::Infra, why);
            }
            EvidenceSummary::Failed(noes) => self.fail_action(transition, attempt, &finding_text(&noes)),
        }
    }

    fn leave_on_branch(&mut self, transition: &mut Transition, attempt: &Attempt, branch: &str) {
        let handover = Handover {
            branch: branch.to_owned(),
            at: transition.now + wait_before(0),
            n_looks: 0,
            said_by: None,
        };
        let id = &attempt.task;
        self.edit(id, |task| task.handover = Some(Box::new(handover)));
        let base = self.tasks.get(id).and_then(|task| self.base_of(task));
        let base = base.unwrap_or("its base").to_owned();
        let text = format!("{id} is left on {branch}, which is pushed and not merged into {base}");
        transition.notify_attempt(NoticeLevel::Success, "handed_over", attempt, text);
        self.settle(transition, attempt.id, Verdict::Passed);
        self.infra_failures = 0;
        self.advance(transition, id, "");
    }

    /// Notes that a person says the base has the work of a task; its commit is asked for.
    pub(super) fn said_merged(&mut self, transition: &mut Transition, by: &str, id: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        if task.handed_over_on().is_none() {
            refuse!(
                "{id} was not left on its branch for others to merge, or is merged already: `dbs why {id}`"
            );
        }
        let at = transition.now + wait_before(0);
        self.edit(id, |task| {
            if let Some(handover) = &mut task.handover {
                handover.said_by = Some(by.to_owned());
                (handover.at, handover.n_looks) = (at, 0);
            }
        });
        transition.emit(Effect::Deliver(id.clone()));
        Ok(accepted(format!(
            "noted: {id} is merged, once its base says at which commit"
        )))
    }

    /// Records that the base has work which was left on its branch.
    pub(super) fn merge_seen(&mut self, transition: &mut Transition, id: &TaskId, commit: Option<&str>) {
        let task = self.tasks.get(id).filter(|task| task.handed_over_on().is_some());
        let Some((handover, commit)) = task.and_then(|task| task.handover.clone()).zip(commit) else {
            return;
        };
        self.edit(id, |task| {
            task.merged = Some(commit.to_owned());
            task.merge_check = MergeCheck::ByOthers;
            task.handover = None;
        });
        let text = match handover.said_by {
            Some(by) => format!("{by} said that {id} is merged: its base is at {commit}"),
            None => format!("{id} was merged outside dbs: its base has the work at {commit}"),
        };
        transition.notify_task(NoticeLevel::Success, "merge", id, text);
        self.deliver(transition, id);
        self.retire_if_unused(transition, id);
    }

    /// Asks again about bases whose next look is due.
    pub(super) fn look_for_merges(&mut self, transition: &mut Transition) {
        let now = transition.now;
        let all = self.index.handed_over.iter();
        let due = all.filter(|id| self.next_look(id).is_some_and(|at| at <= now));
        for id in due.cloned().collect::<Vec<_>>() {
            self.edit(&id, |task| {
                if let Some(handover) = &mut task.handover {
                    handover.n_looks = handover.n_looks.saturating_add(1);
                    handover.at = now + wait_before(handover.n_looks);
                }
            });
            transition.emit(Effect::Deliver(id));
        }
    }

    /// Returns the time of the next look at the base of a task.
    pub(super) fn next_look(&self, id: &TaskId) -> Option<Timestamp> {
        self.tasks
            .get(id)?
            .handover
            .as_deref()
            .map(|handover| handover.at)
    }
}
