//! Whether the files the store has open still have their names. A file that was deleted or replaced is written on without any error,
//! and all of it is lost when the program ends.

use std::fs;
use std::path::Path;

use super::files::{StoreFiles, beside};

/// Which file has a name: its device and number. On systems where an open file cannot be deleted it is always the same.
#[cfg(unix)]
type FileId = (u64, u64);
#[cfg(not(unix))]
type FileId = ();

/// The files that were opened, as they were then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpenFiles {
    database: Option<FileId>,
    log: Option<FileId>,
    index: Option<FileId>,
    lock: Option<FileId>,
}

/// What happened to the files while they were open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    InPlace,
    /// No file has the database's name.
    Deleted,
    /// Another file has the database's name, or the lock's.
    Replaced,
    /// The database is there, but its lock or what is written beside it is not.
    Incomplete,
}

impl OpenFiles {
    /// Those that have the names now, right after they were opened.
    pub(super) fn of(files: &StoreFiles) -> OpenFiles {
        OpenFiles {
            database: id(&files.database),
            log: id(&files.log()),
            index: id(&beside(&files.database, "-shm")),
            lock: id(&files.lock),
        }
    }

    /// Looks again.
    pub(super) fn look(&self, files: &StoreFiles) -> Presence {
        let now = OpenFiles::of(files);
        let is_other = |then: Option<FileId>, now: Option<FileId>| now.is_some() && now != then;
        if is_other(self.database, now.database) || is_other(self.lock, now.lock) {
            Presence::Replaced
        } else if now == *self {
            Presence::InPlace
        } else if now.database != self.database {
            Presence::Deleted
        } else {
            Presence::Incomplete
        }
    }
}

#[cfg(unix)]
fn id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn id(path: &Path) -> Option<FileId> {
    fs::symlink_metadata(path).ok().map(drop)
}
