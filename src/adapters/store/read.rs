//! Reads rows back into plain values. Unknown parts of their JSON are passed over; what cannot be read is damage.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, Row, params};
use serde::de::DeserializeOwned;

use super::errors::{damaged, failure};
use super::files::StoreFiles;
use super::rows::signed;
use crate::domain::{Attempt, AttemptId, Batch, Board, Effect, Event, PauseReason, Task, TaskId, Timestamp};
use crate::ports::store::{StoreError, StoredEvent};

/// Id, title and state of a task, for completing and listing names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLabel {
    pub id: String,
    pub title: String,
    pub state: String,
}

/// The board as of the last commit, in one consistent view.
pub(super) fn board(connection: &Connection, files: &StoreFiles) -> Result<Board, StoreError> {
    let view = connection
        .unchecked_transaction()
        .map_err(|error| failure(files, "begin to read the board", &error))?;
    let mut board = counters(&view, files)?;
    let tasks: Vec<Arc<Task>> = documents(&view, files, "SELECT doc FROM tasks WHERE gone_at IS NULL")?;
    let batches: Vec<Arc<Batch>> = documents(&view, files, "SELECT doc FROM batches WHERE gone_at IS NULL")?;
    let attempts: Vec<Arc<Attempt>> =
        documents(&view, files, "SELECT doc FROM attempts WHERE gone_at IS NULL")?;
    board.tasks = keyed(tasks, |task| task.id.clone());
    board.batches = keyed(batches, |batch| batch.id.clone());
    board.attempts = keyed(attempts, |attempt| attempt.id);
    // They are read from files at every start, so what an older program wrote differently is no damage.
    for event in last_settings(&view, files).unwrap_or_default() {
        match event {
            Event::Configured(settings) => board.settings = Arc::new(settings),
            Event::WorkflowsLoaded(flows) => {
                board.workflows = keyed(flows.into_iter().map(Arc::new), |flow| flow.id.clone());
            }
            _ => {}
        }
    }
    Ok(board)
}

pub(super) fn open_intents(connection: &Connection, files: &StoreFiles) -> Result<Vec<Effect>, StoreError> {
    let sql = "SELECT doc FROM intents WHERE done_at IS NULL ORDER BY seq, n";
    documents(connection, files, sql)
}

/// Events after a position, at most so many, of one task if given.
pub(super) fn events(
    connection: &Connection,
    files: &StoreFiles,
    (after, limit, task): (u64, usize, Option<&TaskId>),
) -> Result<Vec<StoredEvent>, StoreError> {
    let (after, limit) = (signed(after), i64::try_from(limit).unwrap_or(i64::MAX));
    let found = match task {
        None => {
            let sql = "SELECT seq, session, at, doc FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            query(connection, sql, params![after, limit], raw_event)
        }
        Some(task) => {
            let sql = "SELECT e.seq, e.session, e.at, e.doc FROM mentions m JOIN events e ON e.seq = m.seq
                       WHERE m.task = ?3 AND m.seq > ?1 ORDER BY m.seq LIMIT ?2";
            query(connection, sql, params![after, limit, task.as_str()], raw_event)
        }
    };
    let found = found.map_err(|error| failure(files, "read events", &error))?;
    found.iter().map(|raw| stored(connection, files, raw)).collect()
}

/// Attempts from that number on, also those the board has forgotten, in order.
pub(super) fn attempts(
    connection: &Connection,
    files: &StoreFiles,
    from: AttemptId,
) -> Result<Vec<Attempt>, StoreError> {
    let sql = "SELECT doc FROM attempts WHERE id >= ?1 ORDER BY id";
    let docs = query(connection, sql, params![signed(from.0)], |row| {
        row.get::<_, String>(0)
    });
    let docs = docs.map_err(|error| failure(files, "read attempts", &error))?;
    docs.iter().map(|doc| value(files, "an attempt", doc)).collect()
}

/// Tasks on the board whose id begins so.
pub(super) fn task_labels(
    connection: &Connection,
    files: &StoreFiles,
    (begin, limit): (&str, usize),
) -> Result<Vec<TaskLabel>, StoreError> {
    let sql = "SELECT id, title, state FROM tasks
               WHERE gone_at IS NULL AND substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT ?2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let card = |row: &Row<'_>| {
        Ok(TaskLabel {
            id: row.get(0)?,
            title: row.get(1)?,
            state: row.get(2)?,
        })
    };
    query(connection, sql, params![begin, limit], card).map_err(|error| failure(files, "read tasks", &error))
}

pub(super) fn open_attempts(connection: &Connection, files: &StoreFiles) -> Result<Vec<Attempt>, StoreError> {
    documents(
        connection,
        files,
        "SELECT doc FROM attempts WHERE open = 1 ORDER BY id",
    )
}

/// The last settings and the last workflows, as facts.
pub(super) fn last_settings(connection: &Connection, files: &StoreFiles) -> Result<Vec<Event>, StoreError> {
    let sql = "SELECT doc FROM events WHERE seq IN
                 (SELECT max(seq) FROM events WHERE kind IN ('configured', 'workflows_loaded') GROUP BY kind)
               ORDER BY seq";
    documents(connection, files, sql)
}

type RawEvent = (i64, i64, i64, String);

fn raw_event(row: &Row<'_>) -> rusqlite::Result<RawEvent> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn stored(connection: &Connection, files: &StoreFiles, raw: &RawEvent) -> Result<StoredEvent, StoreError> {
    let (seq, session, at, doc) = raw;
    let sql = "SELECT doc FROM notices WHERE seq = ?1 ORDER BY n";
    let notices = query(connection, sql, params![seq], |row| row.get::<_, String>(0))
        .map_err(|error| failure(files, "read notices", &error))?;
    let notices = notices.iter().map(|doc| value(files, "a notice", doc));
    Ok(StoredEvent {
        seq: seq.unsigned_abs(),
        session: session.unsigned_abs(),
        at: Timestamp(at.unsigned_abs()),
        event: value(files, &format!("event {seq}"), doc)?,
        notices: notices.collect::<Result<_, _>>()?,
    })
}

fn counters(connection: &Connection, files: &StoreFiles) -> Result<Board, StoreError> {
    let sql = "SELECT pause, last_attempt, infra_failures FROM board WHERE one = 1";
    let (pause, last_attempt, infra_failures) = connection
        .query_row(sql, [], |row| {
            Ok((
                row.get::<_, Option<String>>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, u32>(2)?,
            ))
        })
        .map_err(|error| failure(files, "read the board", &error))?;
    let pause: Option<PauseReason> = pause.map(|doc| value(files, "the pause", &doc)).transpose()?;
    let mut board = Board::default();
    board.pause = pause;
    board.last_attempt = last_attempt.unsigned_abs();
    board.infra_failures = infra_failures;
    Ok(board)
}

fn documents<T: DeserializeOwned>(
    connection: &Connection,
    files: &StoreFiles,
    sql: &str,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection
        .prepare_cached(sql)
        .map_err(|error| failure(files, "read rows", &error))?;
    let mut rows = statement
        .query([])
        .map_err(|error| failure(files, "read rows", &error))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().map_err(|error| failure(files, "read rows", &error))? {
        let doc = row.get_ref(0).and_then(|doc| Ok(doc.as_str()?));
        let doc = doc.map_err(|error| failure(files, "read a row", &error))?;
        all.push(value(files, "a row", doc)?);
    }
    Ok(all)
}

fn query<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection
        .prepare_cached(sql)?
        .query_map(parameters, read)?
        .collect()
}

fn value<T: DeserializeOwned>(files: &StoreFiles, what: &str, doc: &str) -> Result<T, StoreError> {
    serde_json::from_str(doc).map_err(|error| damaged(files, format!("{what} cannot be understood: {error}")))
}

fn keyed<K: Ord, V>(values: impl IntoIterator<Item = Arc<V>>, key: impl Fn(&V) -> K) -> BTreeMap<K, Arc<V>> {
    values.into_iter().map(|value| (key(&value), value)).collect()
}

pub(super) fn next_session(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT coalesce((SELECT session FROM events ORDER BY seq DESC LIMIT 1), 0) + 1";
    connection.query_row(sql, [], |row| row.get(0))
}
