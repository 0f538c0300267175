//! Putting things away after an attempt: worktrees (with a snapshot first) and branches. Nothing that holds work is deleted
//! without a recoverable copy (design 5.9).

use super::job::Job;
use super::world::{World, base_branch, branch_of};
use crate::domain::Event;
use crate::domain::workflow::Workspace;
use crate::ports::git::{CommitId, Deletion, Head, Removal, Revision, SafeName};

/// Removes the attempt's worktree; work that is kept nowhere else goes to the attic first.
pub(super) fn settle(world: &World, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    Some(Event::WorkspaceSettled {
        attempt: attempt.id,
        problem: remove(world, job),
    })
}

/// Removes the worktree of an attempt that never started. What cannot be removed now is found by the next start's inventory.
pub(super) fn discard(world: &World, job: &Job) {
    if let Some(problem) = remove(world, job) {
        tracing::warn!(task = %job.task.id, "{problem}");
    }
}

fn remove(world: &World, job: &Job) -> Option<String> {
    let attempt = job.attempt.as_deref()?;
    if matches!(job.workspace(), Workspace::Main | Workspace::None) {
        return None;
    }
    let folder = SafeName::derive(&job.folder()?);
    match world
        .git
        .remove_worktree(&folder, &world.saver(&job.task, attempt.created_at))
    {
        Ok(Removal::Removed(_) | Removal::Absent) => None,
        Ok(Removal::Kept(why)) => Some(format!("worktree {folder} was left alone: {why}")),
        Err(error) => Some(format!("could not {error}")),
    }
}

/// Deletes the branch of a finished task, here and on the remote (K25); a head that is not merged goes to the attic (LK-20).
/// Answers what stands against it, if anything does.
pub(super) fn retire(world: &World, job: &Job) -> Option<String> {
    let branch = branch_of(&job.task);
    let base = match base_branch(&job.base) {
        Ok(base) => base,
        Err(error) => return Some(format!("could not {error}")),
    };
    let saver = world.saver(&job.task, job.task.created_at);
    let local = match world.git.resolve(&Revision::Project(branch.clone())) {
        Head::At(head) => problem(world.git.delete_branch(&branch, &head, &base, &saver)),
        Head::Absent => None,
        Head::Unknown(why) => Some(why),
    };
    let recorded = job.task.head.as_deref().and_then(|text| CommitId::new(text).ok());
    let remote =
        recorded.and_then(|head| problem(world.git.delete_remote_branch(&branch, &head, &base, &saver)));
    local.or(remote)
}

fn problem(deletion: Deletion) -> Option<String> {
    match deletion {
        Deletion::Deleted { .. } | Deletion::Absent => None,
        Deletion::Kept(why) | Deletion::Unknown(why) => Some(why),
    }
}
