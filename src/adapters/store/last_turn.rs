//! Number of the last turn that was written, in a small file beside the database. Turns that are not folded into the database yet are in
//! its log, a file of its own; when that is removed, or an older database takes the place, `SQLite` opens the rest without a word. The file
//! is written after each turn and not synced, so it never names a turn that is not on the disk.

use std::fs::{self, File};
use std::io;

use rusqlite::Connection;

use super::errors::{damaged, failure};
use super::files::{StoreFiles, private_file};
use crate::ports::store::StoreError;

/// Digits of the number, always as many, so that a shorter one leaves nothing of a longer.
const DIGITS: usize = 20;

/// The open file; none if it could not be opened, and then nothing is noted.
#[derive(Debug)]
pub(super) struct LastTurn(Option<File>);

impl LastTurn {
    /// Opens the file, or makes it, and notes the last turn that is there.
    pub(super) fn open(files: &StoreFiles, newest: u64) -> LastTurn {
        let opened = private_file()
            .write(true)
            .create(true)
            .truncate(false)
            .open(files.last_turn());
        let mut last = LastTurn(opened.ok());
        last.note(newest);
        last
    }

    /// Notes a turn that was written. Without room for it the number stays the one before, which only notices less.
    pub(super) fn note(&mut self, seq: u64) {
        let text = format!("{seq:0DIGITS$}\n");
        if let Some(file) = &mut self.0 {
            drop(write_at_begin(file, text.as_bytes()));
        }
    }
}

fn write_at_begin(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek as _, Write as _};
    file.rewind()?;
    file.write_all(bytes)
}

/// The number that was noted; `None` if there is none that can be understood.
pub(super) fn noted(files: &StoreFiles) -> Option<u64> {
    let text = fs::read_to_string(files.last_turn()).ok()?;
    text.trim_end().parse().ok()
}

/// Number of the last turn of a database; 0 before the first.
pub(super) fn newest(connection: &Connection, files: &StoreFiles) -> Result<u64, StoreError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM events";
    let newest = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let newest = newest.map_err(failure(files, "read its last turn"))?;
    Ok(newest.unsigned_abs())
}

/// The last turn of a database; one that lacks turns which were written is refused.
pub(super) fn check(connection: &Connection, files: &StoreFiles) -> Result<u64, StoreError> {
    // In this order: a server beside it may write another turn between the two looks.
    let noted = noted(files);
    let newest = newest(connection, files)?;
    let Some(noted) = noted.filter(|noted| *noted > newest) else {
        return Ok(newest);
    };
    let why = format!(
        "its last turn is {newest}, but turn {noted} was written: the file {} was removed, or an older copy put in its place",
        files.log().display()
    );
    Err(damaged(files, why))
}
