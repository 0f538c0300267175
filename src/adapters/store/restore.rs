//! Copies on request, and the way back: another database takes the place of the store's, which is kept aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::backup::{self, stamp, unused};
use super::errors::failure;
use super::files::{StoreFiles, beside, failed, remove_if_there};
use super::integrity::{WholeDatabase, examine};
use super::lock::{LockOwner, ServerLock};
use super::open::{SqliteStore, open_writer};
use super::schema::{MIGRATIONS, newest};
use crate::adapters::state_folder::sync_folder_of;
use crate::domain::Timestamp;
use crate::ports::store::StoreError;

impl SqliteStore {
    /// Copies the whole store to a file that is not there yet, also beside a running server.
    ///
    /// # Errors
    /// When the store is damaged, the file is there, or it cannot be written.
    pub fn backup_to(files: &StoreFiles, target: &Path) -> Result<(), StoreError> {
        if fs::symlink_metadata(target).is_ok() {
            return Err(failed("write", target)(
                "there is a file of that name; choose another",
            ));
        }
        let source = whole(files)?;
        backup::copy_to(&source, files, target)
    }

    /// Copies the whole store into the folder of backups, before something of that name is done with it; such a copy is never removed by
    /// us.
    ///
    /// # Errors
    /// When the store is damaged or the copy cannot be written.
    pub fn backup_before(files: &StoreFiles, name: &str, at: Timestamp) -> Result<PathBuf, StoreError> {
        backup::before(&whole(files)?, files, name, at)
    }

    /// Puts a copy of `from` in the place of the database; returns the path at which the old one is kept.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while a server runs; [`StoreError::Damaged`] when `from` is not a whole store. Nothing was changed then.
    pub fn restore(
        files: &StoreFiles,
        owner: &LockOwner,
        from: &Path,
        at: Timestamp,
    ) -> Result<Option<PathBuf>, StoreError> {
        // A copy that will not do is named also while a server runs.
        drop(whole(&given(files, from))?);
        files.make_folders()?;
        files.refuse_links()?;
        let _lock = ServerLock::take(&files.lock, owner)?;
        put_copy(files, from, at)
    }
}

/// Does the work of [`SqliteStore::restore`] for the holder of the lock.
pub(super) fn put_copy(
    files: &StoreFiles,
    from: &Path,
    at: Timestamp,
) -> Result<Option<PathBuf>, StoreError> {
    let given = given(files, from);
    let source = whole(&given)?;
    let fresh = beside(&files.database, ".restored");
    remove_if_there(&fresh).map_err(failed("remove", &fresh))?;
    backup::copy_to(&source, &given, &fresh)?;
    drop(source);
    take_place(files, &fresh, at)
}

fn given(files: &StoreFiles, from: &Path) -> StoreFiles {
    StoreFiles {
        database: from.to_owned(),
        ..files.clone()
    }
}

/// A connection to a database in which every page and every row of the board is whole.
fn whole(files: &StoreFiles) -> Result<Connection, StoreError> {
    let connection = WholeDatabase::open(files, newest(MIGRATIONS))?.connection;
    connection
        .pragma_update(None, "query_only", false)
        .map_err(failure(files, "open it for a copy"))?;
    Ok(connection)
}

/// Gives `fresh` the name of the database and keeps the old one, with its log, under another name.
pub(super) fn take_place(
    files: &StoreFiles,
    fresh: &Path,
    at: Timestamp,
) -> Result<Option<PathBuf>, StoreError> {
    fold(files);
    let swap = || -> io::Result<Option<PathBuf>> {
        let folder = files.database.parent().unwrap_or(Path::new("."));
        let aside = unused(folder, &format!("replaced-{}", stamp(at)));
        let had_one = fs::symlink_metadata(&files.database).is_ok();
        if had_one {
            fs::hard_link(&files.database, &aside)?;
        }
        if files.log().exists() {
            fs::hard_link(files.log(), beside(&aside, "-wal"))?;
        }
        // The log of the old database would be taken for one of the new.
        for suffix in ["-wal", "-shm"] {
            remove_if_there(&beside(&files.database, suffix))?;
        }
        // The last turn of another database says nothing about this one.
        remove_if_there(&files.last_turn())?;
        fs::rename(fresh, &files.database)?;
        sync_folder_of(&files.database)?;
        Ok(had_one.then_some(aside))
    };
    swap().map_err(failed("put another file in the place of", &files.database))
}

/// Writes the log of the old database into it, where both are still good for that.
fn fold(files: &StoreFiles) {
    if examine(files, newest(MIGRATIONS)).is_err() {
        return;
    }
    let folded = open_writer(files)
        .and_then(|connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
    if let Err(error) = folded {
        tracing::warn!(
            "could not fold the log into {}: {error}",
            files.database.display()
        );
    }
}
