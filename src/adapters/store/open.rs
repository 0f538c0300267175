//! Opening: lock, examine, bring up to date, in that order. The writer is one per project; readers are as many as you like.

use rusqlite::Connection;

use super::backup;
use super::ballast::Ballast;
use super::create::{create_if_absent, step_error};
use super::errors::failure;
use super::files::StoreFiles;
use super::integrity::{BUSY, check, examine};
use super::lock::{LockOwner, ServerLock};
use super::read::{self, TaskLabel};
use super::schema::{MIGRATIONS, Migration, migrate, newest};
use crate::domain::{Attempt, AttemptId, Board, Effect, Event, TaskId, Timestamp};
use crate::ports::store::{Store, StoreError, StoredEvent, Turn};

/// Implementation of the `Store` port in `SQLite`, holding the project's lock while it is open. Holds the project's lock until it
/// is dropped.
#[derive(Debug)]
pub struct SqliteStore {
    pub(super) connection: Connection,
    pub(super) files: StoreFiles,
    pub(super) ballast: Ballast,
    pub(super) session: i64,
    // Dropped last, after the database is closed.
    _lock: ServerLock,
}

impl SqliteStore {
    /// Opens the store, making or upgrading the database where needed; a copy is made before every step of an upgrade.
    ///
    /// # Errors
    /// [`StoreError::Locked`], [`StoreError::Newer`], [`StoreError::Damaged`]: nothing was changed. [`StoreError::Failed`]
    /// otherwise.
    pub fn open(files: &StoreFiles, owner: &LockOwner, now: Timestamp) -> Result<SqliteStore, StoreError> {
        Self::open_with(files, owner, now, MIGRATIONS)
    }

    /// As [`SqliteStore::open`], with the steps to take.
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
        let (whole, format) = examine(files, newest(steps))?;
        check(&whole, files)?;
        drop(whole);
        refuse_newer(files, format, newest(steps))?;
        let mut connection = open_writer(files).map_err(|error| failure(files, "open it", &error))?;
        upgrade(&mut connection, files, format, (now, steps))?;
        connection
            .pragma_update(None, "foreign_keys", true)
            .map_err(|error| failure(files, "turn on its checks", &error))?;
        let session = read::next_session(&connection);
        Ok(SqliteStore {
            session: session.map_err(|error| failure(files, "read the last event", &error))?,
            connection,
            files: files.clone(),
            ballast: Ballast::create(files),
            _lock: lock,
        })
    }

    /// Opens the store for reading only, without the lock: beside a running server or without one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], but never [`StoreError::Locked`].
    pub fn open_reader(files: &StoreFiles) -> Result<StoreReader, StoreError> {
        files.refuse_links()?;
        if !files.database.exists() {
            return Err(StoreError::Failed {
                what: format!("open {}", files.database.display()),
                why: "there is no store yet; start `dbs` once in this project".to_owned(),
            });
        }
        let (connection, _) = examine(files, newest(MIGRATIONS))?;
        Ok(StoreReader {
            connection,
            files: files.clone(),
        })
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
            .map_err(|error| failure(files, "open it for a copy", &error))?;
        backup::routine(&connection, files, at)
    }
}

/// Writing is refused to any newer format, also to one that may still be read.
fn refuse_newer(files: &StoreFiles, found: i64, known: i64) -> Result<(), StoreError> {
    if found > known {
        return Err(StoreError::Newer {
            path: files.database.clone(),
            found,
            known,
        });
    }
    Ok(())
}

fn open_writer(files: &StoreFiles) -> rusqlite::Result<Connection> {
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
    Ok(connection)
}

fn upgrade(
    connection: &mut Connection,
    files: &StoreFiles,
    format: i64,
    (now, steps): (Timestamp, &[Migration]),
) -> Result<(), StoreError> {
    let taken = usize::try_from(format).unwrap_or(0);
    for (index, step) in steps.iter().enumerate().skip(taken) {
        backup::before(connection, files, step.name, now)?;
        migrate(connection, steps, index + 1).map_err(|error| {
            let what = format!("bring it to format {}", step.name);
            failure(files, &what, &step_error(error))
        })?;
    }
    Ok(())
}

impl Store for SqliteStore {
    fn load(&mut self) -> Result<Board, StoreError> {
        read::board(&self.connection, &self.files)
    }

    fn commit(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError> {
        self.write(turn)
    }

    fn open_intents(&mut self) -> Result<Vec<Effect>, StoreError> {
        read::open_intents(&self.connection, &self.files)
    }

    fn events(
        &mut self,
        after: u64,
        limit: usize,
        task: Option<&TaskId>,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        read::events(&self.connection, &self.files, (after, limit, task))
    }

    fn backup(&mut self, at: Timestamp) -> Result<std::path::PathBuf, StoreError> {
        backup::routine(&self.connection, &self.files, at)
    }

    fn warning(&self) -> Option<String> {
        (self.ballast == Ballast::Gone).then(|| {
            format!(
                "the disk of {} is full or nearly so; free some space and restart dbs",
                self.files.database.display()
            )
        })
    }
}

/// Read-only connection to a store, usable beside a running server.
#[derive(Debug)]
pub struct StoreReader {
    connection: Connection,
    files: StoreFiles,
}

impl StoreReader {
    /// The board as of the last commit.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(&self) -> Result<Board, StoreError> {
        read::board(&self.connection, &self.files)
    }

    /// Events after position `after`, oldest first, at most `limit`; of one task if given.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn events(
        &self,
        after: u64,
        limit: usize,
        task: Option<&TaskId>,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        read::events(&self.connection, &self.files, (after, limit, task))
    }

    /// Attempts from that number on, also those the board has forgotten, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn attempts(&self, from: AttemptId) -> Result<Vec<Attempt>, StoreError> {
        read::attempts(&self.connection, &self.files, from)
    }

    /// Tasks on the board whose id begins so, by id, at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn task_labels(&self, begin: &str, limit: usize) -> Result<Vec<TaskLabel>, StoreError> {
        read::task_labels(&self.connection, &self.files, (begin, limit))
    }

    /// Attempts that are open.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        read::open_attempts(&self.connection, &self.files)
    }

    /// Settings and workflows as the server last had them, if it ever ran: the facts `Configured` and `WorkflowsLoaded`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_settings(&self) -> Result<Vec<Event>, StoreError> {
        read::last_settings(&self.connection, &self.files)
    }
}
