//! Removing a worktree: keep first, then let git delete what it and we both recognise. There is no other way to delete
//! here, on purpose (B3-9, LK-19).

use std::fs;
use std::path::Path;

use super::cli::GitCli;
use super::files::failed;
use super::parse::RegisteredWorktree;
use super::worktree_link::{self, PathStatus, WorktreeLink};
use super::worktree_state::CheckoutDir;
use crate::ports::git::{AtticOwner, AtticSnapshot, CommitId, GitError, RemoveOutcome, SafeName};

impl GitCli {
    /// Call with the project queue held.
    pub(super) fn remove(&self, folder: &SafeName, saver: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let path = worktree_link::root(&self.project).join(folder.as_str());
        match worktree_link::look(&self.project, &path)? {
            PathStatus::Ours(link) => self.remove_ours(&link, saver),
            PathStatus::Foreign(why) => Ok(RemoveOutcome::Kept(why)),
            PathStatus::EmptyFolder => {
                fs::remove_dir(&path).map_err(|error| failed("remove", &path, &error))?;
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
        let kept = match &entry.head {
            Some(head) => self.keep_head(head, saver)?,
            None => None,
        };
        self.unregister(&entry)?;
        Ok(kept)
    }

    fn remove_ours(&self, link: &WorktreeLink, saver: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let Some(entry) = self.registration(&link.folder)? else {
            return Ok(RemoveOutcome::Kept(
                "git does not list it as a worktree".to_owned(),
            ));
        };
        let snapshot = match self.keep_if_needed(link, &entry, saver)? {
            Ok(snapshot) => snapshot,
            Err(why) => return Ok(RemoveOutcome::Kept(why)),
        };
        self.unregister(&entry)?;
        if link.folder.symlink_metadata().is_ok() {
            return Ok(RemoveOutcome::Kept("git left something of it behind".to_owned()));
        }
        Ok(RemoveOutcome::Removed(snapshot))
    }

    /// A snapshot where anything would be lost; the inner error says what a snapshot cannot hold.
    fn keep_if_needed(
        &self,
        link: &WorktreeLink,
        entry: &RegisteredWorktree,
        saver: &AtticOwner,
    ) -> Result<Result<Option<AtticSnapshot>, String>, GitError> {
        let site = CheckoutDir {
            folder: link.folder.clone(),
            git_dir: link.git_dir.clone(),
        };
        if self.is_kept_elsewhere(&site, entry)? {
            return Ok(Ok(None));
        }
        let kept = self.snapshot_checkout(&site, saver)?;
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
        let call = call.args([
            "for-each-ref",
            "--count=1",
            "--contains",
            commit.as_str(),
            "refs/dbs/remote/",
        ]);
        Ok(!call.run_line()?.is_empty())
    }
}
