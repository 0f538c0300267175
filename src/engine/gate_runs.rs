//! Running gates on a clean checkout of an exact commit, never in a folder an agent can write to (M12).

use std::path::PathBuf;

use super::context::EngineContext;
use super::job::{Job, JobKind};
use crate::domain::task::GateCommand;
use crate::domain::{
    Attempt, AttemptMode, Cause, ComplianceIssue, Evidence, EvidenceKind, GateBaseline, STORY_GATE, Severity,
    TestOutcome, Tri,
};
use crate::ports::gates::{GateReport, GateRun};
use crate::ports::git::{CommitId, Head, Revision};
use crate::ports::trouble::io_trouble;

/// Most bytes of output kept per gate.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Runs every gate of the job on what a revision points at now. Without a gate command there is no pass.
pub(super) fn on_revision(
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    revision: &Revision,
) -> Evidence {
    let about = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    if let Some(why) = world.gates.withheld() {
        return about(Tri::Unknown(why));
    }
    if job.gates.is_empty() {
        let hint = "no gate command is configured; set one with `dbs config gates.NAME COMMAND`";
        return about(Tri::No(hint.to_owned()));
    }
    match world.git.resolve(revision) {
        Head::At(commit) => on_commit(world, job, attempt, &commit),
        Head::Absent => about(Tri::No("there is no commit to check".to_owned())),
        Head::Unknown(why) => about(Tri::Unknown(why)),
    }
}

/// Runs every gate of the job on one commit: all of them, so that all findings are known (LP-11). No beats Unknown; each gate that
/// failed is a critical issue of its own (P33).
pub(super) fn on_commit(world: &EngineContext, job: &Job, attempt: &Attempt, commit: &CommitId) -> Evidence {
    let about = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    let reports = match all(world, job, attempt, commit) {
        Ok(reports) => reports,
        Err(why) => return about(Tri::Unknown(why)),
    };
    let (mut failed, mut unknown) = (Vec::new(), Vec::new());
    let mut counts = None;
    for (gate, report) in job.gates.iter().zip(reports) {
        if gate.name == STORY_GATE {
            counts = report.tests.as_ref().and_then(|tests| tests.counts);
        }
        let empty = empty_run(&gate.name, &report);
        match empty.map_or(report.outcome, |why| Tri::No(why.to_owned())) {
            Tri::Yes => {}
            Tri::No(why) => {
                let text = format!("gate {} failed: {why}\n{}", gate.name, report.tail);
                failed.push(ComplianceIssue::new(Severity::Critical, text));
            }
            Tri::Unknown(why) => {
                unknown.push(why.after(&format!("gate {} could not be run: ", gate.name)));
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

/// Why a run of a story's own tests proves nothing although it ended well; nothing where it does.
fn empty_run(name: &str, run: &GateReport) -> Option<&'static str> {
    let is_own = name == STORY_GATE && run.outcome == Tri::Yes;
    let report = run.tests.as_ref().filter(|_| is_own)?;
    (report.outcome != TestOutcome::Passed).then(|| report.outcome.word())
}

/// What each gate of the job said of the commit that an attempt begins at, before its agent starts; nothing where the stage does
/// not ask for it, and nothing of a task whose work has begun. What cannot be run keeps no agent from its work.
pub(super) fn before_work(
    world: &EngineContext,
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
    let reports = all(world, job, attempt, &commit).unwrap_or_else(|why| {
        tracing::warn!(attempt = %attempt.id, "gates were not run before the work: {why}");
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
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
) -> Result<Vec<GateReport>, Cause> {
    if job.gates.is_empty() {
        return Ok(Vec::new());
    }
    in_checkout(world, (job, attempt), commit, |place| {
        let gates = job.gates.iter().enumerate();
        gates.map(|gate| place.run(world, job, gate)).collect()
    })
}

/// Runs one gate on a commit.
pub(super) fn one(
    world: &EngineContext,
    job: &Job,
    (attempt, gate): (&Attempt, &GateCommand),
    commit: &CommitId,
) -> Result<GateReport, Cause> {
    in_checkout(world, (job, attempt), commit, |place| {
        place.run(world, job, (0, gate))
    })
}

/// A clean checkout in which gates run, and the folder for their output.
struct GatePlace<'a> {
    checkout: PathBuf,
    outputs: PathBuf,
    commit: &'a CommitId,
}

impl GatePlace<'_> {
    fn run(&self, world: &EngineContext, job: &Job, (n, gate): (usize, &GateCommand)) -> GateReport {
        world.gates.run(&GateRun {
            name: gate.name.clone(),
            command: gate.command.clone(),
            commit: self.commit.as_str().to_owned(),
            began: world.clock.now(),
            cwd: self.checkout.clone(),
            env: environment(world, job, self.commit),
            timeout: world.config.gate_timeout,
            output: self.outputs.join(format!("{n:02}.log")),
            output_limit: OUTPUT_LIMIT,
        })
    }
}

/// Makes the checkout, and removes it afterwards.
fn in_checkout<T>(
    world: &EngineContext,
    (job, attempt): (&Job, &Attempt),
    commit: &CommitId,
    run: impl FnOnce(&GatePlace<'_>) -> T,
) -> Result<T, Cause> {
    if let Some(why) = world.gates.withheld() {
        return Err(why);
    }
    let folder = world.config.checkouts.join(format!("attempt-{}", attempt.id));
    let checkout = world.git.checkout_clean(commit, &folder);
    let checkout = checkout.map_err(|error| error.cause().after("could not "))?.path;
    let outputs = world.config.attempts.join(attempt.id.to_string());
    // What was said of the commit before the work is no result of the work.
    let is_before = job.kind == JobKind::Start;
    let outputs = outputs.join(if is_before { "gates-before" } else { "gates" });
    // What an earlier round left would be taken for this one's.
    drop(std::fs::remove_dir_all(&outputs));
    std::fs::create_dir_all(&outputs).map_err(|error| {
        let why = format!("could not make {}: {error}", outputs.display());
        io_trouble(error.kind()).cause(why)
    })?;
    let place = GatePlace {
        checkout,
        outputs,
        commit,
    };
    let result = run(&place);
    if let Err(error) = world.git.discard_checkout(&folder) {
        tracing::warn!("could not {error}");
    }
    Ok(result)
}

/// What kept several gates from being run, as one cause of the worst kind.
fn together(causes: &[Cause]) -> Cause {
    let kind = causes.iter().map(|cause| cause.kind).min().unwrap_or_default();
    let texts: Vec<&str> = causes.iter().map(|cause| cause.text.as_str()).collect();
    kind.cause(texts.join("\n"))
}

/// The configured environment, plus what the gate may want to know; task text is only ever here, never in a command.
fn environment(
    world: &EngineContext,
    job: &Job,
    commit: &CommitId,
) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let mut env = world.config.gate_env.clone();
    env.push(("DBS_TASK".into(), job.task.id.as_str().into()));
    env.push(("DBS_COMMIT".into(), commit.as_str().into()));
    env.push(("DBS_BASE".into(), job.base.as_str().into()));
    env.push(("DBS_STAGE".into(), job.stage.id.as_str().into()));
    env
}
