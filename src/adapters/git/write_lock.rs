//! Queue before a repository: one writer at a time, over all threads and processes, and over the death of either. Each git of ours that
//! writes there holds the lock as its standard input, so the lock is free only when no git left behind by a dead server is at work; locks
//! that it left then have no owner (B3-14).

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::{Mutex, MutexGuard};

use super::files::failed;
use crate::domain::TroubleKind;
use crate::ports::git::GitError;

/// Pause between two attempts at the lock another process holds.
const RETRY_INTERVAL: Duration = Duration::from_millis(5);
const MAX_NOTES: u64 = 64 * 1024;

/// Lock that admits one writer at a time to a repository, across threads and processes.
pub(super) struct RepoLock {
    mutex: Mutex<()>,
    file: PathBuf,
    whose: &'static str,
}

/// Guard of a repository's write lock; if it is not finished, the next writer cleans up first.
pub(super) struct WriteGuard<'a> {
    _mutex: MutexGuard<'a, ()>,
    file: File,
    /// Notes of earlier turns that are still true, with the end of their last line: the notes of this turn are written after them.
    kept: String,
    /// True while a git that was noted is at work.
    is_noted: bool,
    /// True if the turn ends by itself when it is dropped, unless a git that was noted did not end.
    finishes_when_dropped: bool,
}

impl RepoLock {
    pub(super) fn new(file: PathBuf, whose: &'static str) -> Self {
        Self {
            mutex: Mutex::new(()),
            file,
            whose,
        }
    }

    /// Waits for the turn, for another process at most `timeout`; calls `clean` with the notes of the last holder when that did not finish.
    /// The result of `clean` stays noted.
    pub(super) fn acquire(
        &self,
        timeout: Duration,
        clean: impl FnOnce(&str) -> String,
    ) -> Result<WriteGuard<'_>, GitError> {
        let line = self.mutex.lock();
        let error = |error: std::io::Error| failed("lock", &self.file)(error);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.file);
        let mut file = file.map_err(error)?;
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if waited < timeout => thread::park_timeout(RETRY_INTERVAL),
                Err(TryLockError::WouldBlock) => {
                    return Err(GitError::Unreachable {
                        kind: TroubleKind::Lock,
                        what: format!("write to {}", self.whose),
                        why: format!("another git still works in {}", self.whose),
                    });
                }
                Err(TryLockError::Error(cause)) => return Err(error(cause)),
            }
            waited += RETRY_INTERVAL;
        }
        let mut left = Vec::new();
        (&mut file)
            .take(MAX_NOTES)
            .read_to_end(&mut left)
            .map_err(error)?;
        let mut turn = WriteGuard {
            _mutex: line,
            file,
            kept: String::new(),
            is_noted: false,
            finishes_when_dropped: false,
        };
        if !left.is_empty() {
            turn.kept = clean(&String::from_utf8_lossy(&left));
        }
        turn.write("!").map_err(error)?;
        Ok(turn)
    }

    /// Returns true if the last holder did not finish, as far as can be seen without a turn.
    pub(super) fn is_unfinished(&self) -> bool {
        self.file.symlink_metadata().is_ok_and(|found| found.len() > 0)
    }
}

impl WriteGuard<'_> {
    /// Notes the locks that a git that is about to be started may leave behind, with the time by the clock of the disk.
    pub(super) fn note(&mut self, names: &[String]) -> Result<(), GitError> {
        self.is_noted = true;
        let at = self.file.metadata().and_then(|found| found.modified());
        let noted = at.and_then(|at| {
            let lines = names.iter().map(|name| format!("\n{} {name}", milliseconds(at)));
            self.write(&format!("!{}", lines.collect::<String>()))?;
            // Git syncs the lock it is about to make; after a power cut a lock without its note would seem to have an owner for ever.
            self.file.sync_data()
        });
        noted.map_err(failed("note", Path::new("what git is about to do")))
    }

    /// The git that was noted has ended by itself, and left nothing.
    pub(super) fn forget(&mut self) -> Result<(), GitError> {
        self.is_noted = false;
        let written = self.write("!");
        written.map_err(failed("note", Path::new("what git is about to do")))
    }

    /// Returns the same turn, which ends when it is dropped, whatever happened to it; only a git that was noted and did not end by itself
    /// leaves it unfinished.
    pub(super) fn finishing_when_dropped(mut self) -> Self {
        self.finishes_when_dropped = true;
        self
    }

    /// Overwrites the earlier text: if the process ends or the disk is full in between, one text or the other is left.
    fn write(&mut self, text: &str) -> std::io::Result<()> {
        let mut whole = format!("{}{text}", self.kept).into_bytes();
        let length = whole.len();
        let before = usize::try_from(self.file.metadata()?.len()).unwrap_or_default();
        whole.resize(length.max(before), b'\n');
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&whole)?;
        self.file.set_len(u64::try_from(length).unwrap_or_default())
    }

    /// The lock, for a git that is started in this turn.
    pub(super) fn lock_file(&self) -> Result<File, GitError> {
        let shared = self.file.try_clone();
        shared.map_err(failed("share", Path::new("the queue's lock")))
    }

    /// Finishes the turn: everything started in it has ended by itself.
    pub(super) fn finish(self) -> Result<(), GitError> {
        let emptied = self.file.set_len(0);
        emptied.map_err(failed("release", Path::new("the queue's lock")))
    }
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        if self.finishes_when_dropped && !self.is_noted {
            // A note that stays is looked at once more, for nothing.
            drop(self.write(""));
        }
    }
}

pub(super) fn milliseconds(at: SystemTime) -> u128 {
    at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()
}
