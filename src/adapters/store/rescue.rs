//! Rescue of the store when its files lose their names while it works: the open database still holds everything, so it is saved again
//! before anything else happens.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::backup;
use super::errors::failure;
use super::files::{StoreFiles, beside, failed, remove_if_there};
use super::lock::ServerLock;
use super::open::{SqliteStore, open_writer};
use super::presence::{FilePlacement, OpenFiles, RESCUED};
use crate::adapters::state_folder::sync_folder_of;
use crate::domain::Timestamp;
use crate::ports::store::StoreError;

impl SqliteStore {
    /// Makes sure that the last commit is in the files that have the names, and repairs that if it is possible.
    ///
    /// # Errors
    /// When another file has the database's place: everything is saved beside it, and this store must not continue.
    pub(super) fn keep_in_place(&mut self, at: Timestamp) -> Result<(), StoreError> {
        let files = self.database.files.clone();
        let found = self.open_files.look(&files);
        let text = match found {
            FilePlacement::InPlace => return Ok(()),
            FilePlacement::Replaced => return Err(self.save_beside(&files, at)),
            FilePlacement::Deleted => {
                files.make_folders()?;
                let copy = self.copy_beside(&files, at)?;
                self.close()?;
                put_back(&copy, &files).map_err(failed("put back", &files.database))?;
                format!(
                    "{} was deleted while dbs worked; it was written anew, nothing of the board is lost",
                    files.database.display()
                )
            }
            FilePlacement::Incomplete => {
                self.fold()?;
                self.close()?;
                format!(
                    "files beside {} were deleted while dbs worked; nothing of the board is lost",
                    files.database.display()
                )
            }
        };
        tracing::error!("{text}");
        self.reopen(&files)?;
        self.note = Some(text);
        Ok(())
    }

    /// Writes the log into the database, whose file is in its place.
    fn fold(&self) -> Result<(), StoreError> {
        let folded = self
            .database
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        match folded.map_err(failure(&self.database.files, "fold its log into it"))? {
            0 => Ok(()),
            _ => Err(StoreError::Failed {
                what: format!("keep {}", self.database.files.database.display()),
                why:
                    "its log was deleted, and another program reads it; end that program and start dbs again"
                        .to_owned(),
            }),
        }
    }

    fn save_beside(&self, files: &StoreFiles, at: Timestamp) -> StoreError {
        let saved = match self.copy_beside(files, at) {
            Ok(path) => format!(
                "the board is saved in {0}; `dbs restore {0}` brings it back",
                path.display()
            ),
            Err(error) => format!("the board could not be saved either: could not {error}"),
        };
        StoreError::Failed {
            what: format!("keep {}", files.database.display()),
            why: format!(
                "another file was put in its place, or in that of its lock, while dbs worked; {saved}"
            ),
        }
    }

    fn copy_beside(&self, files: &StoreFiles, at: Timestamp) -> Result<PathBuf, StoreError> {
        let folder = files.database.parent().unwrap_or(Path::new("."));
        backup::rescue(&self.database.connection, files, folder, RESCUED, at)
    }

    /// Closes the database. `SQLite` removes its log by name then, so nothing new may have that name yet.
    fn close(&mut self) -> Result<(), StoreError> {
        let files = &self.database.files;
        let nothing = Connection::open_in_memory().map_err(failure(files, "close it"))?;
        drop(std::mem::replace(&mut self.database.connection, nothing));
        Ok(())
    }

    fn reopen(&mut self, files: &StoreFiles) -> Result<(), StoreError> {
        if !files.lock.exists() {
            self.lock = ServerLock::take(&files.lock, &self.owner)?;
        }
        let connection = open_writer(files).and_then(|connection| {
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        });
        self.database.connection = connection.map_err(failure(files, "open it again"))?;
        self.database.next_session()?;
        self.open_files = OpenFiles::of(files);
        Ok(())
    }
}

/// Gives the copy the database's name, which nothing has.
fn put_back(copy: &Path, files: &StoreFiles) -> io::Result<()> {
    // A log of the deleted database would be taken for one of the new file.
    for suffix in ["-wal", "-shm"] {
        remove_if_there(&beside(&files.database, suffix))?;
    }
    // Unlike a rename, this fails when another process has put a file there meanwhile.
    fs::hard_link(copy, &files.database)?;
    fs::remove_file(copy)?;
    sync_folder_of(&files.database)
}
