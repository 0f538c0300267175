//! Putting things away after an attempt: worktrees (with a snapshot first) and branches. Nothing that holds work is deleted
//! without a recoverable copy (LK-20, LK-21).

use super::base_watch;
use super::context::{EngineContext, STOP_GRACE, base_branch, branch_of};
use super::job::Job;
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, AttemptId, Cause, Event, KeptWork, Task};
use crate::ports::git::{
    AtticSnapshot, DeleteOutcome, DiffRange, Head, RemoteBase, RemoveOutcome, Revision, SafeName,
};
use crate::ports::holders::{HolderId, HolderLiveness};

/// Removes the attempt's worktree; work that is kept nowhere else goes to the attic first.
pub(super) fn settle(context: &EngineContext, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?.id;
    let (kept, problem) = match end_agent(context, attempt).and_then(|()| remove(context, job)) {
        Ok(kept) => (kept, None),
        Err(problem) => (None, Some(problem.text)),
    };
    let files = kept
        .as_ref()
        .map(|kept| kept_files(context, kept))
        .unwrap_or_default();
    Some(Event::WorkspaceSettled {
        attempt,
        problem,
        kept: kept.map(|kept| kept.attic_ref),
        files,
    })
}

/// Returns the files in which the kept work differs from the commit that was checked out. If they are not known, the work is kept all the
/// same.
fn kept_files(context: &EngineContext, kept: &AtticSnapshot) -> Vec<String> {
    let commit = kept.commit.clone();
    let found = context.git.changed_paths(&DiffRange::Commit { commit });
    let mut files = found.unwrap_or_else(|error| {
        tracing::warn!(
            "could not tell which files {} keeps: could not {error}",
            kept.attic_ref
        );
        Vec::new()
    });
    files.truncate(KeptWork::MOST_FILES);
    files
}

/// Ends the agent, because nothing is removed under an agent that works in it, or may: its place is given back before its end is known if
/// that cannot be found out for long.
pub(super) fn end_agent(context: &EngineContext, attempt: AttemptId) -> Result<(), Cause> {
    let id = HolderId::from(attempt);
    match context.holders.status(&id).state {
        HolderLiveness::Running(_) => match context.holders.stop(&id, STOP_GRACE) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("could not {error}").into()),
        },
        HolderLiveness::Unknown(why) => {
            Err(format!("could not tell whether its agent still runs: {why}").into())
        }
        HolderLiveness::Exited(_)
        | HolderLiveness::Lost
        | HolderLiveness::GoneWithMachine
        | HolderLiveness::NotStarted => Ok(()),
    }
}

/// Worktrees of attempts at the task that have ended. Nothing is removed under an agent that was given up and may still work there.
pub(super) fn ended_folders(context: &EngineContext, job: &Job) -> Vec<SafeName> {
    let may_run = |id: &AttemptId| {
        let state = context.holders.status(&HolderId::from(*id)).state;
        matches!(state, HolderLiveness::Running(_) | HolderLiveness::Unknown(_))
    };
    let ended = job.ended_folders.iter().filter(|(id, _)| !may_run(id));
    ended.map(|(_, name)| SafeName::derive(name)).collect()
}

/// Removes the worktree of an attempt that never started. If it cannot be removed now, the next start's inventory finds it.
pub(super) fn discard(context: &EngineContext, job: &Job) {
    if let Err(problem) = remove(context, job) {
        tracing::warn!(task = %job.task.id, "{problem}");
    }
}

/// Removes the worktree, and returns the work that is kept because it was nowhere else, or the obstacle.
fn remove(context: &EngineContext, job: &Job) -> Result<Option<AtticSnapshot>, Cause> {
    let (Some(attempt), Some(folder)) = (job.attempt.as_deref(), job.folder()) else {
        return Ok(None);
    };
    if matches!(job.workspace(), Workspace::Main | Workspace::None) {
        return Ok(None);
    }
    base_watch::look_behind_agent(context, job);
    remove_worktree(context, &job.task, attempt, &SafeName::derive(&folder))
}

/// Removes the worktree of an attempt; answers like [`remove`].
pub(super) fn remove_worktree(
    context: &EngineContext,
    task: &Task,
    attempt: &Attempt,
    folder: &SafeName,
) -> Result<Option<AtticSnapshot>, Cause> {
    let owner = context.attic_owner(task, attempt.created_at);
    match context.git.remove_worktree(folder, &owner) {
        Ok(RemoveOutcome::Removed(snapshot)) => Ok(snapshot),
        Ok(RemoveOutcome::Absent) => Ok(None),
        Ok(RemoveOutcome::Kept(why)) => Err(format!("worktree {folder} was left alone: {why}").into()),
        Err(error) => Err(error.cause().after("could not ")),
    }
}

/// Deletes the branch of a finished task, here and on the remote (K25); a head that is not merged goes to the attic (LK-20). Returns the
/// obstacle, if there is one.
pub(super) fn retire(context: &EngineContext, job: &Job) -> Option<String> {
    let branch = branch_of(&job.task);
    let base = match base_branch(&job.base) {
        Ok(base) => base,
        Err(error) => return Some(format!("could not {error}")),
    };
    let owner = context.attic_owner(&job.task, job.task.created_at);
    let local = context.git.resolve(&Revision::LocalBranch(branch.clone()));
    let recorded = job.recorded_head();
    if local == Head::Absent && recorded.is_none() {
        return None;
    }
    // Both are deleted with one question to the remote.
    let base = RemoteBase::new(base.clone(), context.git.resolve(&Revision::RemoteBranch(base)));
    let local = match local {
        Head::At(head) => kept_reason(context.git.delete_branch(&branch, &head, &base, &owner)),
        Head::Absent => None,
        Head::Unknown(why) => Some(why.text),
    };
    let delete = |head| context.git.delete_remote_branch(&branch, &head, &base, &owner);
    let remote = recorded.map(delete).and_then(kept_reason);
    local.or(remote)
}

fn kept_reason(deletion: DeleteOutcome) -> Option<String> {
    match deletion {
        DeleteOutcome::Deleted { .. } | DeleteOutcome::Absent => None,
        DeleteOutcome::Kept(why) => Some(why),
        DeleteOutcome::Unknown(why) => Some(why.text),
    }
}
