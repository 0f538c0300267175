//! The queue before the control repository: one writer at a time, over all threads and processes, and over the death
//! of either. Each git that writes there holds the lock as its standard input, so the lock is free only when no git
//! left behind by a dead server is at work; what lock files are there then belong to nobody (B3-14).

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::control::failed;
use crate::ports::git::GitError;

/// Pause between two attempts at the lock another process holds.
const STEP: Duration = Duration::from_millis(5);

/// As long as the number of calling threads; each holder ends by its time limits.
pub(super) struct Queue {
    line: Mutex<()>,
    file: PathBuf,
}

/// The right to write. A turn that is not finished makes the next one clean up first.
pub(super) struct Turn<'a> {
    _line: MutexGuard<'a, ()>,
    file: File,
}

impl Queue {
    pub(super) fn new(file: PathBuf) -> Self {
        Self {
            line: Mutex::new(()),
            file,
        }
    }

    /// Waits for the turn, for another process at most `patience`; calls `clean` when the last holder did not finish.
    pub(super) fn enter(&self, patience: Duration, clean: impl FnOnce()) -> Result<Turn<'_>, GitError> {
        let line = self.line.lock();
        let error = |error: std::io::Error| failed("lock", &self.file, &error);
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
                Err(TryLockError::WouldBlock) if waited < patience => thread::park_timeout(STEP),
                Err(TryLockError::WouldBlock) => {
                    let why = "another git still works in the control repository".to_owned();
                    return Err(GitError::Unreachable {
                        what: "write to the control repository".to_owned(),
                        why,
                    });
                }
                Err(TryLockError::Error(cause)) => return Err(error(cause)),
            }
            waited += STEP;
        }
        let mut mark = [0];
        if file.read(&mut mark).map_err(error)? > 0 {
            clean();
        } else {
            file.write_all(b"!").map_err(error)?;
        }
        Ok(Turn { _line: line, file })
    }
}

impl Turn<'_> {
    /// The lock, for a git that is started in this turn.
    pub(super) fn share(&self) -> Result<File, GitError> {
        let shared = self.file.try_clone();
        shared.map_err(|error| failed("share", Path::new("the control repository's lock"), &error))
    }

    /// Everything started in this turn has ended by itself.
    pub(super) fn finish(self) -> Result<(), GitError> {
        let emptied = self.file.set_len(0);
        emptied.map_err(|error| failed("release", Path::new("the control repository's lock"), &error))
    }
}
