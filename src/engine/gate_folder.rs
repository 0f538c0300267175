//! Where gates run: on a clean checkout of an exact commit, never in a folder an agent can write to (M12), unless the stage wants them in
//! the worktree of its agent. There they run only while it holds that commit and nothing else but what git ignores.

use std::path::PathBuf;

use super::context::EngineContext;
use super::job::{Job, JobKind};
use super::leftovers::named_files;
use crate::domain::task::GateCommand;
use crate::domain::workflow::GatePlace;
use crate::domain::{Attempt, Cause, Tri};
use crate::ports::gates::{GateReport, GateRun};
use crate::ports::git::{CommitId, DiffRange, GitError, Revision, SafeName, WorkingTree};
use crate::ports::trouble::io_trouble;

/// Most bytes of output kept per gate.
const OUTPUT_LIMIT: u64 = 4 * 1024 * 1024;

/// Where gates run, and the folder for their output.
pub(super) struct GateFolder<'a> {
    folder: PathBuf,
    outputs: PathBuf,
    commit: &'a CommitId,
}

impl GateFolder<'_> {
    /// Runs one gate there; its number names its output.
    pub(super) fn run(
        &self,
        world: &EngineContext,
        job: &Job,
        (n, gate): (usize, &GateCommand),
    ) -> GateReport {
        world.gates.run(&GateRun {
            name: gate.name.clone(),
            command: gate.command.clone(),
            commit: self.commit.as_str().to_owned(),
            began: world.clock.now(),
            cwd: self.folder.clone(),
            env: environment(world, job, self.commit),
            timeout: world.config.gate_timeout,
            output: self.outputs.join(format!("{n:02}.log")),
            output_limit: OUTPUT_LIMIT,
        })
    }
}

/// Runs gates where the stage wants them; what keeps them from being run there is no pass. Before the work they always have a clean
/// checkout: the worktree was just made.
pub(super) fn in_folder<T>(
    world: &EngineContext,
    (job, attempt): (&Job, &Attempt),
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Tri> {
    if let Some(why) = world.gates.withheld() {
        return Err(Tri::Unknown(why));
    }
    match (job.stage.gate_at, &job.kind) {
        (GatePlace::Commit, _) | (GatePlace::Worktree, JobKind::Start) => {
            in_checkout(world, (job, attempt), commit, run).map_err(Tri::Unknown)
        }
        (GatePlace::Worktree, _) => in_worktree(world, (job, attempt), commit, run),
    }
}

/// Makes the checkout, and removes it afterwards.
fn in_checkout<T>(
    world: &EngineContext,
    (job, attempt): (&Job, &Attempt),
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Cause> {
    let folder = world.config.checkouts.join(format!("attempt-{}", attempt.id));
    let checkout = world.git.checkout_clean(commit, &folder);
    let checkout = checkout.map_err(|error| error.cause().after("could not "))?.path;
    let place = GateFolder {
        folder: checkout,
        outputs: outputs(world, job, attempt)?,
        commit,
    };
    let result = run(&place);
    if let Err(error) = world.git.discard_checkout(&folder) {
        tracing::warn!("could not {error}");
    }
    Ok(result)
}

/// Runs gates where the agent worked. What they say is about the commit only when nothing else was there, before and afterwards.
fn in_worktree<T>(
    world: &EngineContext,
    (job, attempt): (&Job, &Attempt),
    commit: &CommitId,
    run: impl FnOnce(&GateFolder<'_>) -> T,
) -> Result<T, Tri> {
    let (Some(name), Some(made)) = (job.folder(), attempt.workplace.as_ref()) else {
        return Err(Tri::No("there is no worktree to run gates in".to_owned()));
    };
    let name = SafeName::derive(&name);
    let differs = || differing_files(world, &name, commit);
    if let Some(files) = differs()? {
        let why = format!("gates run in the worktree, and it differs from the commit {commit}: {files}");
        return Err(Tri::No(why));
    }
    let place = GateFolder {
        folder: PathBuf::from(&made.path),
        outputs: outputs(world, job, attempt).map_err(Tri::Unknown)?,
        commit,
    };
    let result = run(&place);
    match differs()? {
        None => Ok(result),
        Some(files) => Err(Tri::No(format!(
            "the gates changed files of the worktree, so they say nothing of the commit {commit}: {files}"
        ))),
    }
}

/// What is in a worktree and not in the commit, or the other way round, for people; nothing where both are the same.
fn differing_files(
    world: &EngineContext,
    folder: &SafeName,
    commit: &CommitId,
) -> Result<Option<String>, Tri> {
    let place = WorkingTree::Worktree(folder.clone());
    let unknown = |error: GitError| Tri::Unknown(error.cause().after("could not "));
    let head = world.git.workspace_tree(&place).map_err(unknown)?.head;
    if head.as_ref() != Some(commit) {
        let stands = head.map_or_else(|| "no commit".to_owned(), |head| head.to_string());
        return Ok(Some(format!("it stands at {stands}")));
    }
    let range = DiffRange::WorkInProgress {
        base: Revision::Commit(commit.clone()),
        place,
    };
    let files = world.git.changed_paths(&range).map_err(unknown)?;
    Ok((!files.is_empty()).then(|| named_files(&files)))
}

/// An empty folder for the output of gates: what an earlier round left would be taken for this one's.
fn outputs(world: &EngineContext, job: &Job, attempt: &Attempt) -> Result<PathBuf, Cause> {
    let outputs = world.config.attempts.join(attempt.id.to_string());
    // What was said of the commit before the work is no result of the work.
    let is_before = job.kind == JobKind::Start;
    let outputs = outputs.join(if is_before { "gates-before" } else { "gates" });
    drop(std::fs::remove_dir_all(&outputs));
    std::fs::create_dir_all(&outputs).map_err(|error| {
        let why = format!("could not make {}: {error}", outputs.display());
        io_trouble(error.kind()).cause(why)
    })?;
    Ok(outputs)
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
