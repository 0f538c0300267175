//! Requirements of a task's plan for its agent besides the work: subagents, steps, notes, files. Deficiencies are weighed as its stage says
//! (P33–P38).

use super::Board;
use super::retry::AttemptFailure;
use super::rows::ENGINE;
use super::transition::Transition;
use super::verification::{evidence_failure, finding_text};
use crate::attempt::{Attempt, AttemptMode, Verdict};
use crate::effect::NoticeLevel;
use crate::evidence::{ComplianceIssue, Evidence, RemediationStrategy, Severity};
use crate::failure::FailureClass;
use crate::id::{AttemptId, TaskId};
use crate::plan_entry::{Claims, names_path};
use crate::signal::{Signal, SignalKind};
use crate::task::{HoldReason, MergeCheck, Task, TaskState};
use crate::time::Timestamp;
use crate::tri::Tri;
use crate::workflow::{EvidenceKind, FindingPolicy};

impl Board {
    /// Records a subagent that was seen at work for an attempt.
    pub(super) fn subagent_seen(&mut self, id: AttemptId, name: &str) {
        let Some(attempt) = self.attempt(id) else { return };
        let Some(task) = self.task(&attempt.task) else {
            return;
        };
        let is_news = task.plan.is_some() && !task.record.agents.contains(name);
        if is_news && attempt.state.is_open() {
            self.edit(&attempt.task, |task| {
                task.record.see_agent(name);
            });
        }
    }

    /// Records a step or the claims of a signal with the task, if the task comes from a plan. Warnings become a comment, which the agents of
    /// the tasks that wait for this one are given (P66).
    pub(super) fn record_claims(
        &mut self,
        now: Timestamp,
        attempt: &Attempt,
        signal: &Signal,
        claims: &Claims,
    ) {
        let is_planned = self
            .tasks
            .get(&attempt.task)
            .is_some_and(|task| task.plan.is_some());
        let is_step = signal.kind == SignalKind::Progress;
        if is_planned && (is_step || !claims.is_none()) {
            self.edit(&attempt.task, |task| {
                if is_step {
                    task.record.see_step(&signal.text);
                }
                task.record.see_claims(claims);
            });
        }
        if is_planned && !claims.warnings.is_empty() {
            let text = format!(
                "warnings for the next item of the plan:\n- {}",
                claims.warnings.join("\n- ")
            );
            self.comment(now, &attempt.task, attempt.worker.name(), text);
        }
    }

    /// Returns evidence that the board has itself; `None` for evidence that has to be looked for.
    pub(super) fn known_evidence(&self, attempt: &Attempt, kind: &EvidenceKind) -> Option<Evidence> {
        let task = self.tasks.get(&attempt.task)?;
        match kind {
            EvidenceKind::AgentsUsed => Some(Evidence::from_issues(kind.clone(), unused_agents(task))),
            EvidenceKind::StepsDone => Some(Evidence::from_issues(kind.clone(), missing_steps(task))),
            EvidenceKind::Approved if task.approved.as_ref() == Some(&attempt.stage) => {
                Some(Evidence::new(kind.clone(), Tri::Yes))
            }
            EvidenceKind::Approved => {
                let why = "no person has approved it".to_owned();
                Some(Evidence::new(kind.clone(), Tri::No(why)))
            }
            EvidenceKind::Committed
            | EvidenceKind::CommitsAhead
            | EvidenceKind::Pushed
            | EvidenceKind::Merged
            | EvidenceKind::WorkspaceUnchanged
            | EvidenceKind::Commented
            | EvidenceKind::Report(_)
            | EvidenceKind::Gates
            | EvidenceKind::Notes
            | EvidenceKind::Protected
            | EvidenceKind::ListedFiles
            | EvidenceKind::GateFails(_)
            | EvidenceKind::Tests => None,
        }
    }

    /// Comments on the task about claims of its agents that differ from what was seen (P37).
    pub(super) fn tell_differences(&mut self, now: Timestamp, attempt: &Attempt, evidence: &[Evidence]) {
        let Some(task) = self.tasks.get(&attempt.task) else {
            return;
        };
        let lines = differences(task, evidence);
        if !lines.is_empty() {
            let text = format!("the report differs from the facts:\n{}", lines.join("\n"));
            self.comment(now, &attempt.task, ENGINE, text);
        }
    }

    /// Handles evidence of an attempt that was No, as its stage says. The head that was checked stays on record if the work continues.
    pub(super) fn evidence_denied(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        evidence: &[Evidence],
        noes: &[(EvidenceKind, String)],
        head: Option<&str>,
    ) {
        let failure = evidence_failure(attempt, noes);
        let stage = self.stage_of_attempt(attempt);
        let policy = stage.map(|stage| stage.findings).unwrap_or_default();
        let is_weighed = failure.class == FailureClass::Gate && attempt.mode != AttemptMode::Fallback;
        if matches!(policy, FindingPolicy::Fail | FindingPolicy::Hold) || !is_weighed {
            let mode = self.mode_after(attempt, failure.class);
            self.edit(&attempt.task, |task| task.finding = Some(finding_text(noes)));
            return self.fail(transition, attempt.id, &AttemptFailure { mode, ..failure });
        }
        let issues: Vec<ComplianceIssue> = evidence.iter().flat_map(Evidence::findings).collect();
        let text = weighed_text(evidence);
        let verdict = match self.strategy_for(&issues) {
            RemediationStrategy::Warn if self.misses_notes(evidence) => RemediationStrategy::Fix,
            other => other,
        };
        match (verdict, policy) {
            (RemediationStrategy::Accept | RemediationStrategy::Warn, _) => {
                self.comment(
                    transition.now,
                    &attempt.task,
                    ENGINE,
                    format!("passed with warnings:\n{text}"),
                );
                let line = format!("{} passed with warnings: {}", attempt.task, first_line(&issues));
                transition.notify_attempt(NoticeLevel::Warning, "warnings", attempt, line);
                self.passed(transition, attempt, head);
            }
            (_, FindingPolicy::Ask) => self.hold_findings(transition, attempt, &issues, &text, head),
            (strategy, _) => {
                let fixed = self.mode_after(attempt, failure.class);
                // A stage whose work cannot be fixed on a branch begins again in any case.
                let is_anew = strategy == RemediationStrategy::Retry && fixed == AttemptMode::Remediate;
                let mode = if is_anew { AttemptMode::Fresh } else { fixed };
                self.edit(&attempt.task, |task| {
                    task.finding = Some(text);
                    task.begins_anew = is_anew;
                });
                self.fail(transition, attempt.id, &AttemptFailure { mode, ..failure });
            }
        }
    }

    /// Returns true if notes are missing, and not only a part of them, where the settings do not accept that (P34).
    fn misses_notes(&self, evidence: &[Evidence]) -> bool {
        let mut notes = evidence
            .iter()
            .filter(|piece| piece.kind == EvidenceKind::Notes)
            .flat_map(Evidence::findings);
        !self.settings.accepts_missing_notes && notes.any(|issue| issue.severity > Severity::Low)
    }

    /// Resets a task whose branch is as clean as the base again: nothing that was seen of the earlier work counts any more.
    pub(super) fn begun_anew(&mut self, transition: &Transition, id: &TaskId, kept: &[String]) {
        if !self.tasks.get(id).is_some_and(|task| task.begins_anew) {
            return;
        }
        self.edit(id, |task| {
            task.begins_anew = false;
            task.head = None;
            task.merged = None;
            task.merge_check = MergeCheck::default();
            task.stage_head = None;
            task.checkpoint = None;
        });
        self.forget_seen(id);
        if !kept.is_empty() {
            let text = format!(
                "starts over on a clean branch; the work before is kept as {}",
                kept.join(" and ")
            );
            self.comment(transition.now, id, ENGINE, text);
        }
    }

    /// Holds the task for a decision: approve accepts the work as it is, reject and retry let it be fixed.
    pub(super) fn hold_findings(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        issues: &[ComplianceIssue],
        text: &str,
        head: Option<&str>,
    ) {
        let id = &attempt.task;
        let first = first_line(issues);
        let why = format!("reported done, but {first}");
        let mode = self.mode_after(attempt, FailureClass::Gate);
        self.settle(
            transition,
            attempt.id,
            Verdict::Failed(FailureClass::Gate, why.as_str().into()),
        );
        self.comment(transition.now, id, ENGINE, format!("checks found:\n{text}"));
        self.edit(id, |task| {
            task.finding = Some(text.to_owned());
            task.next_mode = mode;
            if let Some(head) = head {
                task.head = Some(head.to_owned());
                task.merged = None;
                task.merge_check = MergeCheck::default();
            }
        });
        self.set_state(
            transition.now,
            id,
            TaskState::Held(HoldReason::Findings(first.clone())),
        );
        let line =
            format!("{id} waits for you: {first}; approve it as it is, or reject it to have that fixed");
        transition.notify_attempt(NoticeLevel::Alert, "findings", attempt, line);
    }

    /// Sends the work back to have its findings fixed, with the words of a person about them.
    pub(super) fn fix_findings(&mut self, transition: &mut Transition, by: &str, id: &TaskId, why: &str) {
        let Some(task) = self.task(id) else { return };
        let before = task.finding.clone().unwrap_or_default();
        let mode = self.remediation_mode(&task, &task.stage);
        self.comment(
            transition.now,
            id,
            by,
            format!("to be fixed in {}: {why}", task.stage),
        );
        self.edit(id, |task| task.finding = Some(format!("{before}\n{by}: {why}")));
        self.enter_stage(transition.now, id, &task.stage, mode);
        let label = self.stage_label(&task, &task.stage).to_owned();
        let text = format!("{id} continues in {label}, {by} wants it fixed: {why}");
        transition.notify_task(NoticeLevel::Info, "retry", id, text);
    }
}

/// Returns the subagents the plan asks for that were not seen: one that is claimed all the same is the lesser fault (P35).
fn unused_agents(task: &Task) -> Vec<ComplianceIssue> {
    let (seen, claimed) = (&task.record.agents, &task.record.claimed_agents);
    let wanted = task.plan.iter().flat_map(|plan| &plan.agents);
    let unseen = wanted.filter(|name| !seen.contains(*name));
    unseen
        .map(|name| {
            if claimed.contains(name) {
                let text =
                    format!("the subagent {name} is claimed to have been used, and was not seen at work");
                ComplianceIssue::new(Severity::High, text)
            } else {
                let text = format!("the subagent {name} was not used");
                ComplianceIssue::new(Severity::Critical, text)
            }
        })
        .collect()
}

/// Returns the gates that are claimed to pass and failed, the subagents that are claimed and were not seen, and notes that are claimed to be
/// elsewhere than the plan has them.
fn differences(task: &Task, evidence: &[Evidence]) -> Vec<String> {
    let record = &task.record;
    let findings = || evidence.iter().flat_map(Evidence::findings);
    let has_failed = |gate: &&String| {
        let begin = format!("gate {gate} failed");
        findings().any(|issue| issue.text.starts_with(&begin))
    };
    let gates = record.claimed_gates.iter().filter(has_failed);
    let gates = gates.map(|gate| format!("gate {gate} was reported as passed, and it failed"));
    let agents = record.claimed_agents.difference(&record.agents);
    let agents = agents.map(|name| format!("subagent {name} was reported as used, and was not seen at work"));
    let asked = task.plan.as_ref().and_then(|plan| plan.notes.as_deref());
    let notes = record.claimed_notes.as_deref().zip(asked);
    let notes = notes.filter(|(claimed, asked)| !names_path(claimed, asked));
    let notes = notes.map(|(claimed, asked)| {
        format!("the notes were reported at {claimed}, and the plan has them at {asked}")
    });
    gates.chain(agents).chain(notes).collect()
}

/// Returns the steps the plan asks for that were not reported (P36).
fn missing_steps(task: &Task) -> Vec<ComplianceIssue> {
    let wanted = task.plan.iter().flat_map(|plan| &plan.steps);
    let open = wanted.filter(|step| !task.record.has_step(step));
    open.map(|step| ComplianceIssue::new(Severity::High, format!("the step {step} was not reported")))
        .collect()
}

/// Formats all findings for people and for the next agent, each with its remedy (P41, P42).
fn weighed_text(evidence: &[Evidence]) -> String {
    let mut lines = Vec::new();
    for piece in evidence {
        for issue in piece.findings() {
            let action = piece.kind.action().map(|action| format!("\n  to do: {action}"));
            lines.push(format!(
                "{}: {}{}",
                issue.severity,
                issue.text,
                action.unwrap_or_default()
            ));
        }
    }
    lines.join("\n")
}

/// Returns the first line of the worst finding.
fn first_line(issues: &[ComplianceIssue]) -> String {
    let worst = issues.iter().max_by_key(|issue| issue.severity);
    let text = worst.map_or("", |issue| issue.text.as_str());
    text.lines().next().unwrap_or_default().to_owned()
}
