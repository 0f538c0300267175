//! Worktrees that git has registered for the project, and removal of the registrations of our own folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::missing;
use super::parse::{self, RegisteredWorktree};
use super::worktree_link;
use crate::ports::git::{BranchName, CheckedOut, GitError, SafeName};

impl RegisteredWorktree {
    /// Returns true if this is the entry of a folder, also when the folder or git's spelling of it goes through links.
    pub(super) fn is_at(&self, folder: &Path) -> bool {
        let canonical = |path: &Path| {
            let parent = path.parent().and_then(|parent| parent.canonicalize().ok())?;
            Some(parent.join(path.file_name()?))
        };
        self.path == folder || (canonical(&self.path).is_some() && canonical(&self.path) == canonical(folder))
    }

    pub(super) fn holds(&self, branch: &BranchName) -> bool {
        self.branch.as_deref() == Some(branch.as_str())
    }
}

impl GitCli {
    /// All registered worktrees, the main checkout first.
    pub(super) fn registered(&self) -> Result<Vec<RegisteredWorktree>, GitError> {
        let output = self
            .in_project("list the worktrees")
            .words("worktree list --porcelain -z")
            .run_ok()?;
        Ok(parse::worktrees(&output.stdout))
    }

    /// The state of the main checkout: a branch, or a commit without one.
    pub(super) fn checked_out(&self) -> Result<CheckedOut, GitError> {
        if let Some(branch) = self.branch_checked_out() {
            return Ok(CheckedOut::Branch(branch));
        }
        let entries = self.registered()?;
        let main = entries.iter().find(|entry| entry.is_at(&self.project.root));
        main.map(|entry| entry.checked_out.clone()).ok_or_else(|| {
            let what = "the main checkout among the worktrees";
            missing(what, "is the repository bare?")
        })
    }

    pub(super) fn registration(&self, folder: &Path) -> Result<Option<RegisteredWorktree>, GitError> {
        if self.is_unregistered(folder) {
            return Ok(None);
        }
        Ok(self.registered()?.into_iter().find(|entry| entry.is_at(folder)))
    }

    /// Path of the worktree of that name: in an earlier folder of worktrees if it is registered there, else where new ones are made.
    pub(super) fn worktree_path(&self, name: &SafeName) -> PathBuf {
        let path = |root: &PathBuf| root.join(name.as_str());
        let new = worktree_link::root(&self.project).join(name.as_str());
        let former = self.project.worktree_roots.iter().skip(1).map(path);
        let mut former = former.filter(|_| new.symlink_metadata().is_err());
        former.find(|path| self.git_dir_of(path).is_some()).unwrap_or(new)
    }

    /// The git folder of the registration that names a folder.
    pub(super) fn git_dir_of(&self, folder: &Path) -> Option<PathBuf> {
        let entries = fs::read_dir(self.project.common.join("worktrees")).ok()?;
        let names_it = |git_dir: &PathBuf| {
            let pointer = worktree_link::read_pointer(&git_dir.join("gitdir")).ok();
            pointer.is_some_and(|pointer| git_dir.join(pointer).parent() == Some(folder))
        };
        entries.flatten().map(|entry| entry.path()).find(names_it)
    }

    /// Returns true if no registration can be that folder's, because each names a folder of another name. False: git has to be asked.
    fn is_unregistered(&self, folder: &Path) -> bool {
        let is_other = |entry: std::io::Result<fs::DirEntry>| {
            let pointer = entry.map(|entry| worktree_link::read_pointer(&entry.path().join("gitdir")));
            let Ok(Ok(pointer)) = pointer else { return false };
            let named = Path::new(&pointer).parent().and_then(Path::file_name);
            named.is_some() && named != folder.file_name()
        };
        match fs::read_dir(self.project.common.join("worktrees")) {
            Ok(mut entries) => entries.all(is_other),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// Lets git remove a worktree of ours: the folder, if it is there, and the registration. Nothing is checked here.
    /// The lock of a half-made worktree is overridden.
    pub(super) fn unregister(&self, entry: &RegisteredWorktree) -> Result<(), GitError> {
        let call = self.in_project(format!("remove worktree {}", entry.path.display()));
        let call = call.words("worktree remove --force");
        let call = if entry.is_locked {
            call.arg("--force")
        } else {
            call
        };
        call.arg("--").arg(&entry.path).run_ok().map(drop)
    }
}
