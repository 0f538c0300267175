//! Results of engine actions: the engine itself has merged, committed or verified. A conflict or a failing gate calls the stage's fallback
//! agent; everything that could not be found out is tried again later.

use super::Board;
use super::retry::AttemptFailure;
use super::rows::ENGINE;
use super::transition::Transition;
use super::verification::{EvidenceSummary, finding_text, summarize};
use crate::attempt::{Attempt, AttemptMode, AttemptState, StopCause, Verdict, Worker};
use crate::cause::TroubleKind;
use crate::effect::NoticeLevel;
use crate::event::ActionOutcome;
use crate::evidence::{ComplianceIssue, Evidence, RemediationStrategy};
use crate::failure::FailureClass;
use crate::id::{AttemptId, StageId};
use crate::task::{HoldReason, Task, TaskState};

use crate::task::MergeCheck;
use crate::tri::Tri;
use crate::workflow::{EngineAction, FindingPolicy, RejectTo};

/// Commit that an action made or found.
#[derive(Clone, Copy)]
struct Made<'a> {
    commit: &'a str,
    check: MergeCheck,
}

impl Board {
    /// Handles the end of an engine action.
    pub(super) fn action_ended(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        outcome: &ActionOutcome,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let Worker::Engine(action) = attempt.worker else {
            return;
        };
        match attempt.state {
            AttemptState::Running if !self.is_void(&attempt) => {}
            AttemptState::Starting | AttemptState::Running | AttemptState::Stopping(_) => {
                self.record_late_result(transition, &attempt, action, outcome);
                self.settle_stopped(transition, id, StopCause::Cancelled);
                return;
            }
            AttemptState::Verifying | AttemptState::Settled(_) => return,
        }
        if self.stage_of_attempt(&attempt).is_none() {
            self.record_late_result(transition, &attempt, action, outcome);
            let why = "could not be judged: its workflow is not loaded, or lacks the stage";
            self.fail_same(transition, &attempt, FailureClass::Infra, why);
            return;
        }
        match outcome {
            ActionOutcome::Done {
                commit,
                evidence,
                check,
            } => {
                let made = commit.as_deref().map(|commit| Made {
                    commit,
                    check: *check,
                });
                self.action_done(transition, &attempt, made, evidence);
            }
            ActionOutcome::HandedOver { branch, evidence } => {
                self.handed_over(transition, &attempt, branch, evidence);
            }
            ActionOutcome::Failed(why) => self.fail_action(transition, &attempt, why),
            ActionOutcome::Unreviewed(found) => self.integration_found(transition, &attempt, found),
            ActionOutcome::Refused(why) => {
                let kind = if self.was_refused_so(&attempt, why) {
                    TroubleKind::Base
                } else {
                    TroubleKind::Refusal
                };
                let why = kind.cause(why.as_str());
                self.fail_same(transition, &attempt, FailureClass::Infra, why);
            }
            ActionOutcome::Issues(issues) => self.assess_issues(transition, &attempt, issues),
            ActionOutcome::Unknown(why) if matches!(why.kind, TroubleKind::Base | TroubleKind::Gates) => {
                self.fail_same(transition, &attempt, FailureClass::Infra, why.clone());
            }
            ActionOutcome::Unknown(why) => {
                let why = why.clone().after("could not finish: ");
                self.fail_same(transition, &attempt, FailureClass::Infra, why);
            }
        }
    }

    /// Returns true if the merge of another task into the same base was refused in the same words: then it is not about the work.
    fn was_refused_so(&self, attempt: &Attempt, why: &str) -> bool {
        let base = |task: &Task| self.base_of(task).map(str::to_owned);
        let own = self.tasks.get(&attempt.task).and_then(|task| base(task));
        self.tasks.values().any(|other| {
            let is_same = matches!(&other.state, TaskState::Held(HoldReason::Refused(said)) if said == why);
            is_same && other.id != attempt.task && other.stage == attempt.stage && base(other) == own
        })
    }

    fn action_done(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        made: Option<Made<'_>>,
        seen: &[Evidence],
    ) {
        let evidence = self.with_missing(attempt, seen);
        let judgement = summarize(&evidence);
        self.edit_attempt(attempt.id, |attempt| attempt.evidence = evidence);
        match judgement {
            EvidenceSummary::Incomplete(what) => {
                let why = what.after("could not be verified: ");
                self.fail_same(transition, attempt, FailureClass::Infra, why);
            }
            EvidenceSummary::Failed(noes) => self.fail_action(transition, attempt, &finding_text(&noes)),
            EvidenceSummary::Passed => self.action_passed(transition, attempt, made),
        }
    }

    fn action_passed(&mut self, transition: &mut Transition, attempt: &Attempt, made: Option<Made<'_>>) {
        if let (Worker::Engine(action), Some(made)) = (&attempt.worker, made) {
            self.record_commit(transition, attempt, *action, made);
        }
        self.settle(transition, attempt.id, Verdict::Passed);
        self.infra_failures = 0;
        self.advance(transition, &attempt.task, "");
    }

    /// Records the commit of an action that came too late to count: it was made, even if nothing waits for it any more.
    fn record_late_result(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        action: EngineAction,
        outcome: &ActionOutcome,
    ) {
        if let ActionOutcome::Done {
            commit: Some(commit),
            evidence,
            check,
        } = outcome
            && matches!(
                summarize(&self.with_missing(attempt, evidence)),
                EvidenceSummary::Passed
            )
        {
            let check = *check;
            self.record_commit(transition, attempt, action, Made { commit, check });
        }
    }

    fn record_commit(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        action: EngineAction,
        made: Made<'_>,
    ) {
        self.edit(&attempt.task, |task| match action {
            EngineAction::Merge => task.merged = Some(made.commit.to_owned()),
            EngineAction::Commit => task.head = Some(made.commit.to_owned()),
            EngineAction::Verify => {}
        });
        if action == EngineAction::Merge {
            self.note_checks(transition, attempt, made.check);
            self.deliver(transition, &attempt.task);
        }
    }

    /// Records the check of the tree that was merged at the stage of the attempt, and tells people if no gate applied or none was run.
    pub(super) fn note_checks(&mut self, transition: &mut Transition, attempt: &Attempt, seen: MergeCheck) {
        let Some((task, stage)) = self.tasks.get(&attempt.task).zip(self.stage_of_attempt(attempt)) else {
            return;
        };
        let check = if self.settings.gates_of(task, stage).is_empty() {
            MergeCheck::Unchecked
        } else {
            seen
        };
        self.edit(&attempt.task, |task| task.merge_check = check);
        let id = &attempt.task;
        let text = match check {
            MergeCheck::Checked => None,
            MergeCheck::Unchecked => Some("no gate applied to the merged tree"),
            MergeCheck::ByOthers => Some("its base had the work already, by another hand"),
        };
        if let Some(text) = text {
            let text = format!("{id} is merged unchecked: {text}");
            transition.notify_attempt(NoticeLevel::Info, "unchecked", attempt, text);
        }
    }

    /// Calls the fallback agent if the stage has one, else sends the work to be fixed.
    pub(super) fn fail_action(&mut self, transition: &mut Transition, attempt: &Attempt, why: &str) {
        let Some(stage) = self.stage_of_attempt(attempt) else {
            return;
        };
        let has_fallback = stage.fallback.is_some();
        let name = attempt.worker.name();
        self.comment(
            transition.now,
            &attempt.task,
            ENGINE,
            format!("{name} failed: {why}"),
        );
        self.edit(&attempt.task, |task| task.finding = Some(why.to_owned()));
        let failure = AttemptFailure::retry_same(
            FailureClass::Gate,
            format!("failed: {why}"),
            AttemptMode::Fallback,
        );
        if has_fallback {
            self.fail(transition, attempt.id, &failure);
        } else {
            self.send_to_remediation(transition, attempt, failure, RemediationStrategy::Fix);
        }
    }

    /// Weighs the findings of a check by the seed's table (P38).
    fn assess_issues(&mut self, transition: &mut Transition, attempt: &Attempt, issues: &[ComplianceIssue]) {
        let texts: Vec<&str> = issues.iter().map(|issue| issue.text.as_str()).collect();
        let found = texts.join("\n");
        let verdict = self.strategy_for(issues);
        let is_enough = matches!(verdict, RemediationStrategy::Accept | RemediationStrategy::Warn);
        if !is_enough && self.asks_about_findings(attempt) {
            return self.hold_findings(transition, attempt, issues, &found, None);
        }
        if verdict != RemediationStrategy::Accept {
            self.comment(
                transition.now,
                &attempt.task,
                ENGINE,
                format!("checks found:\n{found}"),
            );
        }
        if is_enough {
            if verdict == RemediationStrategy::Warn {
                let text = format!("{} passed with warnings: {found}", attempt.task);
                transition.notify_attempt(NoticeLevel::Warning, "warnings", attempt, text);
            }
            // The action looked at everything its stage asks for, and these findings are all.
            let required = self.required_evidence(attempt).into_iter();
            let evidence = required.map(|kind| Evidence::new(kind, Tri::Yes));
            let evidence: Vec<Evidence> = evidence.collect();
            return self.action_done(transition, attempt, None, &evidence);
        }
        self.edit(&attempt.task, |task| task.finding = Some(found.clone()));
        let why = format!("found: {found}");
        let failure = AttemptFailure::retry_same(FailureClass::Gate, why, AttemptMode::Fresh);
        self.send_to_remediation(transition, attempt, failure, verdict);
    }

    fn asks_about_findings(&self, attempt: &Attempt) -> bool {
        let stage = self.stage_of_attempt(attempt);
        stage.is_some_and(|stage| stage.findings == FindingPolicy::Ask)
    }

    fn send_to_remediation(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        failure: AttemptFailure,
        strategy: RemediationStrategy,
    ) {
        let target = self.remediation_stage(attempt);
        let task = self.task(&attempt.task);
        let stage = target.as_ref().unwrap_or(&attempt.stage);
        let mode = match (strategy, task) {
            (RemediationStrategy::Fix | RemediationStrategy::Warn | RemediationStrategy::Accept, Some(_))
                if target.is_some() =>
            {
                AttemptMode::Remediate
            }
            (
                RemediationStrategy::Fix | RemediationStrategy::Warn | RemediationStrategy::Accept,
                Some(task),
            ) => self.remediation_mode(&task, stage),
            (RemediationStrategy::Retry, _) | (_, None) => AttemptMode::Fresh,
        };
        let failure = AttemptFailure {
            mode,
            stage: target,
            ..failure
        };
        self.fail(transition, attempt.id, &failure);
    }

    fn remediation_stage(&self, attempt: &Attempt) -> Option<StageId> {
        match &self.stage_of_attempt(attempt)?.reject {
            RejectTo::Stage(to) => Some(to.clone()),
            RejectTo::Hold | RejectTo::Never => None,
        }
    }
}
