//! A checksum for each row. `SQLite` finds damage to the shape of its pages; a bit flipped inside a value is found here.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Transaction};
use sha2::{Digest, Sha256};

/// Table whose rows have checksums: its name, the name of a row, and the columns in the sum.
pub(super) struct SummedTable {
    pub(super) name: &'static str,
    key: &'static str,
    columns: &'static str,
}

/// Rows from which the board is made. Damage to one of them is damage to the board.
pub(super) const BOARD_TABLES: &[SummedTable] = &[
    SummedTable {
        name: "board",
        key: "'the board'",
        columns: "pause, last_attempt, infra_failures, seq",
    },
    SummedTable {
        name: "batches",
        key: "'batch ' || id",
        columns: "id, title, run, seq, gone_at, doc",
    },
    SummedTable {
        name: "tasks",
        key: "'task ' || id",
        columns: "id, batch, workflow, stage, state, priority, title, since, seq, gone_at, doc",
    },
    SummedTable {
        name: "attempts",
        key: "'attempt ' || id",
        columns: "id, task, stage, state, open, created_at, ended_at, seq, gone_at, doc",
    },
    SummedTable {
        name: "intents",
        key: "'request ' || key",
        columns: "key, seq, n, created_at, done_at, done_seq, doc",
    },
];

/// Tables of events. The board does not depend on them.
pub(super) const LOG_TABLES: &[SummedTable] = &[
    SummedTable {
        name: "events",
        key: "'event ' || seq",
        columns: "at, kind, task, attempt, doc, session",
    },
    SummedTable {
        name: "notices",
        key: "'notice ' || n || ' of event ' || seq",
        columns: "seq, n, level, kind, task, attempt, doc",
    },
];

/// Makes `row_sum(…)` known to a connection.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("row_sum", -1, flags, |context| Ok(row_sum(context)))
}

/// Names of the rows of a table whose sum is not theirs, at most `limit`.
pub(super) fn damaged_rows(
    connection: &Connection,
    table: &SummedTable,
    limit: u32,
) -> rusqlite::Result<Vec<String>> {
    let SummedTable { name, key, columns } = table;
    let sql = format!(
        "SELECT {key} FROM {name} NOT INDEXED
         WHERE (sum IS NOT NULL OR seq >= (SELECT summed_from FROM about)) AND sum IS NOT row_sum({columns})
         LIMIT ?1"
    );
    let mut statement = connection.prepare(&sql)?;
    statement.query_map([limit], |row| row.get(0))?.collect()
}

/// Returns true if the database has checksums; those of the first formats have none.
pub(super) fn are_kept(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_info('about') WHERE name = 'summed_from'";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Gives rows of a table that were written just now their sum; `chosen` says which, with parameters.
pub(super) fn seal(
    transaction: &Transaction<'_>,
    name: &str,
    chosen: &str,
    parameters: impl Params,
) -> rusqlite::Result<()> {
    let table = BOARD_TABLES.iter().find(|table| table.name == name);
    let columns = table.map_or("", |table| table.columns);
    let sql = format!("UPDATE {name} SET sum = row_sum({columns}) WHERE {chosen}");
    transaction.prepare_cached(&sql)?.execute(parameters).map(drop)
}

fn row_sum(context: &Context<'_>) -> i64 {
    let mut hash = Sha256::new();
    for n in 0..context.len() {
        let (tag, bytes): (u8, &[u8]) = match context.get_raw(n) {
            ValueRef::Null => (0, &[]),
            ValueRef::Integer(number) => {
                hash.update([1]);
                hash.update(number.to_be_bytes());
                continue;
            }
            ValueRef::Real(number) => {
                hash.update([2]);
                hash.update(number.to_be_bytes());
                continue;
            }
            ValueRef::Text(bytes) => (3, bytes),
            ValueRef::Blob(bytes) => (4, bytes),
        };
        hash.update([tag]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    }
    let digest = hash.finalize();
    let first = digest.first_chunk::<8>().copied().unwrap_or_default();
    i64::from_be_bytes(first)
}

/// Returns the expression that checks whether an attempt of `attempts a` has its own checksum.
pub(super) fn attempt_test(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if are_kept(connection)? {
        "(a.sum IS row_sum(a.id, a.task, a.stage, a.state, a.open, a.created_at, a.ended_at, a.seq, a.gone_at, a.doc)
          OR (a.sum IS NULL AND a.seq < (SELECT summed_from FROM about)))"
    } else {
        "1"
    })
}

/// Returns the expression that checks whether an event of `events e` has its own checksum.
pub(super) fn event_test(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if are_kept(connection)? {
        "(e.sum IS row_sum(e.at, e.kind, e.task, e.attempt, e.doc, e.session)
          OR (e.sum IS NULL AND e.seq < (SELECT summed_from FROM about)))"
    } else {
        "1"
    })
}

/// Returns the expression that checks whether a notice of `notices n` has its own checksum.
pub(super) fn notice_test(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if are_kept(connection)? {
        "(n.sum IS row_sum(n.seq, n.n, n.level, n.kind, n.task, n.attempt, n.doc)
          OR (n.sum IS NULL AND n.seq < (SELECT summed_from FROM about)))"
    } else {
        "1"
    })
}
