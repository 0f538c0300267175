//! A turn becomes durable: one transaction, all of it or nothing.

use rusqlite::{Connection, ToSql, Transaction, TransactionBehavior, params};

use super::errors::{failure, is_full};
use super::open::SqliteStore;
use super::rows::{TurnRows, signed};
use super::sums::seal;
use crate::domain::{TaskId, Timestamp};
use crate::ports::store::{StoreError, Turn};

impl SqliteStore {
    /// Writes the turn; on a full disk once more after making room.
    pub(super) fn write(&mut self, turn: &Turn<'_>) -> Result<u64, StoreError> {
        let rows = TurnRows::of(turn).map_err(|error| StoreError::Failed {
            what: "write a turn as JSON".to_owned(),
            why: error.to_string(),
        })?;
        let mut written = write_turn(&mut self.database.connection, turn, self.session, &rows);
        if written.as_ref().is_err_and(is_full) {
            self.make_room();
            written = write_turn(&mut self.database.connection, turn, self.session, &rows);
        }
        written.map_err(failure(&self.database.files, "commit a turn"))
    }

    /// Gives up the ballast and folds the log into the database; each may fail, the next attempt to write shows.
    fn make_room(&mut self) {
        if self.ballast.release(&self.database.files) {
            tracing::warn!("the disk is full: the reserve was given up");
        }
        let connection = &self.database.connection;
        let folded = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        if let Err(error) = folded {
            tracing::warn!("could not fold the log into the database: {error}");
        }
    }
}

/// Writes one turn in one transaction.
pub(super) fn write_turn(
    connection: &mut Connection,
    turn: &Turn<'_>,
    session: i64,
    rows: &TurnRows<'_>,
) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let seq = event(&transaction, turn.at, session, rows)?;
    let at = signed(turn.at.0);
    notices(&transaction, seq, rows)?;
    gone(&transaction, turn, seq, at)?;
    batches(&transaction, seq, rows)?;
    tasks(&transaction, seq, rows)?;
    attempts(&transaction, seq, rows)?;
    complete(&transaction, seq, at, rows)?;
    intents(&transaction, seq, at, rows)?;
    board(&transaction, turn, seq, rows)?;
    transaction.commit()?;
    Ok(seq.unsigned_abs())
}

fn event(
    transaction: &Transaction<'_>,
    at: Timestamp,
    session: i64,
    rows: &TurnRows<'_>,
) -> rusqlite::Result<i64> {
    let task = rows.task.as_ref().map(TaskId::as_str);
    let attempt = rows.attempt.map(|attempt| signed(attempt.0));
    let at = signed(at.0);
    let sql = "INSERT INTO events (at, kind, task, attempt, doc, session, sum)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, row_sum(?1, ?2, ?3, ?4, ?5, ?6))";
    let mut insert = transaction.prepare_cached(sql)?;
    insert.execute(params![at, rows.kind, task, attempt, rows.event, session])?;
    let seq = transaction.last_insert_rowid();
    let mut mention = transaction.prepare_cached("INSERT INTO mentions (task, seq) VALUES (?1, ?2)")?;
    for task in &rows.mentions {
        mention.execute(params![task.as_str(), seq])?;
    }
    Ok(seq)
}

fn notices(transaction: &Transaction<'_>, seq: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO notices (seq, n, level, kind, task, attempt, doc, sum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7))",
    )?;
    for (n, row) in (1_i64..).zip(&rows.notices) {
        let notice = row.value;
        let task = notice.task.as_ref().map(TaskId::as_str);
        let attempt = notice.attempt.map(|attempt| signed(attempt.0));
        insert.execute(params![seq, n, row.word, notice.kind, task, attempt, row.doc])?;
    }
    Ok(())
}

/// Marks items that were touched and are not on the board as gone; their rows stay for history.
fn gone(transaction: &Transaction<'_>, turn: &Turn<'_>, seq: i64, at: i64) -> rusqlite::Result<()> {
    let (board, changed) = (turn.board, turn.changed);
    let leave = |table: &str, more: &str, id: &dyn ToSql| {
        let sql =
            format!("UPDATE {table} SET gone_at = ?2, seq = ?3{more} WHERE id = ?1 AND gone_at IS NULL");
        transaction.prepare_cached(&sql)?.execute(params![id, at, seq])?;
        seal(transaction, table, "id = ?1", [id])
    };
    for id in changed
        .batches
        .iter()
        .filter(|id| !board.batches.contains_key(id))
    {
        leave("batches", "", &id.as_str())?;
    }
    for id in changed.tasks.iter().filter(|id| !board.tasks.contains_key(id)) {
        leave("tasks", "", &id.as_str())?;
    }
    for id in changed
        .attempts
        .iter()
        .filter(|id| !board.attempts.contains_key(id))
    {
        leave("attempts", ", open = 0", &signed(id.0))?;
    }
    Ok(())
}

fn batches(transaction: &Transaction<'_>, seq: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO batches (id, title, run, seq, doc) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (id) DO UPDATE SET title = ?2, run = ?3, seq = ?4, gone_at = NULL, doc = ?5",
    )?;
    for row in &rows.batches {
        let (id, title) = (row.value.id.as_str(), &row.value.title);
        put.execute(params![id, title, row.word, seq, row.doc])?;
        seal(transaction, "batches", "id = ?1", [id])?;
    }
    Ok(())
}

fn tasks(transaction: &Transaction<'_>, seq: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO tasks (id, batch, workflow, stage, state, priority, title, since, seq, doc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE SET batch = ?2, workflow = ?3, stage = ?4, state = ?5, priority = ?6, title = ?7,
           since = ?8, seq = ?9, gone_at = NULL, doc = ?10",
    )?;
    for row in &rows.tasks {
        let task = row.value;
        put.execute(params![
            task.id.as_str(),
            task.batch.as_str(),
            task.workflow.as_str(),
            task.stage.as_str(),
            row.word,
            task.priority,
            task.title,
            signed(task.since.0),
            seq,
            row.doc,
        ])?;
        seal(transaction, "tasks", "id = ?1", [task.id.as_str()])?;
    }
    Ok(())
}

fn attempts(transaction: &Transaction<'_>, seq: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO attempts (id, task, stage, state, open, created_at, ended_at, seq, doc)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (id) DO UPDATE SET task = ?2, stage = ?3, state = ?4, open = ?5, created_at = ?6, ended_at = ?7,
           seq = ?8, gone_at = NULL, doc = ?9",
    )?;
    for row in &rows.attempts {
        let attempt = row.value;
        put.execute(params![
            signed(attempt.id.0),
            attempt.task.as_str(),
            attempt.stage.as_str(),
            row.word,
            attempt.state.is_open(),
            signed(attempt.created_at.0),
            attempt.ended_at.map(|at| signed(at.0)),
            seq,
            row.doc,
        ])?;
        seal(transaction, "attempts", "id = ?1", [signed(attempt.id.0)])?;
    }
    Ok(())
}

fn complete(transaction: &Transaction<'_>, seq: i64, at: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut complete = transaction.prepare_cached(
        "UPDATE intents SET done_at = ?3, done_seq = ?4 WHERE key >= ?1 AND key < ?2 AND done_at IS NULL",
    )?;
    for key in &rows.completed {
        // '0' is the character after '/': the keys from `verify/7/` up to `verify/70` are those that begin with `verify/7/`.
        let stem = key.strip_suffix('/');
        let end = stem.map_or_else(|| format!("{key}\0"), |stem| format!("{stem}0"));
        complete.execute(params![key, end, at, seq])?;
        let chosen = "key >= ?1 AND key < ?2 AND done_seq = ?3";
        seal(transaction, "intents", chosen, params![key, end, seq])?;
    }
    Ok(())
}

/// A key that is still open stays as it is; one that was done and is wanted again is open again.
fn intents(transaction: &Transaction<'_>, seq: i64, at: i64, rows: &TurnRows<'_>) -> rusqlite::Result<()> {
    let mut put = transaction.prepare_cached(
        "INSERT INTO intents (key, seq, n, created_at, doc) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (key) DO UPDATE SET seq = ?2, n = ?3, created_at = ?4, doc = ?5, done_at = NULL, done_seq = NULL
           WHERE done_at IS NOT NULL",
    )?;
    for (n, (key, doc)) in (1_i64..).zip(&rows.intents) {
        put.execute(params![key, seq, n, at, doc])?;
        seal(transaction, "intents", "key = ?1", [key])?;
    }
    Ok(())
}

fn board(
    transaction: &Transaction<'_>,
    turn: &Turn<'_>,
    seq: i64,
    rows: &TurnRows<'_>,
) -> rusqlite::Result<()> {
    let sql = "UPDATE board SET pause = ?1, last_attempt = ?2, infra_failures = ?3, seq = ?4 WHERE one = 1";
    let last = signed(turn.board.last_attempt);
    let mut update = transaction.prepare_cached(sql)?;
    update.execute(params![rows.pause, last, turn.board.infra_failures, seq])?;
    seal(transaction, "board", "one = 1", [])
}
