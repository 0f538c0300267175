//! What the engine needs of the store: load the board, commit a turn, read back what happened.

use std::path::PathBuf;

use crate::domain::{Board, Effect, Event, Notice, TaskId, Timestamp};

/// One turn as it is committed to the store: event, changed rows and effects.
#[derive(Debug)]
pub struct Turn<'a> {
    /// When it was taken.
    pub at: Timestamp,
    /// What had happened.
    pub event: &'a Event,
    /// The board after it.
    pub board: &'a Board,
    /// Which rows of it changed.
    pub changed: &'a crate::domain::board::ChangedRows,
    /// What should follow; effects with a key are stored as intents in the same transaction.
    pub effects: &'a [Effect],
}

/// An event as the store keeps it, for logs and replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Position in the log, from 1.
    pub seq: u64,
    /// The session it belongs to, from 1: each opening of the store for writing is one.
    pub session: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: Event,
    /// What people were told because of it.
    pub notices: Vec<Notice>,
}

/// Why the store could not do what was asked. Only these may stop the program.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another server owns the project.
    #[error("open {path}: another dbs server owns this project (process {owner}); attach to it with `dbs attach`, or stop it with `dbs stop`", path = .path.display())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// What the lock file says of its owner; for people only.
        owner: String,
    },
    /// Written by a newer program.
    #[error("open {path}: it was written by a newer dbs (format {found}, this one knows {known}); install that version, the file is unchanged", path = .path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// Not a database any more.
    #[error("read {path}: {why}; it was left as it is, backups are in {backups}", path = .path.display(), backups = .backups.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What was said.
        why: String,
        /// Where backups are.
        backups: PathBuf,
    },
    /// The disk or the database refused.
    #[error("{what}: {why}")]
    Failed {
        /// What was tried.
        what: String,
        /// Why not.
        why: String,
    },
}

/// The durable store of the board, its events and its open effects. Blocking; used by the engine's own thread only.
pub trait Store: Send {
    /// The board as of the last commit, with the settings and workflows that were in force then.
    fn load(&mut self) -> Result<Board, StoreError>;
    /// Makes a turn durable. When this returns, nothing of it can be lost.
    fn commit(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError>;
    /// Effects whose completion was never seen, oldest first.
    fn open_intents(&mut self) -> Result<Vec<Effect>, StoreError>;
    /// Events after position `after`, oldest first, at most `limit`; of one task if given.
    fn events(
        &mut self,
        after: u64,
        limit: usize,
        task: Option<&TaskId>,
    ) -> Result<Vec<StoredEvent>, StoreError>;
    /// A consistent copy under the backups folder; returns its path.
    fn backup(&mut self, at: Timestamp) -> Result<PathBuf, StoreError>;
    /// What people should know of the store although it still works, as a sentence: the disk is full, the reserve is used up.
    fn warning(&self) -> Option<String> {
        None
    }
}
