//! Results of gates on an exact commit, and what they prove.

use super::context::{EngineContext, base_head};
use super::gate_folder::{in_folder, on_base};
use super::job::Job;
use crate::domain::cut::cut_chars;
use crate::domain::task::GateCommand;
use crate::domain::workflow::GatePlace;
use crate::domain::{
    Attempt, AttemptMode, Cause, ComplianceIssue, Evidence, EvidenceKind, GateBaseline, MissingPart,
    STORY_GATE, Severity, TestOutcome, Tri, TroubleKind, WaitReason, telling_line,
};
use crate::ports::gates::GateReport;
use crate::ports::git::{CommitId, Head, Revision};

/// Maximum characters of a command that tells two gates of one name apart.
const MOST_SHOWN: usize = 60;

/// Runs every gate of the job on the present commit of a revision. Without a gate command there is no pass.
pub(super) fn on_revision(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    revision: &Revision,
) -> Evidence {
    let about = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    if let Some(why) = context.gates.withheld() {
        return about(Tri::Unknown(why));
    }
    if job.gates.is_empty() {
        return about(Tri::No(WaitReason::NoGate.to_string()));
    }
    match context.git.resolve(revision) {
        Head::At(commit) => on_commit(context, job, attempt, &commit),
        Head::Absent => about(Tri::No("there is no commit to check".to_owned())),
        Head::Unknown(why) => about(Tri::Unknown(why)),
    }
}

/// Runs every gate of the job on one commit: all of them, so that all findings are known (LP-11). No beats Unknown; each gate that
/// failed is a critical issue of its own (P33).
pub(super) fn on_commit(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
) -> Evidence {
    let about = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    let reports = match all(context, job, attempt, commit) {
        Ok(reports) => reports,
        Err(why) => return about(why),
    };
    let env = context.config.gate_env.now();
    let (mut failed, mut unknown) = (Vec::new(), Vec::new());
    let mut counts = None;
    let red_before = red_before(context, job, attempt, commit, &reports);
    for (nth, (gate, report)) in job.gates.iter().zip(reports).enumerate() {
        if gate.name == STORY_GATE {
            counts = report.tests.as_ref().and_then(|tests| tests.counts);
        }
        let empty = empty_run(&gate.name, &report);
        match empty.map_or(report.outcome, |why| Tri::No(why.to_owned())) {
            Tri::Yes => {}
            Tri::No(why) => {
                let line = telling_line(&report.tail).map_or_else(String::new, |line| format!(": {line}"));
                let which = which(job, nth);
                let missing = MissingPart::find(&report.tail, &env.hidden, |name| env.has(name));
                let missing = missing.map_or_else(String::new, |part| format!("{part}; "));
                let word = if report.exit.is_missing() {
                    "could not run"
                } else {
                    "failed"
                };
                let text = format!("gate {} {word}{which}: {missing}{why}{line}", gate.name);
                if red_before.contains(&nth) {
                    let text = format!(
                        "red before the work: {text}; it fails on {} too: fix it there, or change gates.{}",
                        job.base, gate.name
                    );
                    unknown.push(TroubleKind::Gates.cause(text));
                } else {
                    let text = format!("{text}\n{}", report.tail);
                    failed.push(ComplianceIssue::new(Severity::Critical, text));
                }
            }
            Tri::Unknown(why) => {
                let which = which(job, nth);
                unknown.push(why.after(&format!("gate {} could not be run{which}: ", gate.name)));
            }
        }
    }
    match (failed.is_empty(), unknown.is_empty()) {
        (false, _) => Evidence::from_issues(EvidenceKind::Gates, failed),
        (true, false) => about(Tri::Unknown(together(&unknown))),
        (true, true) => about(Tri::Yes),
    }
    .with_tests(counts)
}

/// Returns the origin and the command of a gate in parentheses, where another gate of the job has its name.
fn which(job: &Job, nth: usize) -> String {
    let Some(gate) = job.gates.get(nth) else {
        return String::new();
    };
    if job.gates.iter().filter(|other| other.name == gate.name).count() < 2 {
        return String::new();
    }
    let origin = match (nth < n_own(job), &job.task.plan) {
        (false, _) => "the settings",
        (true, Some(_)) => "the plan",
        (true, None) => "the task",
    };
    let command = gate.command.lines().next().unwrap_or_default();
    format!(" (of {origin}: `{}`)", cut_chars(command, MOST_SHOWN))
}

/// Number of gates of the task itself, which come first.
fn n_own(job: &Job) -> usize {
    let own = job.task.gates.iter();
    own.filter(|gate| job.stage.runs_gate(&gate.name)).count()
}

/// Returns the numbers of the gates of the settings that fail on a commit and fail in the same way on the base. Gates of a task may ask for
/// what only its work brings.
fn red_before(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    reports: &[GateReport],
) -> Vec<usize> {
    let is_red = reports
        .iter()
        .skip(n_own(job))
        .any(|report| matches!(report.outcome, Tri::No(_)));
    if !is_red || job.stage.gate_at == GatePlace::Worktree {
        return Vec::new();
    }
    let Ok(base) = base_head(context, job) else {
        return Vec::new();
    };
    let reports = job.gates.iter().zip(reports).enumerate().skip(n_own(job));
    let failed = reports.filter(|(_, (gate, report))| {
        matches!(report.outcome, Tri::No(_)) && !context.green_gates.knows(&base, gate)
    });
    let failed: Vec<_> = failed.collect();
    if failed.is_empty() || base == *commit {
        return Vec::new();
    }
    let on_base = on_base(context, job, attempt, &base, |place| {
        let run = |(nth, (gate, report)): &(usize, (&GateCommand, &GateReport))| {
            let before = place.run(context, job, *nth, gate);
            if before.outcome == Tri::Yes {
                context.green_gates.note(&base, gate);
            }
            before.exit.fails_like(&report.exit).then_some(*nth)
        };
        failed.iter().filter_map(run).collect()
    });
    on_base.unwrap_or_else(|why| {
        tracing::warn!(attempt = %attempt.id, "gates were not run on the base: {why}");
        Vec::new()
    })
}

/// Returns the reason why a run of a story's own tests proves nothing although it ended well; `None` if it proves something.
fn empty_run(name: &str, run: &GateReport) -> Option<&'static str> {
    let is_own = name == STORY_GATE && run.outcome == Tri::Yes;
    let report = run.tests.as_ref().filter(|_| is_own)?;
    (report.outcome != TestOutcome::Passed).then(|| report.outcome.word())
}

/// Returns the result of each gate of the job on the commit that an attempt begins at, before its agent starts; empty if the stage
/// does not ask for it, and nothing for a task whose work has begun. A gate that cannot be run keeps no agent from its work.
pub(super) fn before_work(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    start: Option<&str>,
) -> Vec<GateBaseline> {
    let begins = attempt.mode == AttemptMode::Fresh && (attempt.n == 1 || job.task.begins_anew);
    let is_asked = job.stage.gates_before && begins && attempt.session.is_fresh();
    let Some(commit) = start
        .filter(|_| is_asked)
        .and_then(|text| CommitId::new(text).ok())
    else {
        return Vec::new();
    };
    let reports = all(context, job, attempt, &commit).unwrap_or_else(|why| {
        tracing::warn!(attempt = %attempt.id, "gates were not run before the work: {why:?}");
        Vec::new()
    });
    let of_gate = |(gate, report): (&GateCommand, GateReport)| GateBaseline {
        name: gate.name.clone(),
        outcome: report.outcome,
    };
    job.gates.iter().zip(reports).map(of_gate).collect()
}

/// The report of each gate of the job on one commit, in their order.
fn all(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
) -> Result<Vec<GateReport>, Tri> {
    if job.gates.is_empty() {
        return Ok(Vec::new());
    }
    in_folder(context, job, attempt, commit, |place| {
        let gates = job.gates.iter().enumerate();
        gates.map(|(n, gate)| place.run(context, job, n, gate)).collect()
    })
}

/// Runs one gate on a commit.
pub(super) fn one(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    gate: &GateCommand,
    commit: &CommitId,
) -> Result<GateReport, Tri> {
    in_folder(context, job, attempt, commit, |place| {
        place.run(context, job, 0, gate)
    })
}

/// Joins the causes that kept several gates from being run into one cause of the worst kind.
fn together(causes: &[Cause]) -> Cause {
    let kind = causes.iter().map(|cause| cause.kind).min().unwrap_or_default();
    let texts: Vec<&str> = causes.iter().map(|cause| cause.text.as_str()).collect();
    kind.cause(texts.join("\n"))
}
