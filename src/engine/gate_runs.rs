//! Running gates on a clean checkout of an exact commit, never in a folder an agent can write to (M12).

use super::context::EngineContext;
use super::job::Job;
use crate::domain::{Attempt, Cause, Tri};
use crate::ports::gates::GateRun;
use crate::ports::git::{CommitId, Head, Revision};
use crate::ports::trouble::io_trouble;

/// Most bytes of output kept per gate.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Runs every gate of the job on what a revision points at now. Without a gate command there is no pass.
pub(super) fn on_revision(world: &EngineContext, job: &Job, attempt: &Attempt, revision: &Revision) -> Tri {
    if let Some(why) = world.gates.withheld() {
        return Tri::Unknown(why);
    }
    if job.gates.is_empty() {
        let hint = "no gate command is configured; set one with `dbs config gates.NAME COMMAND`";
        return Tri::No(hint.to_owned());
    }
    match world.git.resolve(revision) {
        Head::At(commit) => on_commit(world, job, attempt, &commit),
        Head::Absent => Tri::No("there is no commit to check".to_owned()),
        Head::Unknown(why) => Tri::Unknown(why),
    }
}

/// Runs every gate of the job on one commit: all of them, so that all findings are known (LP-11). No beats Unknown.
pub(super) fn on_commit(world: &EngineContext, job: &Job, attempt: &Attempt, commit: &CommitId) -> Tri {
    if let Some(why) = world.gates.withheld() {
        return Tri::Unknown(why);
    }
    let folder = world.config.checkouts.join(format!("attempt-{}", attempt.id));
    let checkout = match world.git.checkout_clean(commit, &folder) {
        Ok(checkout) => checkout,
        Err(error) => return Tri::Unknown(error.cause().after("could not ")),
    };
    let outputs = world.config.attempts.join(attempt.id.to_string()).join("gates");
    // What an earlier round left would be taken for this one's.
    drop(std::fs::remove_dir_all(&outputs));
    if let Err(error) = std::fs::create_dir_all(&outputs) {
        let why = format!("could not make {}: {error}", outputs.display());
        return Tri::Unknown(io_trouble(error.kind()).cause(why));
    }
    let mut failed = Vec::new();
    let mut unknown = Vec::new();
    for (n, gate) in job.gates.iter().enumerate() {
        let report = world.gates.run(&GateRun {
            name: gate.name.clone(),
            command: gate.command.clone(),
            commit: commit.as_str().to_owned(),
            began: world.clock.now(),
            cwd: checkout.path.clone(),
            env: environment(world, job, commit),
            timeout: world.config.gate_timeout,
            output: outputs.join(format!("{n:02}.log")),
            output_limit: OUTPUT_LIMIT,
        });
        match report.outcome {
            Tri::Yes => {}
            Tri::No(why) => failed.push(format!("gate {} failed: {why}\n{}", gate.name, report.tail)),
            Tri::Unknown(why) => unknown.push(why.after(&format!("gate {} could not be run: ", gate.name))),
        }
    }
    if let Err(error) = world.git.discard_checkout(&folder) {
        tracing::warn!("could not {error}");
    }
    match (failed.is_empty(), unknown.is_empty()) {
        (false, _) => Tri::No(failed.join("\n")),
        (true, false) => Tri::Unknown(together(&unknown)),
        (true, true) => Tri::Yes,
    }
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
    env
}
