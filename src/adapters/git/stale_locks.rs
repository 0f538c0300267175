//! Locks that a killed git of ours left in the project's repository. That repository is shared with people and agents, so a lock is removed
//! only when all of this is true: we noted its name before that git began, the git did not end by itself, none of ours is left alive, the
//! lock is younger than the note, and it is too old to be in use. Every other lock has an owner, except one on the branch of a task that is
//! too old to be in use, when the next agent is about to work there.

use std::fs;
use std::path::{Component, Path};
use std::time::Duration;

use super::cli::GitCli;
use super::fetch::is_there;
use super::files::failed;
use super::parse::existing_commit;
use super::write_lock::{WriteGuard, milliseconds};
use crate::adapters::text_file;
use crate::domain::TroubleKind;
use crate::ports::git::{AtticOwner, AtticSnapshot, BranchName, GitError};

/// Maximum duration of a git of ours that may live on because a child cannot hold the queue's lock beyond its parent's death.
const LONGEST_CALL: Duration = Duration::from_mins(if cfg!(unix) { 0 } else { 30 });

/// Maximum number of bytes of the lock of a ref, which holds one id.
const LONGEST_LOCK: u64 = 1024;

/// The file git holds while it changes a ref, in the repository.
pub(super) fn lock_of(reference: &str) -> String {
    format!("{reference}.lock")
}

pub(super) fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

impl GitCli {
    /// Removes the lock that a killed git left on the branch of a task, whether or not the branch was made: with it no agent could commit
    /// there. Only for a branch at which no agent works. A person's git may hold the lock, but only for a moment. The commit that the
    /// branch was to move to is kept: after a power cut it can be one that was done, and that nothing else names.
    ///
    /// # Errors
    /// When the lock may be in use, what it names cannot be kept, or it cannot be removed.
    pub(super) fn free_lock(
        &self,
        branch: &BranchName,
        owner: &AtticOwner,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        let lock = self.project.common.join(lock_of(&branch.full()));
        if !is_file(&lock) {
            return Ok(None);
        }
        if !self.is_old(&lock) {
            return Err(GitError::Unreachable {
                kind: TroubleKind::Lock,
                what: format!("work on branch {branch}"),
                why: format!("{} was made less than a minute ago", lock.display()),
            });
        }
        let text = text_file::read_text(&lock, LONGEST_LOCK).unwrap_or_default();
        let kept = match existing_commit(text.trim_end()) {
            Some(commit) if is_there(self.in_project(format!("look for {commit}")), &commit)? => {
                self.keep_head(&commit, owner)?
            }
            Some(_) | None => None,
        };
        tracing::warn!("removing {}, which a killed git had left", lock.display());
        fs::remove_file(&lock).map_err(failed("remove", &lock))?;
        Ok(kept)
    }

    /// Returns true if a file was left untouched for so long that the process that made it has ended.
    pub(super) fn is_old(&self, path: &Path) -> bool {
        let made = path.symlink_metadata().and_then(|found| found.modified());
        made.is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= self.program.limits.abandoned))
    }

    /// Waits for the turn to write to the project's repository, and first removes locks that a killed git of ours left there.
    pub(super) fn lock_project(&self) -> Result<WriteGuard<'_>, GitError> {
        let clean = |notes: &str| self.sweep_noted(notes);
        let turn = self.project_lock.acquire(self.program.limits.transfer, clean)?;
        Ok(turn.finishing_when_dropped())
    }

    /// Removes leftover locks at a start: only where something was left, and without waiting for another process that does the same.
    pub(super) fn sweep_project_locks(&self) {
        if self.project_lock.is_unfinished() {
            let clean = |notes: &str| self.sweep_noted(notes);
            // If a lock cannot be removed, the first call that needs it reports the error.
            let turn = self.project_lock.acquire(Duration::ZERO, clean);
            drop(turn.map(WriteGuard::finishing_when_dropped));
        }
    }

    /// Removes the noted locks that were left behind, and returns the notes that have to be looked at again.
    pub(super) fn sweep_noted(&self, notes: &str) -> String {
        let is_undecided = |line: &&str| {
            let (at, name) = line.split_once(' ').unwrap_or_default();
            at.parse().is_ok_and(|at| self.sweep_lock(at, name))
        };
        let kept: Vec<&str> = notes.lines().filter(is_undecided).collect();
        if kept.is_empty() {
            String::new()
        } else {
            format!("{}\n", kept.join("\n"))
        }
    }

    /// Removes that lock if it is old enough to be left behind. Returns true if it may still turn out to be.
    fn sweep_lock(&self, noted: u128, name: &str) -> bool {
        let mut parts = Path::new(name).components();
        let lock = self.project.common.join(name);
        let is_lock = lock.extension().is_some_and(|end| end == "lock");
        if !is_lock || !parts.all(|part| matches!(part, Component::Normal(_))) {
            return false;
        }
        let found = lock.symlink_metadata().ok().filter(fs::Metadata::is_file);
        let made = found.and_then(|found| found.modified().ok());
        let Some(made) = made.filter(|made| milliseconds(*made) >= noted) else {
            return false;
        };
        let limit = self.program.limits.abandoned.max(LONGEST_CALL);
        if made.elapsed().is_ok_and(|age| age >= limit) {
            match fs::remove_file(&lock) {
                Ok(()) => tracing::warn!("removed {}, which a killed git had left", lock.display()),
                Err(error) => tracing::warn!("could not remove {}: {error}", lock.display()),
            }
            return false;
        }
        true
    }
}
