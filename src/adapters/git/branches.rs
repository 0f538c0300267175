//! Deleting branches, here and on the remote: only where they were last seen, and never the only name of a commit
//! (LK-20, LK-23).

use super::cli::GitCli;
use super::locks::lock_of;
use super::push::PushEnd;
use super::queue::Turn;
use crate::ports::git::{BranchName, CommitId, Deletion, GitError, Saver};

impl GitCli {
    /// Makes a branch of the project, or moves it; only from where it was seen.
    pub(super) fn move_branch(
        &self,
        branch: &BranchName,
        (from, to): (Option<&CommitId>, &CommitId),
        why: &str,
        turn: &mut Turn<'_>,
    ) -> Result<(), GitError> {
        let nothing = "0".repeat(to.as_str().len());
        let seen = from.map_or(nothing.as_str(), CommitId::as_str);
        let call = self.in_project(format!("set branch {branch} to {to}"));
        let call = call.args(["update-ref", "-m", why, "--end-of-options"]);
        let call = call.arg(branch.full()).arg(to.as_str()).arg(seen);
        call.ok_in(turn, &[lock_of(&branch.full())]).map(drop)
    }

    pub(super) fn delete_local(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &BranchName,
        saver: &Saver,
    ) -> Result<Deletion, GitError> {
        if let Some(end) = stands_against(self.local_head(branch)?.as_ref(), branch, recorded, base) {
            return Ok(end);
        }
        self.bring_known(recorded.clone())?;
        let kept_as = self.keep_unless_merged(recorded, base, saver)?;
        let mut turn = self.queue_project()?;
        if let Some(entry) = self.registered()?.iter().find(|entry| entry.holds(branch)) {
            return Ok(Deletion::Kept(format!(
                "{branch} is checked out in {}",
                entry.path.display()
            )));
        }
        let call =
            self.in_project(format!("delete branch {branch}"))
                .args(["update-ref", "-d", "--end-of-options"]);
        let locks = [lock_of(&branch.full()), "packed-refs.lock".to_owned()];
        call.arg(branch.full())
            .arg(recorded.as_str())
            .ok_in(&mut turn, &locks)?;
        Ok(Deletion::Deleted { kept_as })
    }

    pub(super) fn delete_remote(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &BranchName,
        saver: &Saver,
    ) -> Result<Deletion, GitError> {
        if let Some(end) = stands_against(self.bring_remote(branch)?.as_ref(), branch, recorded, base) {
            return Ok(end);
        }
        let kept_as = self.keep_unless_merged(recorded, base, saver)?;
        let end = self.push(None, branch, Some(recorded));
        let there = self.ask_remote(branch)?;
        match (there, end) {
            (None, _) => Ok(Deletion::Deleted { kept_as }),
            (Some(head), _) if head != *recorded => Ok(Deletion::Kept(format!("{branch} is at {head} now"))),
            (Some(_), Err(error)) => Err(error),
            (Some(_), Ok(PushEnd::Refused(why))) => Ok(Deletion::Kept(why)),
            (Some(_), Ok(end)) => Ok(Deletion::Unknown(end.unseen(branch))),
        }
    }

    /// Keeping too much is harmless, so anything but a clear yes keeps. A squash merge has the content, not the commits.
    fn keep_unless_merged(
        &self,
        commit: &CommitId,
        base: &BranchName,
        saver: &Saver,
    ) -> Result<Option<String>, GitError> {
        let is_merged = match self.bring_remote(base) {
            Ok(Some(base)) => self.is_ancestor(commit, &base).unwrap_or(false),
            Ok(None) | Err(_) => false,
        };
        if is_merged {
            Ok(None)
        } else {
            Ok(Some(self.archive(commit, &saver.task)?.attic))
        }
    }
}

/// Why a branch that stands at `head` is not deleted, if it is not: it moved since it was recorded, or it is the base.
fn stands_against(
    head: Option<&CommitId>,
    branch: &BranchName,
    recorded: &CommitId,
    base: &BranchName,
) -> Option<Deletion> {
    match head {
        None => Some(Deletion::Absent),
        Some(head) if head != recorded => Some(Deletion::Kept(format!("{branch} is at {head} now"))),
        Some(_) if branch == base => Some(Deletion::Kept(format!("{branch} is the base branch"))),
        Some(_) => None,
    }
}
