//! Deleting branches, here and on the remote: only where they were last seen, and never the only name of a commit
//! (LK-20, LK-23).

use super::cli::GitCli;
use super::push::{PushLease, PushReply};
use super::stale_locks::lock_of;
use super::write_lock::WriteGuard;
use crate::ports::git::{AtticOwner, BranchName, CommitId, DeleteOutcome, GitError, RemoteBase};

impl GitCli {
    /// Makes a branch of the project, or moves it; only from where it was seen.
    pub(super) fn move_branch(
        &self,
        branch: &BranchName,
        from: Option<&CommitId>,
        to: &CommitId,
        why: &str,
        turn: &mut WriteGuard<'_>,
    ) -> Result<(), GitError> {
        let nothing = "0".repeat(to.as_str().len());
        let seen = from.map_or(nothing.as_str(), CommitId::as_str);
        let call = self.in_project(format!("set branch {branch} to {to}"));
        let call = call.args(["update-ref", "-m", why, "--end-of-options"]);
        let call = call.arg(branch.full()).arg(to.as_str()).arg(seen);
        call.run_locked(turn, &[lock_of(&branch.full())]).map(drop)
    }

    pub(super) fn delete_local(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> Result<DeleteOutcome, GitError> {
        if let Some(end) = refusal(self.local_head(branch)?.as_ref(), branch, recorded, base) {
            return Ok(end);
        }
        self.import_known(recorded.clone())?;
        let kept_as = self.keep_unless_merged(recorded, base, owner)?;
        let mut turn = self.lock_project()?;
        if let Some(entry) = self.registered()?.iter().find(|entry| entry.holds(branch)) {
            let folder = entry.path.display();
            return Ok(DeleteOutcome::Kept(format!(
                "{branch} is checked out in {folder}"
            )));
        }
        self.free_lock(branch, owner)?;
        let call = self.in_project(format!("delete branch {branch}"));
        let call = call.words("update-ref -d --end-of-options");
        let call = call.arg(branch.full()).arg(recorded.as_str());
        let locks = [lock_of(&branch.full()), "packed-refs.lock".to_owned()];
        call.run_locked(&mut turn, &locks)?;
        Ok(DeleteOutcome::Deleted { kept_as })
    }

    pub(super) fn delete_remote(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> Result<DeleteOutcome, GitError> {
        // The remote itself keeps a branch that is at another commit, so it is not asked beforehand.
        if let Some(end) = refusal(Some(recorded), branch, recorded, base) {
            return Ok(end);
        }
        if !self.import_commit(recorded)? {
            // The commit is gone, so no branch of the remote is at it.
            let there = self.remote_branch_head(branch)?;
            let moved = |there| DeleteOutcome::Kept(format!("{branch} is at {there} now"));
            return Ok(there.map_or(DeleteOutcome::Absent, moved));
        }
        let kept_as = self.keep_unless_merged(recorded, base, owner)?;
        let end = self.push(None, branch, PushLease::At(Some(recorded)));
        let Some(there) = self.remote_branch_head(branch)? else {
            return Ok(match end {
                Ok(PushReply::Stale(_) | PushReply::Refused(_)) => DeleteOutcome::Absent,
                Ok(PushReply::Accepted) | Err(_) => DeleteOutcome::Deleted { kept_as },
            });
        };
        if there != *recorded {
            return Ok(DeleteOutcome::Kept(format!("{branch} is at {there} now")));
        }
        Ok(match end? {
            PushReply::Refused(why) => DeleteOutcome::Kept(why),
            end => DeleteOutcome::Unknown(end.unconfirmed(branch)),
        })
    }

    /// Keeping too much is harmless, so anything but a clear yes keeps. A squash merge has the content, not the commits.
    fn keep_unless_merged(
        &self,
        commit: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> Result<Option<String>, GitError> {
        let is_in = |base: &CommitId| self.is_ancestor(commit, base).unwrap_or(false);
        if base.head.as_ref().is_some_and(is_in) {
            return Ok(None);
        }
        Ok(Some(self.archive(commit, &owner.task)?.attic_ref))
    }
}

/// Returns the reason why a branch that is at `head` is not deleted, if there is one: it is absent, it moved since it was recorded, or it
/// is the base.
fn refusal(
    head: Option<&CommitId>,
    branch: &BranchName,
    recorded: &CommitId,
    base: &RemoteBase,
) -> Option<DeleteOutcome> {
    match head {
        None => Some(DeleteOutcome::Absent),
        Some(head) if head != recorded => Some(DeleteOutcome::Kept(format!("{branch} is at {head} now"))),
        Some(_) if *branch == base.branch => {
            Some(DeleteOutcome::Kept(format!("{branch} is the base branch")))
        }
        Some(_) => None,
    }
}
