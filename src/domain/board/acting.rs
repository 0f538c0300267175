//! Engine actions: what follows when the engine itself has merged, committed or verified. A conflict or a failing gate calls
//! the stage's fallback agent; everything that could not be found out is tried again later (design 5.8).

use super::Board;
use super::retrying::Failure;
use super::rows::ENGINE;
use super::step::Step;
use super::verifying::{Judgement, finding, judge};
use crate::domain::attempt::{Attempt, AttemptMode, AttemptState, StopCause, Verdict, Worker};
use crate::domain::effect::Level;
use crate::domain::event::ActionOutcome;
use crate::domain::evidence::{Evidence, Issue, Strategy, strategy};
use crate::domain::failure::FailureClass;
use crate::domain::id::{AttemptId, StageId};

use crate::domain::tri::Tri;
use crate::domain::workflow::{Action, RejectTo};

impl Board {
    /// An engine action has ended.
    pub(super) fn action_ended(&mut self, step: &mut Step, id: AttemptId, outcome: &ActionOutcome) {
        let Some(attempt) = self.attempt(id) else { return };
        let Worker::Engine(action) = attempt.worker else {
            return;
        };
        match attempt.state {
            AttemptState::Running if !self.is_void(&attempt) => {}
            AttemptState::Starting | AttemptState::Running | AttemptState::Stopping(_) => {
                self.keep_fact(&attempt, action, outcome);
                self.settle_stopped(step, id, StopCause::Cancelled);
                return;
            }
            AttemptState::Verifying | AttemptState::Settled(_) => return,
        }
        if self.stage_of_attempt(&attempt).is_none() {
            self.keep_fact(&attempt, action, outcome);
            let why = "could not be judged: its workflow is not loaded, or lacks the stage";
            self.fail(step, id, &Failure::again(FailureClass::Infra, why, attempt.mode));
            return;
        }
        match outcome {
            ActionOutcome::Done { commit, evidence } => {
                self.action_done(step, &attempt, commit.as_deref(), evidence);
            }
            ActionOutcome::Failed(why) => self.action_failed(step, &attempt, why),
            ActionOutcome::Issues(issues) => self.weigh(step, &attempt, issues),
            ActionOutcome::Unknown(why) => {
                let why = format!("could not finish: {why}");
                self.fail(step, id, &Failure::again(FailureClass::Infra, why, attempt.mode));
            }
        }
    }

    fn action_done(&mut self, step: &mut Step, attempt: &Attempt, commit: Option<&str>, seen: &[Evidence]) {
        let evidence = self.completed(attempt, seen);
        let judgement = judge(&evidence);
        self.edit_attempt(attempt.id, |attempt| attempt.evidence = evidence);
        match judgement {
            Judgement::Open(what) => {
                let why = format!("could not be verified: {what}");
                self.fail(
                    step,
                    attempt.id,
                    &Failure::again(FailureClass::Infra, why, attempt.mode),
                );
            }
            Judgement::Refuted(noes) => self.action_failed(step, attempt, &finding(&noes)),
            Judgement::Proved => self.action_passed(step, attempt, commit),
        }
    }

    fn action_passed(&mut self, step: &mut Step, attempt: &Attempt, commit: Option<&str>) {
        if let (Worker::Engine(action), Some(commit)) = (&attempt.worker, commit) {
            self.record(attempt, *action, commit);
        }
        self.settle(step, attempt.id, Verdict::Passed);
        self.infra_failures = 0;
        self.advance(step, &attempt.task);
    }

    /// What was done is a fact even when nobody wants it any more.
    fn keep_fact(&mut self, attempt: &Attempt, action: Action, outcome: &ActionOutcome) {
        if let ActionOutcome::Done {
            commit: Some(commit),
            evidence,
        } = outcome
            && matches!(judge(&self.completed(attempt, evidence)), Judgement::Proved)
        {
            self.record(attempt, action, commit);
        }
    }

    fn record(&mut self, attempt: &Attempt, action: Action, commit: &str) {
        self.edit(&attempt.task, |task| match action {
            Action::Merge => task.merged = Some(commit.to_owned()),
            Action::Commit => task.head = Some(commit.to_owned()),
            Action::Verify => {}
        });
    }

    /// Calls the fallback agent where the stage has one, else sends the work to be mended.
    fn action_failed(&mut self, step: &mut Step, attempt: &Attempt, why: &str) {
        let Some(stage) = self.stage_of_attempt(attempt) else {
            return;
        };
        let has_fallback = stage.fallback.is_some();
        let name = attempt.worker.name();
        self.comment(step.now, &attempt.task, ENGINE, format!("{name} failed: {why}"));
        self.edit(&attempt.task, |task| task.finding = Some(why.to_owned()));
        let failure = Failure::again(
            FailureClass::Gate,
            format!("failed: {why}"),
            AttemptMode::Fallback,
        );
        if has_fallback {
            self.fail(step, attempt.id, &failure);
        } else {
            self.send_to_mend(step, attempt, failure, Strategy::Fix);
        }
    }

    /// Findings of a check, by the seed's table (P38).
    fn weigh(&mut self, step: &mut Step, attempt: &Attempt, issues: &[Issue]) {
        let texts: Vec<&str> = issues.iter().map(|issue| issue.text.as_str()).collect();
        let found = texts.join("\n");
        let verdict = strategy(issues);
        if verdict != Strategy::Accept {
            self.comment(step.now, &attempt.task, ENGINE, format!("checks found:\n{found}"));
        }
        match verdict {
            Strategy::Accept | Strategy::Warn => {
                if verdict == Strategy::Warn {
                    let text = format!("{} goes on with warnings: {found}", attempt.task);
                    step.report(Level::Warning, "warnings", attempt, text);
                }
                // The action looked at everything its stage asks for and this is all it found.
                let evidence = self.required(attempt).into_iter().map(|kind| Evidence {
                    kind,
                    outcome: Tri::Yes,
                });
                let evidence: Vec<Evidence> = evidence.collect();
                self.action_done(step, attempt, None, &evidence);
            }
            Strategy::Fix | Strategy::Retry => {
                self.edit(&attempt.task, |task| task.finding = Some(found.clone()));
                let why = format!("found: {found}");
                let failure = Failure::again(FailureClass::Gate, why, AttemptMode::Fresh);
                self.send_to_mend(step, attempt, failure, verdict);
            }
        }
    }

    fn send_to_mend(&mut self, step: &mut Step, attempt: &Attempt, failure: Failure, strategy: Strategy) {
        let target = self.mending_stage(attempt);
        let task = self.task(&attempt.task);
        let stage = target.as_ref().unwrap_or(&attempt.stage);
        let mode = match (strategy, task) {
            (Strategy::Fix | Strategy::Warn | Strategy::Accept, Some(_)) if target.is_some() => {
                AttemptMode::Remediate
            }
            (Strategy::Fix | Strategy::Warn | Strategy::Accept, Some(task)) => {
                self.mode_for_mending(&task, stage)
            }
            (Strategy::Retry, _) | (_, None) => AttemptMode::Fresh,
        };
        let failure = Failure {
            mode,
            stage: target,
            ..failure
        };
        self.fail(step, attempt.id, &failure);
    }

    fn mending_stage(&self, attempt: &Attempt) -> Option<StageId> {
        match &self.stage_of_attempt(attempt)?.reject {
            RejectTo::Stage(to) => Some(to.clone()),
            RejectTo::Hold | RejectTo::Never => None,
        }
    }
}
