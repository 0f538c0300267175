//! Removing a worktree: keep first, then let git delete what it and we both recognise. There is no other way to delete
//! here, on purpose (B3-9, LK-19).

use std::fs;
use std::path::Path;

use super::cli::GitCli;
use super::files::failed;
use super::parse::RegisteredWorktree;
use super::worktree_link::{self, CheckoutDir, PathStatus};
use crate::ports::git::{AtticOwner, AtticSnapshot, CommitId, GitError, RemoveOutcome, SafeName};

impl GitCli {
    /// Call with the project queue held.
    pub(super) fn remove(&self, folder: &SafeName, saver: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let path = worktree_link::root(&self.project).join(folder.as_str());
        match worktree_link::look(&self.project, &path)? {
            PathStatus::Ours(site) => self.remove_ours(&site, saver),
            PathStatus::Foreign(why) => Ok(RemoveOutcome::Kept(why)),
            PathStatus::EmptyFolder => {
                fs::remove_dir(&path).map_err(failed("remove", &path))?;
                Ok(RemoveOutcome::Removed(self.forget(&path, saver)?))
            }
            PathStatus::Nothing => Ok(match self.forget(&path, saver)? {
                Some(snapshot) => RemoveOutcome::Removed(Some(snapshot)),
                None => RemoveOutcome::Absent,
            }),
        }
    }

    /// Drops the registration of a folder that is no longer there; the commit it stood on is kept (LK-25).
    pub(super) fn forget(&self, path: &Path, saver: &AtticOwner) -> Result<Option<AtticSnapshot>, GitError> {
        let Some(entry) = self.registration(path)? else {
            return Ok(None);
        };
        let kept = entry.head.as_ref().map(|head| self.keep_head(head, saver));
        let kept = kept.transpose()?.flatten();
        self.unregister(&entry)?;
        Ok(kept)
    }

    fn remove_ours(&self, site: &CheckoutDir, saver: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let Some(entry) = self.registration(&site.folder)? else {
            let why = "git does not list it as a worktree".to_owned();
            return Ok(RemoveOutcome::Kept(why));
        };
        let snapshot = match self.keep_if_needed(site, &entry, saver)? {
            Ok(snapshot) => snapshot,
            Err(why) => return Ok(RemoveOutcome::Kept(why)),
        };
        self.unregister(&entry)?;
        if site.folder.symlink_metadata().is_ok() {
            return Ok(RemoveOutcome::Kept("git left something of it behind".to_owned()));
        }
        Ok(RemoveOutcome::Removed(snapshot))
    }

    /// A snapshot where anything would be lost; the inner error says what a snapshot cannot hold.
    fn keep_if_needed(
        &self,
        site: &CheckoutDir,
        entry: &RegisteredWorktree,
        saver: &AtticOwner,
    ) -> Result<Result<Option<AtticSnapshot>, String>, GitError> {
        if self.is_kept_elsewhere(site, entry)? {
            return Ok(Ok(None));
        }
        let kept = self.snapshot_checkout(site, saver)?;
        if let Some(nested) = kept.nested.first() {
            let nested = super::error_text::one_line(nested);
            return Ok(Err(format!(
                "{nested} in it is a repository of its own, which no snapshot can hold"
            )));
        }
        Ok(Ok(Some(kept.snapshot)))
    }

    fn is_kept_elsewhere(&self, site: &CheckoutDir, entry: &RegisteredWorktree) -> Result<bool, GitError> {
        let state = self.read_state(site)?;
        let Some(head) = &state.head else { return Ok(false) };
        let is_clean = state.tree == self.tree_of(head)?;
        let is_named = entry.branch.is_some() || self.is_on_a_branch(head)? || self.is_on_the_remote(head)?;
        Ok(is_clean && is_named && self.unreferenced_commits(site, Some(head))?.is_empty())
    }

    fn keep_head(&self, head: &CommitId, saver: &AtticOwner) -> Result<Option<AtticSnapshot>, GitError> {
        if self.is_on_a_branch(head)? || self.is_on_the_remote(head)? {
            return Ok(None);
        }
        self.import_known(head.clone())?;
        self.archive(head, &saver.task).map(Some)
    }

    /// Whether a commit was seen on the remote: such commits are pinned in the control repository for good.
    fn is_on_the_remote(&self, commit: &CommitId) -> Result<bool, GitError> {
        if !self.has(commit)? {
            return Ok(false);
        }
        let call = self.in_control(format!("look for {commit} among the remote's commits"))?;
        call.reaches(commit, "refs/dbs/remote/")
    }
}
