//! Needs of the engine from the store: load the board, commit a turn, read back past events.

use std::path::PathBuf;

use dbs_domain::{Board, Cause, Effect, Event, Notice, Timestamp};

/// Turn as it is committed to the store: event, changed rows and effects.
#[derive(Debug)]
pub struct Turn<'a> {
    pub at: Timestamp,
    pub event: &'a Event,
    pub board: &'a Board,
    pub changed: &'a dbs_domain::board::ChangedRows,
    /// Effects that should follow; effects with a key are stored as intents in the same transaction.
    pub effects: &'a [Effect],
}

/// An event as the store keeps it, for logs and replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub seq: u64,
    /// The session it belongs to, from 1: each opening of the store for writing is one.
    pub session: u64,
    pub at: Timestamp,
    pub event: Event,
    pub notices: Vec<Notice>,
}

/// Error of the store. Only these may stop the program.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("open {path}: another dbs server owns this project (process {owner}); attach to it with `dbs attach`, or stop it with `dbs stop`", path = .path.display())]
    Locked {
        path: PathBuf,
        /// Owner as the lock file names it; for people only.
        owner: String,
    },
    #[error("open {path}: it was written by a newer dbs (format {found}, this one knows {known}); install that version, the file is unchanged", path = .path.display())]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("read {path}: {why}; it was left as it is, `dbs doctor --repair` repairs it, backups are in {backups}", path = .path.display(), backups = .backups.display())]
    Damaged {
        path: PathBuf,
        why: String,
        backups: PathBuf,
    },
    /// There is no room on the disk; the same turn may be committed again later.
    #[error("{what}: {why}")]
    Full { what: String, why: String },
    #[error("{what}: {why}")]
    Failed { what: String, why: String },
}

/// The durable store of the board, its events and its open effects. Blocking; used by the engine's own thread only.
pub trait Store: Send {
    /// Loads the board as of the last commit, with the settings and workflows that were in force then.
    fn load(&mut self) -> Result<Board, StoreError>;
    /// Makes a turn durable. When this returns, nothing of it can be lost.
    fn commit(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError>;
    /// Returns the effects whose completion was never seen, oldest first.
    fn open_intents(&mut self) -> Result<Vec<Effect>, StoreError>;
    /// Returns the newest events, oldest first, at most `limit`.
    fn recent_events(&mut self, limit: usize) -> Result<Vec<StoredEvent>, StoreError>;
    /// Makes a consistent copy under the backups folder; returns its path.
    fn backup(&mut self, at: Timestamp) -> Result<PathBuf, StoreError>;
    /// Returns a warning for people about a store that still works, as a sentence: the disk is full, the reserve is used up.
    fn warning(&self) -> Option<Cause> {
        None
    }
}
