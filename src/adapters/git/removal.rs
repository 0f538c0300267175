//! Removal of a worktree: keep first, then move the folder aside that git and we both recognise, and have git forget it. Its files are
//! deleted after the project queue is released. There is no other way to delete here, on purpose (B3-9, LK-19).

use std::fs;
use std::path::Path;

use super::cli::GitCli;
use super::files::failed;
use super::parse::RegisteredWorktree;
use super::registration_repair::RepairScope;
use super::worktree_link::{self, CheckoutDir, PathStatus};
use crate::ports::git::{AtticOwner, AtticSnapshot, CommitId, GitError, RemoveOutcome, SafeName};

impl GitCli {
    /// Call with the project queue held.
    pub(super) fn remove(&self, folder: &SafeName, owner: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        self.repair_registrations(RepairScope::All);
        self.remove_as_it_is(folder, owner)
    }

    /// The same without repairing first.
    pub(super) fn remove_as_it_is(
        &self,
        folder: &SafeName,
        owner: &AtticOwner,
    ) -> Result<RemoveOutcome, GitError> {
        let path = self.worktree_path(folder);
        match worktree_link::look(&self.project, &path)? {
            PathStatus::Ours(site) => self.remove_ours(&site, owner),
            PathStatus::Foreign(why) => Ok(RemoveOutcome::Kept(why)),
            PathStatus::EmptyFolder => {
                fs::remove_dir(&path).map_err(failed("remove", &path))?;
                Ok(RemoveOutcome::Removed(self.forget(&path, owner)?))
            }
            PathStatus::Nothing => Ok(match self.forget(&path, owner)? {
                Some(snapshot) => RemoveOutcome::Removed(Some(snapshot)),
                None => RemoveOutcome::Absent,
            }),
        }
    }

    /// Drops the registration of a folder that is no longer there; its commit is kept (LK-25).
    pub(super) fn forget(&self, path: &Path, owner: &AtticOwner) -> Result<Option<AtticSnapshot>, GitError> {
        let Some(entry) = self.registration(path)? else {
            return Ok(None);
        };
        let kept = self.keep_registration(&entry, owner)?;
        self.unregister(&entry)?;
        Ok(kept)
    }

    /// Keeps what is lost with a registration whose folder is gone: its commit, commits only its log remembers, and the git folders of its
    /// submodules.
    fn keep_registration(
        &self,
        entry: &RegisteredWorktree,
        owner: &AtticOwner,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        match (self.git_dir_of(&entry.path), &entry.head) {
            (Some(git_dir), head) => self.keep_git_dir(&git_dir, head.as_ref(), owner),
            (None, Some(head)) => self.keep_head(head, owner),
            (None, None) => Ok(None),
        }
    }

    /// Keeps the commits that only the git folder of a worktree remembers.
    pub(super) fn keep_git_dir(
        &self,
        git_dir: &Path,
        head: Option<&CommitId>,
        owner: &AtticOwner,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        let site = CheckoutDir {
            folder: git_dir.to_path_buf(),
            git_dir: git_dir.to_path_buf(),
        };
        let mut parents = self.unreferenced_commits(&site, head)?;
        parents.extend(self.keep_nested(&site, owner)?);
        match (head, parents.first()) {
            (Some(head), None) => self.keep_head(head, owner),
            (_, Some(first)) => {
                let mut first = first.clone();
                if let Some(head) = head {
                    first = self.import_known(head.clone())?;
                    parents.insert(0, first.clone());
                }
                let tree = self.tree_of(&first)?;
                let message = format!("What was left of a worktree\n\nDbs-Task: {}\n", owner.task);
                self.keep_once(&tree, &parents, message, owner).map(Some)
            }
            (None, None) => Ok(None),
        }
    }

    fn remove_ours(&self, checkout: &CheckoutDir, owner: &AtticOwner) -> Result<RemoveOutcome, GitError> {
        let Some(entry) = self.registration(&checkout.folder)? else {
            let why = "git does not list it as a worktree".to_owned();
            return Ok(RemoveOutcome::Kept(why));
        };
        let snapshot = self.keep_if_needed(checkout, &entry, owner)?;
        checkout.unset_ready()?;
        self.set_aside(checkout);
        self.unregister(&entry)?;
        if checkout.folder.symlink_metadata().is_ok() {
            return Ok(RemoveOutcome::Kept("git left something of it behind".to_owned()));
        }
        Ok(RemoveOutcome::Removed(snapshot))
    }

    /// A snapshot where anything would be lost.
    fn keep_if_needed(
        &self,
        checkout: &CheckoutDir,
        entry: &RegisteredWorktree,
        owner: &AtticOwner,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        if self.repositories_with_work(checkout)?.is_empty() && self.is_kept_elsewhere(checkout, entry)? {
            return Ok(None);
        }
        self.snapshot_checkout(checkout, owner).map(Some)
    }

    fn is_kept_elsewhere(
        &self,
        checkout: &CheckoutDir,
        entry: &RegisteredWorktree,
    ) -> Result<bool, GitError> {
        let state = self.read_state(checkout)?;
        let Some(head) = &state.head else { return Ok(false) };
        let is_clean = state.tree == self.tree_of(head)?;
        let is_named = entry.branch.is_some() || self.is_on_a_branch(head)? || self.is_on_the_remote(head)?;
        Ok(is_clean && is_named && self.unreferenced_commits(checkout, Some(head))?.is_empty())
    }

    pub(super) fn keep_head(
        &self,
        head: &CommitId,
        owner: &AtticOwner,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        if self.is_on_a_branch(head)? || self.is_on_the_remote(head)? {
            return Ok(None);
        }
        self.import_known(head.clone())?;
        self.archive(head, &owner.task).map(Some)
    }

    /// Returns true if a commit was seen on the remote: such commits are pinned in the control repository for good.
    fn is_on_the_remote(&self, commit: &CommitId) -> Result<bool, GitError> {
        if !self.has(commit)? {
            return Ok(false);
        }
        let call = self.in_control(format!("look for {commit} among the remote's commits"))?;
        call.reaches(commit, "refs/dbs/remote/")
    }
}
