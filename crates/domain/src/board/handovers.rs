//! Work that is left on its pushed branch: its task is done and not merged, its branch stays, and the base is looked at until it has the
//! work.

use super::Board;
use super::deliveries::wait_before;
use super::transition::Transition;
use super::verification::{EvidenceSummary, finding_text, summarize};
use crate::attempt::{Attempt, Verdict};
use crate::effect::{Effect, NoticeLevel};
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

    /// Records that the base has work which was left on its branch.
    pub(super) fn merge_seen(&mut self, transition: &mut Transition, id: &TaskId, commit: Option<&str>) {
        let is_awaited = self
            .tasks
            .get(id)
            .is_some_and(|task| task.handed_over_on().is_some());
        let Some(commit) = commit.filter(|_| is_awaited) else {
            return;
        };
        self.edit(id, |task| {
            task.merged = Some(commit.to_owned());
            // No gate of the engine has seen the tree that others merged.
            task.merge_check = MergeCheck::Unchecked;
            task.handover = None;
        });
        let text = format!("{id} was merged by another hand: its base has the work at {commit}");
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
