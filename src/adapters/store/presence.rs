//! Check that the files the store has open still have their names. A file that was deleted or replaced can still be written without any
//! error, and all of it is lost when the program ends.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{StoreFiles, beside};

/// Beginning of the names of copies made because another file had taken the database's place.
pub(super) const RESCUED: &str = "rescued-";

/// Identity of the file that has a name: its device and number. On systems where an open file cannot be deleted it is always the same.
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

/// Change of the files while they were open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilePlacement {
    InPlace,
    /// The database's name is gone.
    Deleted,
    /// The database's name, or the lock's, belongs to another file.
    Replaced,
    /// The database is there, but its lock or a file that is written beside it is not.
    Incomplete,
}

impl OpenFiles {
    /// Records the files that have the names now, right after they were opened.
    pub(super) fn of(files: &StoreFiles) -> OpenFiles {
        OpenFiles {
            database: id(&files.database),
            log: id(&files.log()),
            index: id(&beside(&files.database, "-shm")),
            lock: id(&files.lock),
        }
    }

    /// Looks again.
    pub(super) fn look(&self, files: &StoreFiles) -> FilePlacement {
        let now = OpenFiles::of(files);
        let is_other = |then: Option<FileId>, now: Option<FileId>| now.is_some() && now != then;
        if is_other(self.database, now.database) || is_other(self.lock, now.lock) {
            FilePlacement::Replaced
        } else if now == *self {
            FilePlacement::InPlace
        } else if now.database != self.database {
            FilePlacement::Deleted
        } else {
            FilePlacement::Incomplete
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

/// Returns the message about copies beside the database that were saved when another file took its place.
pub(super) fn saved_copies(files: &StoreFiles) -> Option<String> {
    let folder = files.database.parent()?;
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut copies: Vec<PathBuf> = names
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(RESCUED) && path.extension().is_some_and(|end| end == "db")
        })
        .collect();
    copies.sort_unstable();
    let last = copies.pop()?;
    Some(format!(
        "another file took the place of the database while dbs worked; the board of before is in {0}: \
         `dbs restore {0}` brings it back, or remove that file",
        last.display()
    ))
}
