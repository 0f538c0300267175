//! Evidence: Unknown delays, No fails, only Yes advances. Evidence that is missing from the answer is Unknown.

use std::sync::Arc;

use super::Board;
use super::retry::{AttemptFailure, MOST_TRIES};
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptMode, AttemptState, Verdict};
use crate::cause::{Cause, TroubleKind};
use crate::effect::NoticeLevel;
use crate::event::Event;
use crate::evidence::Evidence;
use crate::failure::FailureClass;
use crate::id::{AttemptId, TaskId};
use crate::integration::Integration;
use crate::task::{HoldReason, MergeCheck, Task, TaskState};
use crate::time::Timestamp;
use crate::tri::Tri;
use crate::workflow::EvidenceKind;

/// Conclusion from all required evidence of an attempt taken together.
pub(super) enum EvidenceSummary {
    Passed,
    /// At least one piece is missing or Unknown; the text says which.
    Incomplete(Cause),
    /// No piece is open and at least one is No.
    Failed(Vec<(EvidenceKind, String)>),
}

/// Evidence and other results that the engine collected after an attempt.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Collected<'a> {
    pub(super) evidence: &'a [Evidence],
    pub(super) head: Option<&'a str>,
    /// Changes of an agent that merged in place of the engine.
    pub(super) integration: Option<&'a Integration>,
}

impl Collected<'_> {
    /// Takes the results from an [`Event::Verified`]; any other event has none.
    pub(super) fn of(event: &Event) -> Collected<'_> {
        match event {
            Event::Verified {
                evidence,
                head,
                integration,
                ..
            } => Collected {
                evidence,
                head: head.as_deref(),
                integration: integration.as_deref(),
            },
            _ => Collected::default(),
        }
    }
}

impl Board {
    /// Handles the engine's look at an attempt that reported done; any other event changes nothing.
    pub(super) fn verification_event(&mut self, transition: &mut Transition, event: &Event) {
        match event {
            Event::Verified { attempt, .. } => self.verified(transition, *attempt, &Collected::of(event)),
            Event::GitChanged { attempt, changes } => self.git_changed(transition, *attempt, changes),
            _ => {}
        }
    }

    /// Judges the evidence collected for an attempt that reported done. Nothing is concluded while its stage is not known (K19).
    pub(super) fn verified(&mut self, transition: &mut Transition, id: AttemptId, seen: &Collected<'_>) {
        let Some(attempt) = self.attempt(id) else { return };
        if attempt.state != AttemptState::Verifying {
            return;
        }
        if self.stage_of_attempt(&attempt).is_none() {
            let why = Cause::from("its workflow is not loaded, or lacks the stage");
            return self.retry_evidence(transition, &attempt, &why);
        }
        let mut evidence = self.with_missing(&attempt, seen.evidence);
        if self.was_red_before(&attempt.task) {
            count_red_gates(&mut evidence);
        }
        let judgement = summarize(&evidence);
        if !matches!(judgement, EvidenceSummary::Incomplete(_)) {
            self.tell_differences(transition.now, &attempt, &evidence);
            self.tell_edited_settings(transition.now, &attempt);
        }
        self.edit_attempt(id, |attempt| attempt.evidence = evidence);
        match judgement {
            EvidenceSummary::Incomplete(what) => self.retry_evidence(transition, &attempt, &what),
            EvidenceSummary::Failed(noes) => {
                let found = self
                    .attempt(id)
                    .map(|attempt| attempt.evidence.clone())
                    .unwrap_or_default();
                self.evidence_denied(transition, &attempt, &found, &noes, seen.head);
            }
            EvidenceSummary::Passed => match seen.integration {
                Some(found) => self.merge_to_review(transition, &attempt, found),
                None => self.passed(transition, &attempt, seen.head),
            },
        }
    }

    /// Comments once on the task about settings it is judged by that were not brought into force by a person's command.
    pub(super) fn tell_edited_settings(&mut self, now: Timestamp, attempt: &Attempt) {
        if self.settings.edited.is_empty() {
            return;
        }
        let keys: Vec<&str> = self.settings.edited.iter().map(String::as_str).collect();
        let text = format!(
            "judged by settings that an edited file brought into force while the server ran: {}",
            keys.join(", ")
        );
        let is_said = |task: &Arc<Task>| task.comments.iter().any(|comment| comment.text == text);
        if !self.tasks.get(&attempt.task).is_some_and(is_said) {
            self.comment(now, &attempt.task, ENGINE, text);
        }
    }

    /// Holds a task whose repository got something that could make git show a reader other work than is merged. A person may have made the
    /// change, so a person decides.
    fn git_changed(&mut self, transition: &mut Transition, id: AttemptId, changes: &[String]) {
        let Some(attempt) = self.attempt(id) else { return };
        if attempt.state != AttemptState::Verifying {
            return;
        }
        let task = &attempt.task;
        let why = format!(
            "while {} was at work, git got {}; revert each that is not yours, then retry",
            attempt.worker.name(),
            changes.join("; ")
        );
        let verdict = Verdict::Failed(FailureClass::Protocol, why.as_str().into());
        self.settle(transition, id, verdict);
        self.comment(transition.now, task, ENGINE, why.clone());
        let text = format!("{task} held: {why}");
        transition.notify_attempt(NoticeLevel::Alert, "git_changed", &attempt, text);
        self.set_state(transition.now, task, TaskState::Held(HoldReason::GitChanged(why)));
    }

    /// Returns the evidence the engine has to look for; evidence that the board knows itself is skipped.
    pub(super) fn evidence_to_collect(&self, attempt: &Attempt) -> Vec<EvidenceKind> {
        let mut kinds = self.required_evidence(attempt);
        kinds.retain(|kind| self.known_evidence(attempt, kind).is_none());
        kinds
    }

    /// Returns the evidence that must be Yes before the attempt has succeeded.
    pub(super) fn required_evidence(&self, attempt: &Attempt) -> Vec<EvidenceKind> {
        let task = self.tasks.get(&attempt.task);
        match (task, self.stage_of_attempt(attempt)) {
            (Some(task), Some(stage)) => {
                let mut kinds = self.evidence_for(task, stage, attempt.mode);
                // A tool whose end is its report runs no commands, so that it cannot commit either.
                let is_unreported = attempt.state == AttemptState::Verifying
                    && attempt.worker.role().is_some()
                    && !attempt.signals.iter().any(|signal| signal.kind.is_terminal());
                if is_unreported && self.commits_for(&task.id) && !kinds.contains(&EvidenceKind::Committed) {
                    kinds.insert(0, EvidenceKind::Committed);
                }
                kinds
            }
            (Some(_) | None, None) | (None, Some(_)) => Vec::new(),
        }
    }

    /// Returns every required piece of evidence with its outcome, in the order of the stage.
    pub(super) fn with_missing(&self, attempt: &Attempt, seen: &[Evidence]) -> Vec<Evidence> {
        let required = self.required_evidence(attempt).into_iter();
        required
            .map(|kind| {
                let known = self.known_evidence(attempt, &kind);
                let found = || seen.iter().find(|evidence| evidence.kind == kind).cloned();
                known
                    .or_else(found)
                    .unwrap_or_else(|| Evidence::new(kind, Tri::Unknown("was not looked at".into())))
            })
            .collect()
    }

    fn retry_evidence(&mut self, transition: &mut Transition, attempt: &Attempt, what: &Cause) {
        if attempt.checks >= MOST_TRIES || what.kind == TroubleKind::Gates {
            return self.hold_unverified(transition, attempt, what);
        }
        let wait = self.wait_for_evidence(attempt.checks);
        self.edit_attempt(attempt.id, |attempt| {
            attempt.awaited = None;
            attempt.deadline = Some(transition.now + wait);
        });
        // Reported at the first look, and then at every fifth.
        if attempt.checks % 5 == 1 {
            let text = format!("could not verify {} yet: {what}", attempt.task);
            transition.notify_attempt(NoticeLevel::Warning, "unknown", attempt, text);
        }
    }

    /// Gives the place back and leaves the rest to a person. The work is kept, and nothing is counted against the task.
    fn hold_unverified(&mut self, transition: &mut Transition, attempt: &Attempt, what: &Cause) {
        let task = &attempt.task;
        let checks = attempt.checks;
        let text = match what.kind {
            TroubleKind::Gates => format!("{task} could not be verified: {what}"),
            _ => format!("{task} could not be verified in {checks} tries: {what}"),
        };
        self.settle(
            transition,
            attempt.id,
            Verdict::Failed(FailureClass::Infra, what.kind.cause(text.as_str())),
        );
        self.refund_attempt(attempt);
        self.edit(task, |task| task.next_mode = attempt.mode);
        self.comment(transition.now, task, ENGINE, text.clone());
        let hold = HoldReason::Unverified(what.to_string());
        self.set_state(transition.now, task, TaskState::Held(hold));
        transition.notify_attempt(NoticeLevel::Alert, "block", attempt, text);
    }

    /// Returns true if a person knows already that gates fail without the work of a task.
    fn was_red_before(&self, task: &TaskId) -> bool {
        let is_red = |attempt: &Arc<Attempt>| {
            attempt.task == *task
                && matches!(&attempt.state, AttemptState::Settled(Verdict::Failed(_, why)) if why.kind == TroubleKind::Gates)
        };
        self.attempts.values().any(is_red)
    }

    pub(super) fn mode_after(&self, attempt: &Attempt, class: FailureClass) -> AttemptMode {
        let Some(task) = self.tasks.get(&attempt.task) else {
            return AttemptMode::Fresh;
        };
        match (attempt.mode, class) {
            (AttemptMode::Fallback, _) => AttemptMode::Fallback,
            (AttemptMode::Fresh | AttemptMode::Remediate, FailureClass::Gate) => {
                self.remediation_mode(task, &attempt.stage)
            }
            (AttemptMode::Fresh | AttemptMode::Remediate, _) => AttemptMode::Fresh,
        }
    }

    pub(super) fn passed(&mut self, transition: &mut Transition, attempt: &Attempt, head: Option<&str>) {
        if let Some(head) = head {
            self.edit(&attempt.task, |task| {
                if task.head.as_deref() != Some(head) {
                    task.head = Some(head.to_owned());
                    task.merged = None;
                    task.merge_check = MergeCheck::default();
                    task.handover = None;
                }
            });
        }
        // An agent that merged instead of the engine has proved it; tasks that wait for the merge of this head may continue.
        if self.required_evidence(attempt).contains(&EvidenceKind::Merged) {
            self.edit(&attempt.task, |task| task.merged.clone_from(&task.head));
            self.note_checks(transition, attempt, MergeCheck::Checked);
            self.deliver(transition, &attempt.task);
        }
        self.settle(transition, attempt.id, Verdict::Passed);
        self.infra_failures = 0;
        match attempt.mode {
            AttemptMode::Fresh | AttemptMode::Remediate => self.advance(transition, &attempt.task, ""),
            // The engine's action has the last word in this stage: it runs again on the fixed work.
            AttemptMode::Fallback => {
                self.enter_stage(transition.now, &attempt.task, &attempt.stage, AttemptMode::Fresh);
                let name = attempt.worker.name();
                let text = format!("{name} fixed {}; {} is tried again", attempt.task, attempt.stage);
                transition.notify_attempt(NoticeLevel::Success, "mended", attempt, text);
            }
        }
    }
}

/// Lets gates that fail without the work count like any other: a person knew of them and continued.
fn count_red_gates(evidence: &mut [Evidence]) {
    for piece in evidence {
        if let Tri::Unknown(why) = &piece.outcome
            && why.kind == TroubleKind::Gates
        {
            piece.outcome = Tri::No(why.text.clone());
        }
    }
}

/// Judges all evidence together. No evidence at all proves nothing.
pub(super) fn summarize(evidence: &[Evidence]) -> EvidenceSummary {
    let mut noes = Vec::new();
    for piece in evidence {
        match &piece.outcome {
            Tri::Yes => {}
            Tri::No(why) => noes.push((piece.kind.clone(), why.clone())),
            Tri::Unknown(why) => return EvidenceSummary::Incomplete(why.clone()),
        }
    }
    if evidence.is_empty() {
        let why = "its workflow names no evidence for this stage".to_owned();
        return EvidenceSummary::Failed(vec![(EvidenceKind::Gates, why)]);
    }
    if noes.is_empty() {
        EvidenceSummary::Passed
    } else {
        EvidenceSummary::Failed(noes)
    }
}

/// Returns the finding that the next attempt should know of.
pub(super) fn finding_text(noes: &[(EvidenceKind, String)]) -> String {
    let mut texts: Vec<&str> = noes.iter().map(|(_, why)| why.as_str()).collect();
    texts.dedup();
    texts.join("\n")
}

pub(super) fn evidence_failure(attempt: &Attempt, noes: &[(EvidenceKind, String)]) -> AttemptFailure {
    let has = |kind: &EvidenceKind| noes.iter().any(|(no, _)| no == kind);
    let class = if has(&EvidenceKind::CommitsAhead) {
        FailureClass::Empty
    } else if has(&EvidenceKind::WorkspaceUnchanged) {
        FailureClass::Protocol
    } else {
        FailureClass::Gate
    };
    let why = format!("reported done, but {}", finding_text(noes));
    AttemptFailure::retry_same(class, why, attempt.mode)
}
