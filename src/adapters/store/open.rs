//! Opening: lock, examine, bring up to date, in that order. The writer is one per project; readers are as many as you like.

use rusqlite::Connection;

use super::backup;
use super::ballast::Ballast;
use super::create::{create_if_absent, is_absent, step_error};
use super::errors::{failure, newer};
use super::files::StoreFiles;
use super::integrity::{BUSY, WholeDatabase, examine};
use super::last_turn::LastTurn;
use super::lock::{LockOwner, ServerLock};
use super::presence::{OpenFiles, saved_copies};
use super::read::StoreReader;
use super::schema::{MIGRATIONS, Migration, migrate, newest};
use super::sums;
use crate::domain::{Attempt, Board, Cause, Effect, TaskId, Timestamp, TroubleKind};
use crate::ports::store::{Store, StoreError, StoredEvent, Turn};

/// Implementation of the `Store` port in `SQLite`; holds the project's lock until it is dropped.
#[derive(Debug)]
pub struct SqliteStore {
    pub(super) database: StoreReader,
    pub(super) ballast: Ballast,
    pub(super) session: i64,
    pub(super) open_files: OpenFiles,
    pub(super) last_turn: LastTurn,
    pub(super) owner: LockOwner,
    /// Note for people about an incident with the files.
    pub(super) note: Option<String>,
    // Dropped last, after the database is closed.
    pub(super) lock: ServerLock,
}

impl SqliteStore {
    /// Returns the reader of the store.
    pub fn reader(&self) -> &StoreReader {
        &self.database
    }

    /// Opens the store, making or upgrading the database where needed; a copy is made before every step of an upgrade.
    ///
    /// # Errors
    /// [`StoreError::Locked`], [`StoreError::Newer`], [`StoreError::Damaged`]: nothing was changed. [`StoreError::Failed`]
    /// otherwise.
    pub fn open(files: &StoreFiles, owner: &LockOwner, now: Timestamp) -> Result<SqliteStore, StoreError> {
        Self::open_with(files, owner, now, MIGRATIONS)
    }

    /// Opens the store as [`SqliteStore::open`] does, with the migrations to apply.
    pub(super) fn open_with(
        files: &StoreFiles,
        owner: &LockOwner,
        now: Timestamp,
        steps: &[Migration],
    ) -> Result<SqliteStore, StoreError> {
        files.make_folders()?;
        files.refuse_links()?;
        let lock = ServerLock::take(&files.lock, owner)?;
        create_if_absent(files, steps)?;
        let WholeDatabase {
            connection: whole,
            format,
            last_turn,
        } = WholeDatabase::open(files, newest(steps))?;
        drop(whole);
        // Writing is refused to any newer format, also to one that may still be read.
        if format > newest(steps) {
            return Err(newer(files, format, newest(steps)));
        }
        let mut connection = open_writer(files).map_err(failure(files, "open it"))?;
        upgrade(&mut connection, files, format, now, steps)?;
        let checked = connection.pragma_update(None, "foreign_keys", true);
        checked.map_err(failure(files, "turn on its checks"))?;
        let database = StoreReader {
            connection,
            files: files.clone(),
        };
        Ok(SqliteStore {
            session: database.next_session()?,
            database,
            ballast: Ballast::create(files),
            open_files: OpenFiles::of(files),
            last_turn: LastTurn::open(files, last_turn),
            owner: owner.clone(),
            note: saved_copies(files),
            lock,
        })
    }

    /// Opens the store for reading only, without the lock: beside a running server or without one. Looks at it as [`SqliteStore::open`]
    /// does; `None` if there is no store yet.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], but never [`StoreError::Locked`].
    pub fn open_reader(files: &StoreFiles) -> Result<Option<StoreReader>, StoreError> {
        files.refuse_links()?;
        if is_absent(files)? {
            return Ok(None);
        }
        let whole = WholeDatabase::open(files, newest(MIGRATIONS))?;
        Ok(Some(StoreReader {
            connection: whole.connection,
            files: files.clone(),
        }))
    }

    /// A consistent copy under the backups folder, made on a connection of its own while the writer works; returns its path.
    /// For the process that owns the project.
    ///
    /// # Errors
    /// When it cannot be written; nothing is left of it then.
    pub fn backup_while_running(files: &StoreFiles, at: Timestamp) -> Result<std::path::PathBuf, StoreError> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&files.database, flags)
            .and_then(|connection| connection.busy_timeout(BUSY).map(|()| connection))
            .map_err(failure(files, "open it for a copy"))?;
        backup::routine(&connection, files, at)
    }
}

/// Returns all attempts at a task, also those the board has forgotten, in order; empty if there is no store yet. An error reads after
/// "could not". Only the rows that are read are checked, so call it where the board has been read: then the whole database was checked.
///
/// # Errors
/// When the database cannot be read.
pub fn attempts_at(files: &StoreFiles, task: &TaskId) -> Result<Vec<Attempt>, StoreError> {
    files.refuse_links()?;
    if is_absent(files)? {
        return Ok(Vec::new());
    }
    let (connection, _) = examine(files, newest(MIGRATIONS))?;
    let reader = StoreReader {
        connection,
        files: files.clone(),
    };
    reader.attempts_at(task)
}

pub(super) fn open_writer(files: &StoreFiles) -> rusqlite::Result<Connection> {
    let connection = Connection::open(&files.database)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode != "wal" {
        return Err(rusqlite::Error::InvalidPath(files.database.clone()));
    }
    connection.pragma_update(None, "synchronous", "full")?;
    // Only macOS knows these: its plain flush stops short of the disk.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    sums::register(&connection)?;
    Ok(connection)
}

fn upgrade(
    connection: &mut Connection,
    files: &StoreFiles,
    format: i64,
    now: Timestamp,
    steps: &[Migration],
) -> Result<(), StoreError> {
    let taken = usize::try_from(format).unwrap_or(0);
    for (index, step) in steps.iter().enumerate().skip(taken) {
        backup::before(connection, files, step.name, now)?;
        let taken = migrate(connection, steps, index + 1).map_err(step_error);
        taken.map_err(failure(files, &format!("bring it to format {}", step.name)))?;
    }
    Ok(())
}

impl Store for SqliteStore {
    fn load(&mut self) -> Result<Board, StoreError> {
        self.database.load()
    }

    fn commit(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError> {
        let seq = self.write(turn)?;
        self.last_turn.note(seq);
        self.keep_in_place(turn.at)?;
        Ok(seq)
    }

    fn open_intents(&mut self) -> Result<Vec<Effect>, StoreError> {
        self.database.open_intents()
    }

    fn recent_events(&mut self, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        self.database.recent_events(limit)
    }

    fn backup(&mut self, at: Timestamp) -> Result<std::path::PathBuf, StoreError> {
        backup::routine(&self.database.connection, &self.database.files, at)
    }

    fn warning(&self) -> Option<Cause> {
        let is_short = self.ballast == Ballast::Gone;
        let short = is_short.then(|| {
            TroubleKind::Disk.cause(format!(
                "the disk of {} is full or nearly so; free some space and restart dbs",
                self.database.files.database.display()
            ))
        });
        short.or_else(|| self.note.clone().map(|note| TroubleKind::Database.cause(note)))
    }
}
