//! Removal of work that earlier attempts left on the branch of a task that starts over: worktrees, then the branch here and on the remote.
//! All of it goes to the attic first.

use super::cleanup;
use super::context::{EngineContext, base_branch, branch_of};
use super::job::Job;
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Cause, TroubleKind};
use crate::ports::git::{DeleteOutcome, Head, RemoteBase, Revision, SafeName};

/// Puts the work aside where the task starts over, and returns the refs that keep it. Safe to repeat: work that is gone stays gone.
///
/// # Errors
/// The obstacle; then nothing may be started.
pub(super) fn put_aside(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<Vec<String>, Cause> {
    if !job.task.begins_anew || job.workspace() != Workspace::Branch {
        return Ok(Vec::new());
    }
    let mut kept = Vec::new();
    let own = job.folder().map(|name| SafeName::derive(&name));
    for folder in cleanup::ended_folders(context, job).iter().chain(&own) {
        let removed = cleanup::remove_worktree(context, &job.task, attempt, folder);
        kept.extend(removed?.map(|snapshot| snapshot.attic_ref));
    }
    let branch = branch_of(&job.task);
    let base = base_branch(&job.base).map_err(|error| Cause::from(format!("could not {error}").as_str()))?;
    let owner = context.attic_owner(&job.task, attempt.created_at);
    let wanted = [
        Revision::LocalBranch(branch.clone()),
        Revision::RemoteBranch(branch.clone()),
        Revision::RemoteBranch(base.clone()),
    ];
    let mut heads = context.git.resolve_all(&wanted);
    let base = RemoteBase::new(base, heads.pop().unwrap_or(Head::Absent));
    for (side, is_local) in heads.into_iter().zip([true, false]) {
        let outcome = match side {
            Head::Absent => continue,
            Head::Unknown(why) => return Err(why),
            Head::At(head) if is_local => context.git.delete_branch(&branch, &head, &base, &owner),
            Head::At(head) => context.git.delete_remote_branch(&branch, &head, &base, &owner),
        };
        match outcome {
            DeleteOutcome::Deleted { kept_as } => kept.extend(kept_as),
            DeleteOutcome::Absent => {}
            DeleteOutcome::Kept(why) => {
                let text = format!("could not start over on {branch}: {why}");
                return Err(TroubleKind::Other.cause(text));
            }
            DeleteOutcome::Unknown(why) => return Err(why),
        }
    }
    kept.sort();
    kept.dedup();
    Ok(kept)
}
