//! Looks at a database without being able to change it, before anything that could.

use std::io::Read;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::errors::{damaged, failure, newer};
use super::files::{StoreFiles, failed};
use super::last_turn;
use super::schema::{APPLICATION, format_of};
use super::sums::{self, BOARD_TABLES, SummedTable};
use crate::adapters::text_file;
use crate::ports::store::StoreError;

/// Time that `SQLite` waits for a lock of another connection (a reader that checkpoints, a copying tool).
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// Pages up to which a check compares indexes with their tables, too: 64 MiB.
const SMALL: i64 = 16_384;
/// Maximum number of damaged rows of a table that are named.
const NAMED: u32 = 3;

/// First bytes of every `SQLite` database.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// Opens the database for reading only, after making sure that it is a whole store of format `known` at most. Answers the
/// connection and the format.
pub(super) fn examine(files: &StoreFiles, known: i64) -> Result<(Connection, i64), StoreError> {
    let header = header(files)?;
    let connection = read_only(files)?;
    let ask = |what: &str, name: &str| -> Result<i64, StoreError> {
        let value = connection.pragma_query_value(None, name, |row| row.get(0));
        value.map_err(failure(files, what))
    };
    if ask("read its kind", "application_id")? != i64::from(APPLICATION) {
        let why = "it is a SQLite database, but not a store of dbs".to_owned();
        return Err(damaged(files, why));
    }
    let format = format_of(&connection).map_err(failure(files, "read its format"))?;
    if format.max(header) > known && min_reader(&connection) > known {
        return Err(newer(files, format.max(header), known));
    }
    Ok((connection, format))
}

/// Reads the format from the file's own header. Read without `SQLite`, so that a file that is not a database is refused by plain words.
fn header(files: &StoreFiles) -> Result<i64, StoreError> {
    let mut bytes = [0_u8; 100];
    let read = text_file::open(&files.database).and_then(|mut file| file.read_exact(&mut bytes));
    match read {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            return Err(damaged(files, "it is cut off before its first page".to_owned()));
        }
        Err(error) => return Err(failed("open", &files.database)(error)),
    }
    if !bytes.starts_with(MAGIC) {
        return Err(damaged(files, "it does not begin like a database".to_owned()));
    }
    let version = bytes.get(60..64).and_then(|part| <[u8; 4]>::try_from(part).ok());
    Ok(version.map_or(0, |part| i64::from(i32::from_be_bytes(part))))
}

fn read_only(files: &StoreFiles) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&files.database, flags)?;
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "cell_size_check", true)?;
        connection.pragma_update(None, "query_only", true)?;
        sums::register(&connection)?;
        Ok(connection)
    };
    open().map_err(failure(files, "open it for reading"))
}

/// The oldest format whose readers may read this database; a database that does not say so is for its own readers only.
fn min_reader(connection: &Connection) -> i64 {
    connection
        .query_row("SELECT min_reader FROM about", [], |row| row.get(0))
        .unwrap_or(i64::MAX)
}

/// A database that was found to be whole: its pages, the rows of the board, and every turn that was written.
pub(super) struct WholeDatabase {
    /// Open for reading only.
    pub(super) connection: Connection,
    pub(super) format: i64,
    /// Number of its last turn.
    pub(super) last_turn: u64,
}

impl WholeDatabase {
    /// Opens the database for reading only, and looks at all of it. `known` is the newest format that is understood.
    pub(super) fn open(files: &StoreFiles, known: i64) -> Result<WholeDatabase, StoreError> {
        let (connection, format) = examine(files, known)?;
        check(&connection, files)?;
        let last_turn = last_turn::check(&connection, files)?;
        Ok(WholeDatabase {
            connection,
            format,
            last_turn,
        })
    }
}

/// Looks at every page.
fn check(connection: &Connection, files: &StoreFiles) -> Result<(), StoreError> {
    let pages = connection.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0));
    let is_small = pages.map_err(failure(files, "count its pages"))? <= SMALL;
    let kind = if is_small {
        "integrity_check"
    } else {
        "quick_check"
    };
    let found = connection.pragma_query_value(None, kind, |row| row.get::<_, String>(0));
    match found.map_err(failure(files, "check it"))?.as_str() {
        "ok" => check_board(connection, files),
        problems => Err(damaged(files, format!("the check of its pages says: {problems}"))),
    }
}

/// Looks at the checksum of every row that the board is made of.
fn check_board(connection: &Connection, files: &StoreFiles) -> Result<(), StoreError> {
    let found = damaged_rows(connection, BOARD_TABLES).map_err(failure(files, "check its rows"))?;
    if found.is_empty() {
        return Ok(());
    }
    let named = found.join(", ");
    Err(damaged(
        files,
        format!("{named} cannot be understood: the checksum is wrong"),
    ))
}

/// Names of rows of these tables whose checksum is wrong.
pub(super) fn damaged_rows(connection: &Connection, tables: &[SummedTable]) -> rusqlite::Result<Vec<String>> {
    if !sums::are_kept(connection)? {
        return Ok(Vec::new());
    }
    let found = tables
        .iter()
        .map(|table| sums::damaged_rows(connection, table, NAMED));
    Ok(found.collect::<rusqlite::Result<Vec<_>>>()?.concat())
}
