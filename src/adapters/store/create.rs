//! Makes a new database under another name first, so that a database is either whole or not there.

use std::fs::{self, File};
use std::io;

use rusqlite::Connection;

use super::errors::{damaged, failure};
use super::files::{StoreFiles, beside, failed, private_file, remove_if_there};
use super::last_turn;
use super::schema::{APPLICATION, Migration, migrate};
use crate::adapters::state_folder::sync_folder_of;
use crate::ports::store::StoreError;

pub(super) fn create_if_absent(files: &StoreFiles, steps: &[Migration]) -> Result<(), StoreError> {
    if !is_absent(files)? {
        return Ok(());
    }
    let fresh = StoreFiles {
        database: beside(&files.database, ".new"),
        ..files.clone()
    };
    prepare(&fresh).map_err(failed("make", &fresh.database))?;
    fill(&fresh, steps)?;
    finish(&fresh, files).map_err(failed("make", &files.database))
}

/// Returns whether there is no database, and there was none before.
///
/// # Errors
/// [`StoreError::Damaged`] when the files beside it say that there was one.
pub(super) fn is_absent(files: &StoreFiles) -> Result<bool, StoreError> {
    let exists = files.database.try_exists();
    if exists.map_err(failed("look for", &files.database))? {
        return Ok(false);
    }
    let (what, left) = if files.log().exists() {
        ("its log", files.log())
    } else if last_turn::noted(files).is_some_and(|turn| turn > 0) {
        ("the number of its last turn", files.last_turn())
    } else {
        return Ok(true);
    };
    let why = format!(
        "it is gone, but {what}, {}, is there; restore it from a backup, or move that file away to start over",
        left.display()
    );
    Err(damaged(files, why))
}

/// Removes leftovers of a creation that was cut off, and makes an empty private file.
fn prepare(fresh: &StoreFiles) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        remove_if_there(&beside(&fresh.database, suffix))?;
    }
    private_file()
        .write(true)
        .create_new(true)
        .open(&fresh.database)
        .map(drop)
}

fn fill(fresh: &StoreFiles, steps: &[Migration]) -> Result<(), StoreError> {
    let make = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(&fresh.database)?;
        connection.pragma_update(None, "foreign_keys", false)?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
        migrate(&mut connection, steps, steps.len()).map_err(step_error)?;
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)
    };
    make().map_err(failure(fresh, "make a new store"))
}

fn finish(fresh: &StoreFiles, files: &StoreFiles) -> io::Result<()> {
    File::open(&fresh.database)?.sync_all()?;
    fs::rename(&fresh.database, &files.database)?;
    sync_folder_of(&files.database)
}

/// The message of `SQLite` about a step, without the wrapping.
pub(super) fn step_error(error: rusqlite_migration::Error) -> rusqlite::Error {
    match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => err,
        other => rusqlite::Error::ToSqlConversionFailure(Box::new(other)),
    }
}
