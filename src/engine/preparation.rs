//! Preparation of worktrees and of gates' checkouts, before an agent or a gate starts in them.

use std::fs;
use std::path::{Path, PathBuf};

use super::context::EngineContext;
use super::job::Job;
use crate::domain::{Attempt, Cause, Tri};
use crate::ports::gates::GateEnv;
use crate::ports::git::{CommitId, SafeName, WorkingTree, Worktree, WorktreeOrigin};
use crate::ports::trouble::io_trouble;
use crate::ports::workspaces::{PrepareError, PreparedBy, WorkspaceRequest, WorkspaceUser};

/// File in an attempt's folder that says that its worktree is prepared.
const MARK: &str = "prepared";

/// Prepares the worktree of an attempt once. One in which a session goes on stays as the session knows it.
pub(super) fn of_worktree(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    folder: &SafeName,
    worktree: &Worktree,
) -> Result<(), PrepareError> {
    let records = context.config.attempts.join(attempt.id.to_string());
    let is_made = worktree.origin == WorktreeOrigin::Made;
    let goes_on = !is_made && (!attempt.session.is_fresh() || records.join(MARK).exists());
    let Some(commit) = worktree.start.head.as_ref().filter(|_| !goes_on) else {
        return Ok(());
    };
    let prepared = context.workspaces.prepare(&WorkspaceRequest {
        folder: &worktree.path,
        commit,
        user: WorkspaceUser::Agent,
        is_base: worktree.base.as_ref() == Some(commit),
        env: environment(context, job, commit)?,
        logs: records.join("setup"),
        now: context.clock.now(),
    })?;
    if prepared == PreparedBy::Commands {
        let place = WorkingTree::Worktree(folder.clone());
        match context.git.workspace_unchanged(&place, &worktree.start) {
            Tri::Yes => {}
            Tri::No(what) => return Err(changed(&what).into()),
            Tri::Unknown(why) => return Err(why.into()),
        }
    }
    let mark = records.join(MARK);
    let marked = fs::create_dir_all(&records).and_then(|()| fs::write(&mark, ""));
    marked.map_err(|error| {
        let why = format!("could not write {}: {error}", mark.display());
        io_trouble(error.kind()).cause(why).into()
    })
}

/// Prepares a clean checkout for gates.
pub(super) fn of_checkout(
    context: &EngineContext,
    job: &Job,
    commit: &CommitId,
    folder: &Path,
    logs: PathBuf,
) -> Result<(), PrepareError> {
    let prepared = context.workspaces.prepare(&WorkspaceRequest {
        folder,
        commit,
        user: WorkspaceUser::Gate,
        is_base: false,
        env: environment(context, job, commit)?,
        logs,
        now: context.clock.now(),
    })?;
    if prepared == PreparedBy::Commands {
        let restored = context.git.restore_checkout(commit, folder);
        if !restored.map_err(|error| error.cause().after("could not "))? {
            let why = "its files could not be brought back to the commit";
            return Err(changed(why).into());
        }
    }
    Ok(())
}

fn changed(what: &str) -> Cause {
    format!(
        "workspace.setup changes files that git does not ignore ({what}); let it leave those alone, as `npm ci` does, or add them to `.gitignore`"
    )
    .into()
}

/// Returns the environment of gates and of the setup: the configured one, and values that they may need. Text of a task is only ever here,
/// never in a command.
///
/// # Errors
/// When the task's ports cannot be given.
pub(super) fn environment(context: &EngineContext, job: &Job, commit: &CommitId) -> Result<GateEnv, Cause> {
    let mut env = context.config.gate_env.now();
    let own = [
        ("DBS_TASK", job.task.id.as_str()),
        ("DBS_COMMIT", commit.as_str()),
        ("DBS_BASE", job.base.as_str()),
        ("DBS_STAGE", job.stage.id.as_str()),
    ];
    let own = own.map(|(name, value)| (name.into(), value.into()));
    let ports = context.workspaces.ports(&job.task.id)?;
    let ports = ports.into_iter().map(|(name, value)| (name.into(), value.into()));
    env.variables.extend(own.into_iter().chain(ports));
    Ok(env)
}
