//! Errors of `SQLite`, sorted by what a person can do about them.

use rusqlite::ErrorCode;
use rusqlite::ffi;

use super::files::StoreFiles;
use crate::ports::store::StoreError;

/// Wraps an error of the database, as in `.map_err(failure(files, "read rows"))`: `what` is the action that was tried.
pub(super) fn failure(files: &StoreFiles, what: &str) -> impl FnOnce(rusqlite::Error) -> StoreError {
    move |error| {
        if is_damage(&error) {
            return damaged(files, format!("{what}: {error}"));
        }
        let what = format!("{what} in {}", files.database.display());
        if is_full(&error) {
            let why = format!("{error}; the disk is full, nothing was written, free some space");
            return StoreError::Full { what, why };
        }
        StoreError::Failed {
            what,
            why: error.to_string(),
        }
    }
}

/// The error for a store that a newer program wrote.
pub(super) fn newer(files: &StoreFiles, found: i64, known: i64) -> StoreError {
    StoreError::Newer {
        path: files.database.clone(),
        found,
        known,
    }
}

/// The error for a file that is not, or no longer, a store.
pub(super) fn damaged(files: &StoreFiles, why: String) -> StoreError {
    StoreError::Damaged {
        path: files.database.clone(),
        why,
        backups: files.backups.clone(),
    }
}

/// Returns true if the error means that there is no room. Failures of a flush are not among them: trying again after one proves nothing.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(found, _) => {
            found.code == ErrorCode::DiskFull
                || matches!(
                    found.extended_code,
                    ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE
                )
        }
        _ => false,
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(found, _) => {
            matches!(found.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::QueryReturnedNoRows => true,
        _ => false,
    }
}
