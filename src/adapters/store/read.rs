//! Reading of rows into plain values. Unknown parts of their JSON are ignored; rows that cannot be read are damage.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, Params, Row, params};
use serde::de::DeserializeOwned;

use super::errors::{damaged, failure};
use super::files::StoreFiles;
use super::integrity::damaged_rows;
use super::last_turn;
use super::rows::{StoredPauses, signed};
use super::sums::{self, LOG_TABLES};
use crate::domain::{
    Attempt, AttemptId, Batch, Board, Effect, Event, Notice, NoticeLevel, Task, TaskId, Timestamp,
};
use crate::ports::store::{StoreError, StoredEvent};

/// Id, title and state of a task, for completing and listing names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLabel {
    pub id: String,
    pub title: String,
    pub state: String,
}

/// Connection to a store with everything that only reads it; usable beside a running server.
#[derive(Debug)]
pub struct StoreReader {
    pub(super) connection: Connection,
    pub(super) files: StoreFiles,
}

impl StoreReader {
    /// The board as of the last commit, in one consistent view.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn load(&self) -> Result<Board, StoreError> {
        let view = self.connection.unchecked_transaction();
        let _view = view.map_err(failure(&self.files, "begin to read the board"))?;
        let mut board = self.counters()?;
        board.tasks = keyed(self.on_the_board("tasks")?, |task: &Task| task.id.clone());
        board.batches = keyed(self.on_the_board("batches")?, |batch: &Batch| batch.id.clone());
        board.attempts = keyed(self.on_the_board("attempts")?, |attempt: &Attempt| attempt.id);
        // They are read from files at every start, so a different form of an older program is not damage.
        for event in self.last_settings().unwrap_or_default() {
            match event {
                Event::Configured(settings) => board.settings = Arc::from(settings),
                Event::WorkflowsLoaded(flows) => {
                    board.workflows = keyed(flows.into_iter().map(Arc::new), |flow| flow.id.clone());
                }
                _ => {}
            }
        }
        Ok(board)
    }

    /// Names of events and notices whose checksum is wrong; the board does not depend on them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn damaged_events(&self) -> Result<Vec<String>, StoreError> {
        damaged_rows(&self.connection, LOG_TABLES).map_err(failure(&self.files, "check its events"))
    }

    /// Effects that were decided and not completed, in order.
    pub(super) fn open_intents(&self) -> Result<Vec<Effect>, StoreError> {
        let sql = "SELECT doc FROM intents WHERE done_at IS NULL ORDER BY seq, n";
        self.documents("an intent", sql, [])
    }

    /// The newest events, oldest first, at most `limit`.
    pub(super) fn recent_events(&self, limit: usize) -> Result<Vec<StoredEvent>, StoreError> {
        let newest = last_turn::newest(&self.connection, &self.files)?;
        let limit_seq = u64::try_from(limit).unwrap_or(u64::MAX);
        self.events(newest.saturating_sub(limit_seq), limit, None)
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
        let (after, limit) = (signed(after), i64::try_from(limit).unwrap_or(i64::MAX));
        let read = |row: &Row<'_>| <(i64, i64, i64, String, bool)>::try_from(row);
        let failed = || failure(&self.files, "look for checksums");
        let is_whole = sums::event_test(&self.connection).map_err(failed())?;
        // A notice without its own checksum is read as an empty text, which is none.
        let notice_is_whole = sums::notice_test(&self.connection).map_err(failed())?;
        let sql_of_notices =
            format!("SELECT iif({notice_is_whole}, doc, '') FROM notices n WHERE seq = ?1 ORDER BY n");
        // Damage to the description of the table makes the question itself wrong.
        let prepared = self.connection.prepare_cached(&sql_of_notices);
        let has_notices = !matches!(prepared, Err(rusqlite::Error::SqlInputError { .. }));
        let found = match task {
            None => {
                let sql = format!(
                    "SELECT seq, session, at, doc, {is_whole} FROM events e WHERE seq > ?1 ORDER BY seq LIMIT ?2"
                );
                self.query(&sql, params![after, limit], read)
            }
            Some(task) => {
                let sql = format!(
                    "SELECT e.seq, e.session, e.at, e.doc, {is_whole} FROM mentions m JOIN events e ON e.seq = m.seq
                           WHERE m.task = ?3 AND m.seq > ?1 ORDER BY m.seq LIMIT ?2"
                );
                self.query(&sql, params![after, limit, task.as_str()], read)
            }
        };
        let stored = |(seq, session, at, doc, is_whole): (i64, i64, i64, String, bool)| {
            let event = if is_whole {
                serde_json::from_str(&doc).ok()
            } else {
                None
            };
            // The board does not depend on it, so it is named and the rest is read.
            let (event, notices) = match event {
                Some(event) if !has_notices => (event, vec![damage_notice(seq)]),
                Some(event) => match self.documents("a notice", &sql_of_notices, params![seq]) {
                    Err(StoreError::Damaged { .. }) => (event, vec![damage_notice(seq)]),
                    notices => (event, notices?),
                },
                None => (Event::Ticked, vec![damage_notice(seq)]),
            };
            Ok(StoredEvent {
                seq: seq.unsigned_abs(),
                session: session.unsigned_abs(),
                at: Timestamp(at.unsigned_abs()),
                event,
                notices,
            })
        };
        let found = found.map_err(failure(&self.files, "read events"))?;
        found.into_iter().map(stored).collect()
    }

    /// Attempts from that number on, also those the board has forgotten, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn attempts(&self, from: AttemptId) -> Result<Vec<Attempt>, StoreError> {
        let sql = "SELECT doc FROM attempts WHERE id >= ?1 ORDER BY id";
        self.documents("an attempt", sql, params![signed(from.0)])
    }

    /// All attempts at a task, also those the board has forgotten, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn attempts_at(&self, task: &TaskId) -> Result<Vec<Attempt>, StoreError> {
        let failed = || failure(&self.files, "read attempts");
        let is_whole = sums::attempt_test(&self.connection).map_err(failed())?;
        let sql = format!("SELECT id, doc, {is_whole} FROM attempts a WHERE task = ?1 ORDER BY id");
        let read = |row: &Row<'_>| <(i64, String, bool)>::try_from(row);
        let rows = self.query(&sql, params![task.as_str()], read).map_err(failed())?;
        let attempt = |(id, doc, is_whole): (i64, String, bool)| {
            if is_whole {
                value(&self.files, "an attempt", &doc)
            } else {
                let why = format!("attempt {id} cannot be understood: the checksum is wrong");
                Err(damaged(&self.files, why))
            }
        };
        rows.into_iter().map(attempt).collect()
    }

    /// Tasks on the board whose id begins so, by id, at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn task_labels(&self, begin: &str, limit: usize) -> Result<Vec<TaskLabel>, StoreError> {
        let sql = "SELECT id, title, state FROM tasks
                   WHERE gone_at IS NULL AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let label = |row: &Row<'_>| {
            let (id, title, state) = row.try_into()?;
            Ok(TaskLabel { id, title, state })
        };
        let found = self.query(sql, params![begin, limit], label);
        found.map_err(failure(&self.files, "read tasks"))
    }

    /// Returns ids and titles of batches whose ids begin with `begin`, at most `limit`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn batch_labels(&self, begin: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        let sql = "SELECT id, title FROM batches WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self.query(sql, params![begin, limit], |row| row.try_into());
        found.map_err(failure(&self.files, "read batches"))
    }

    /// Attempts that are open.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        let sql = "SELECT doc FROM attempts WHERE open = 1 ORDER BY id";
        self.documents("an attempt", sql, [])
    }

    /// Settings and workflows as the server last had them, if it ever ran: the facts `Configured` and `WorkflowsLoaded`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_settings(&self) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT doc FROM events WHERE seq IN
                     (SELECT max(seq) FROM events WHERE kind IN ('configured', 'workflows_loaded') GROUP BY kind)
                   ORDER BY seq";
        self.documents("an event", sql, [])
    }

    /// Number of the session that begins now: one more than the last that wrote.
    pub(super) fn next_session(&self) -> Result<i64, StoreError> {
        let sql = "SELECT coalesce((SELECT session FROM events ORDER BY seq DESC LIMIT 1), 0) + 1";
        let number = self.connection.query_row(sql, [], |row| row.get(0));
        number.map_err(failure(&self.files, "read the last event"))
    }

    fn counters(&self) -> Result<Board, StoreError> {
        let sql = "SELECT pause, last_attempt, infra_failures FROM board WHERE one = 1";
        let row = self
            .connection
            .query_row(sql, [], |row| <(Option<String>, i64, u32)>::try_from(row));
        let (pause, last_attempt, infra_failures) = row.map_err(failure(&self.files, "read the board"))?;
        let mut board = Board::default();
        if let Some(doc) = pause {
            value::<StoredPauses>(&self.files, "the pause", &doc)?.restore(&mut board);
        }
        board.last_attempt = last_attempt.unsigned_abs();
        board.infra_failures = infra_failures;
        Ok(board)
    }

    /// All rows of a table that are on the board now.
    fn on_the_board<T: DeserializeOwned>(&self, table: &str) -> Result<Vec<T>, StoreError> {
        let sql = format!("SELECT doc FROM {table} WHERE gone_at IS NULL");
        self.documents("a row", &sql, [])
    }

    /// Values that are stored as JSON in the first column of a query's rows.
    fn documents<T: DeserializeOwned>(
        &self,
        what: &str,
        sql: &str,
        parameters: impl Params,
    ) -> Result<Vec<T>, StoreError> {
        let failed = || failure(&self.files, "read rows");
        let mut statement = self.connection.prepare_cached(sql).map_err(failed())?;
        let mut rows = statement.query(parameters).map_err(failed())?;
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(failed())? {
            let doc = row.get_ref(0).and_then(|doc| Ok(doc.as_str()?));
            all.push(value(&self.files, what, doc.map_err(failed())?)?);
        }
        Ok(all)
    }

    fn query<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_map(parameters, read)?.collect()
    }
}

/// Returns the notice that replaces an event that cannot be read.
fn damage_notice(seq: i64) -> Notice {
    Notice {
        level: NoticeLevel::Warning,
        kind: "damage".to_owned(),
        task: None,
        attempt: None,
        text: format!(
            "event {seq} is damaged in the store and cannot be read; the board does not depend on it"
        ),
    }
}

fn value<T: DeserializeOwned>(files: &StoreFiles, what: &str, doc: &str) -> Result<T, StoreError> {
    serde_json::from_str(doc).map_err(|error| damaged(files, format!("{what} cannot be understood: {error}")))
}

fn keyed<K: Ord, V>(values: impl IntoIterator<Item = Arc<V>>, key: impl Fn(&V) -> K) -> BTreeMap<K, Arc<V>> {
    values.into_iter().map(|value| (key(&value), value)).collect()
}
