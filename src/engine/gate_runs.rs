//! Running gates on a clean checkout of an exact commit, never in a folder an agent can write to (M12).

use std::path::PathBuf;

use super::context::EngineContext;
use super::job::Job;
use crate::domain::task::GateCommand;
use crate::domain::{Attempt, Cause, ComplianceIssue, Evidence, EvidenceKind, Severity, Tri};
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
    let (mut failed, mut unknown) = (Vec::new(), Vec::new());
    let ran = in_checkout(world, attempt, commit, |place| {
        for (n, gate) in job.gates.iter().enumerate() {
            let report = place.run(world, job, (n, gate));
            match report.outcome {
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
    });
    match (ran, failed.is_empty(), unknown.is_empty()) {
        (Err(why), ..) => about(Tri::Unknown(why)),
        (Ok(()), false, _) => Evidence::from_issues(EvidenceKind::Gates, failed),
        (Ok(()), true, false) => about(Tri::Unknown(together(&unknown))),
        (Ok(()), true, true) => about(Tri::Yes),
    }
}

/// Runs one gate on a commit.
pub(super) fn one(
    world: &EngineContext,
    job: &Job,
    (attempt, gate): (&Attempt, &GateCommand),
    commit: &CommitId,
) -> Result<GateReport, Cause> {
    in_checkout(world, attempt, commit, |place| place.run(world, job, (0, gate)))
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
    attempt: &Attempt,
    commit: &CommitId,
    run: impl FnOnce(&GatePlace<'_>) -> T,
) -> Result<T, Cause> {
    if let Some(why) = world.gates.withheld() {
        return Err(why);
    }
    let folder = world.config.checkouts.join(format!("attempt-{}", attempt.id));
    let checkout = world.git.checkout_clean(commit, &folder);
    let checkout = checkout.map_err(|error| error.cause().after("could not "))?.path;
    let outputs = world.config.attempts.join(attempt.id.to_string()).join("gates");
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
