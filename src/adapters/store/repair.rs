//! Repair of a damaged store: the board is computed again from its events, those that cannot be read any more are taken from backups, and
//! where that does not reach, the newest whole backup is put back. Reports what was done and what is lost; guesses nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row};

use super::commit::write_turn;
use super::create::create_if_absent;
use super::errors::{damaged, failure};
use super::files::{StoreFiles, beside, failed, remove_if_there};
use super::integrity::WholeDatabase;
use super::last_turn;
use super::lock::{LockOwner, ServerLock};
use super::open::{SqliteStore, open_writer};
use super::read::StoreReader;
use super::restore::{put_copy, take_place};
use super::rows::TurnRows;
use super::schema::{MIGRATIONS, newest};
use super::sums;
use crate::domain::{Board, Event, Timestamp};
use crate::ports::store::{StoreError, Turn};

/// An event as it is stored: session, time and JSON.
type EventRow = (i64, i64, String);

/// Events of one database by their number, and the numbers of those that are damaged.
#[derive(Default)]
struct ReadEvents {
    events: BTreeMap<i64, EventRow>,
    damaged: BTreeSet<i64>,
    /// True if all pages were read; otherwise the number of events on the unreadable page is not known.
    is_read_to_the_end: bool,
}

/// Events of the store and its backups by their number, and whether the store's are all among them.
#[derive(Default)]
struct Salvage {
    events: BTreeMap<i64, EventRow>,
    is_complete: bool,
    from_backups: usize,
}

impl SqliteStore {
    /// Repairs the store if it is damaged. Returns a report of what was done; the damaged file is kept aside.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while a server runs; [`StoreError::Damaged`] when neither events nor backups are enough: nothing was
    /// changed then.
    pub fn repair(files: &StoreFiles, owner: &LockOwner, at: Timestamp) -> Result<String, StoreError> {
        files.make_folders()?;
        files.refuse_links()?;
        let _lock = ServerLock::take(&files.lock, owner)?;
        let (board, problem) = match examined(files) {
            Ok((_, names)) if names.is_empty() => {
                return Ok("the store is whole, nothing was changed".to_owned());
            }
            Ok((board, names)) => (Some(board), format!("{} cannot be read", names.join(", "))),
            Err(newer @ (StoreError::Newer { .. } | StoreError::Failed { .. })) => return Err(newer),
            Err(error) => (None, error.to_string()),
        };
        let found = gather(files);
        match rebuild(files, &found, board.as_ref())? {
            Some(fresh) => {
                let kept = kept(take_place(files, &fresh, at)?);
                let all = found.events.len();
                let lost = if found.is_complete {
                    ""
                } else {
                    "; what came after the last of them is lost"
                };
                Ok(format!(
                    "the board was computed anew from {all} events, {} of them from backups{lost}{kept}",
                    found.from_backups
                ))
            }
            None if board.is_some() => Ok(format!(
                "{problem} any more, also from backups; the board is whole and was left as it is"
            )),
            None => from_backup(files, &problem, at),
        }
    }
}

fn kept(aside: Option<PathBuf>) -> String {
    aside.map_or_else(String::new, |path| {
        format!("; the damaged file is kept as {}", path.display())
    })
}

/// The board of a store whose pages and rows are whole, and its events that are not.
fn examined(files: &StoreFiles) -> Result<(Board, Vec<String>), StoreError> {
    if !files.database.exists() {
        return Err(damaged(files, "it is gone".to_owned()));
    }
    let reader = StoreReader {
        connection: WholeDatabase::open(files, newest(MIGRATIONS))?.connection,
        files: files.clone(),
    };
    Ok((reader.load()?, reader.damaged_events()?))
}

/// Events of the store and, if it has none that can be read, of the backups that tell the same story.
fn gather(files: &StoreFiles) -> Salvage {
    let mut found = Salvage::default();
    let own = events_of(&files.database).unwrap_or_default();
    found.events = own.events;
    for path in backups(files) {
        let Some(theirs) = events_of(&path) else {
            continue;
        };
        let is_same = |(seq, row): (&i64, &EventRow)| found.events.get(seq).is_none_or(|ours| ours == row);
        if !theirs.is_read_to_the_end || !theirs.events.iter().all(is_same) {
            continue;
        }
        for (seq, row) in theirs.events {
            found.events.entry(seq).or_insert_with(|| {
                found.from_backups += 1;
                row
            });
        }
    }
    let is_there = |seq: &i64| found.events.contains_key(seq);
    let has_last = last_turn::noted(files).and_then(|noted| i64::try_from(noted).ok());
    found.is_complete = own.is_read_to_the_end
        && own.damaged.iter().all(is_there)
        && has_last.is_none_or(|noted| {
            found
                .events
                .last_key_value()
                .is_some_and(|(seq, _)| *seq >= noted)
        });
    found
}

/// Backups of every kind, the newest first.
fn backups(files: &StoreFiles) -> Vec<PathBuf> {
    let entries = fs::read_dir(&files.backups).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "db"))
        .map(|path| (fs::metadata(&path).and_then(|found| found.modified()).ok(), path))
        .collect();
    found.sort_unstable();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// Reads the events of a database that can be read and have their own checksum. Reads from both ends, so that one bad page hides only its
/// own events.
fn events_of(path: &Path) -> Option<ReadEvents> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    sums::register(&connection).ok()?;
    let own_sum = sums::event_test(&connection).ok()?;
    let mut read = ReadEvents::default();
    for order in ["ASC", "DESC"] {
        let sql =
            format!("SELECT seq, session, at, doc, {own_sum} FROM events e NOT INDEXED ORDER BY seq {order}");
        read.is_read_to_the_end = read.add(&connection, &sql).is_ok();
        if read.is_read_to_the_end {
            break;
        }
    }
    Some(read)
}

impl ReadEvents {
    /// Adds the events that a query answers, up to the first page that cannot be read.
    fn add(&mut self, connection: &Connection, sql: &str) -> rusqlite::Result<()> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let seq = row.get(0)?;
            match whole_event(row) {
                Some(event) => drop(self.events.insert(seq, event)),
                None => drop(self.damaged.insert(seq)),
            }
        }
        Ok(())
    }
}

/// The event in a row, if it has its own checksum and can be understood.
fn whole_event(row: &Row<'_>) -> Option<EventRow> {
    let (_, session, at, doc, has_own_sum) = <(i64, i64, i64, String, bool)>::try_from(row).ok()?;
    let is_whole = has_own_sum && serde_json::from_str::<Event>(&doc).is_ok();
    is_whole.then_some((session, at, doc))
}

/// A new database with the board that the events lead to; `None` if one of them is missing.
fn rebuild(
    files: &StoreFiles,
    salvage: &Salvage,
    board: Option<&Board>,
) -> Result<Option<PathBuf>, StoreError> {
    let numbers = salvage.events.keys().copied();
    if salvage.events.is_empty() || !numbers.eq(1..=i64::try_from(salvage.events.len()).unwrap_or(0)) {
        return Ok(None);
    }
    let fresh = StoreFiles {
        database: beside(&files.database, ".repaired"),
        ..files.clone()
    };
    for suffix in ["", "-wal", "-shm"] {
        let path = beside(&fresh.database, suffix);
        remove_if_there(&path).map_err(failed("remove", &path))?;
    }
    create_if_absent(&fresh, MIGRATIONS)?;
    let replayed = replay(&fresh, salvage)?;
    // Other rules than those of today may have led to the rows; whole rows are not replaced by others.
    let (written, _) = examined(&fresh)?;
    if board.is_some_and(|board| !is_same(board, &replayed)) || !is_same(&written, &replayed) {
        remove_if_there(&fresh.database).map_err(failed("remove", &fresh.database))?;
        return Ok(None);
    }
    Ok(Some(fresh.database))
}

fn is_same(one: &Board, other: &Board) -> bool {
    one.tasks == other.tasks
        && one.batches == other.batches
        && one.attempts == other.attempts
        && (&one.pause, &one.limits) == (&other.pause, &other.limits)
        && (one.last_attempt, one.infra_failures) == (other.last_attempt, other.infra_failures)
}

/// Puts the newest backup back that is whole.
fn from_backup(files: &StoreFiles, problem: &str, at: Timestamp) -> Result<String, StoreError> {
    for path in backups(files) {
        if let Ok(aside) = put_copy(files, &path, at) {
            return Ok(format!(
                "the board was put back from {}; what happened after that copy is lost{}",
                path.display(),
                kept(aside)
            ));
        }
    }
    let why = format!("its events have gaps and no backup is whole ({problem}); nothing was changed");
    Err(damaged(files, why))
}

/// Takes all turns again, into a database of their own.
fn replay(fresh: &StoreFiles, salvage: &Salvage) -> Result<Board, StoreError> {
    let mut connection = open_writer(fresh).map_err(failure(fresh, "open it"))?;
    let quick = connection.pragma_update(None, "synchronous", "off");
    quick.map_err(failure(fresh, "prepare it"))?;
    let (mut board, mut last) = (Board::default(), 0);
    for (seq, (session, at, doc)) in &salvage.events {
        let event: Event = serde_json::from_str(doc)
            .map_err(|error| damaged(fresh, format!("event {seq} cannot be understood: {error}")))?;
        if *session != last {
            board.sleep();
            last = *session;
        }
        let at = Timestamp(at.unsigned_abs());
        let effects = board.apply(at, &event);
        let changed = board.take_changed_rows();
        let turn = Turn {
            at,
            event: &event,
            board: &board,
            changed: &changed,
            effects: &effects,
        };
        let rows = TurnRows::of(&turn).map_err(failed("write", &fresh.database))?;
        let written = write_turn(&mut connection, &turn, *session, &rows);
        written.map_err(failure(fresh, "write a turn"))?;
    }
    let folded = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    folded.map_err(failure(fresh, "fold its log into it"))?;
    drop(connection);
    let synced = fs::File::open(&fresh.database).and_then(|file| file.sync_all());
    synced.map_err(failed("write", &fresh.database))?;
    Ok(board)
}
