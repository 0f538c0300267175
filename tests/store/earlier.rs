//! Databases of an earlier program: read without changes, refused if anything in them could run; and our own database, shown under the
//! names of their tables (P68).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dbs::adapters::store::EarlierHistory;
use dbs::domain::{Event, Timestamp};
use rusqlite::Connection;
use rusqlite::types::Value as SqlValue;
use serde_json::json;

use crate::boards::{attempt, board, commit, files, open, task};

const TABLES: &str = "
CREATE TABLE runs (id TEXT PRIMARY KEY, master_plan_path TEXT NOT NULL, started_at TEXT, completed_at TEXT, status TEXT, current_phase TEXT);
CREATE TABLE phase_executions (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT REFERENCES runs (id), phase_id TEXT, attempt INTEGER,
  status TEXT, started_at TEXT, completed_at TEXT, claude_pid INTEGER, log_path TEXT, error_message TEXT, UNIQUE (run_id, phase_id, attempt));
CREATE TABLE gate_results (id INTEGER PRIMARY KEY, phase_execution_id INTEGER, gate_name TEXT, command TEXT, passed BOOLEAN, output TEXT, executed_at TEXT);
CREATE TABLE completion_signals (id INTEGER PRIMARY KEY, run_id TEXT, phase_id TEXT, status TEXT, reason TEXT, signaled_at TEXT);
INSERT INTO runs VALUES ('3f2a91bc', 'docs/MASTER.md', '2026-01-02T10:00:00', NULL, 'failed', '2');
INSERT INTO phase_executions VALUES (2, '3f2a91bc', '2', 1, 'failed', '2026-01-02T10:20:00', '2026-01-02T10:30:00', 4711, NULL, 'no notes');
INSERT INTO phase_executions VALUES (1, '3f2a91bc', '1', 1, 'completed', '2026-01-02T10:00:00', '2026-01-02T10:20:00', 4710, NULL, NULL);
INSERT INTO gate_results VALUES (1, 2, 'lint', 'make lint', 0, 'bad', '2026-01-02T10:30:00');
INSERT INTO gate_results VALUES (2, 2, 'test', 'make test', 1, 'good', '2026-01-02T10:30:00');
INSERT INTO completion_signals VALUES (1, '3f2a91bc', '1', 'completed', NULL, '2026-01-02T10:19:00');
";

/// A database of that program, with the additional SQL run on it.
fn earlier(folder: &Path, more: &str) -> PathBuf {
    let file = folder.join("state.db");
    let raw = Connection::open(&file).unwrap();
    raw.execute_batch(TABLES).unwrap();
    raw.execute_batch(more).unwrap();
    raw.close().unwrap();
    file
}

#[test]
fn the_history_of_an_earlier_program_is_read_and_its_file_stays_as_it_was() {
    for mode in ["", "PRAGMA journal_mode = wal; PRAGMA wal_checkpoint(TRUNCATE);"] {
        let folder = tempfile::tempdir().unwrap();
        let file = earlier(folder.path(), mode);
        let before = fs::read(&file).unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let there = names();
        let history = EarlierHistory::read(&file).unwrap();
        assert_eq!(
            history.lines(),
            [
                "run 3f2a91bc  failed  docs/MASTER.md  2026-01-02T10:00:00 to -",
                "  phase 1      completed      try 1  2026-01-02T10:00:00 to 2026-01-02T10:20:00",
                "  phase 2      failed         try 1  2026-01-02T10:20:00 to 2026-01-02T10:30:00  failed: lint  no notes",
                "  continue: dbs run docs/MASTER.md --done 1",
            ]
        );
        let data = serde_json::to_value(&history).unwrap();
        assert_eq!(data["phase_executions"][1]["claude_pid"], json!(4711));
        assert_eq!(data["completion_signals"][0]["status"], json!("completed"));
        assert_eq!(data["progress_log"], json!([]));
        assert_eq!((fs::read(&file).unwrap(), names()), (before, there));
    }
}

#[test]
fn a_database_in_which_anything_could_be_executed_is_refused() {
    let planted = [
        "PRAGMA foreign_keys = OFF; DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS id FROM n",
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "PRAGMA foreign_keys = OFF; DROP TABLE runs; CREATE VIRTUAL TABLE runs USING fts5(id)",
    ];
    for more in planted {
        let folder = tempfile::tempdir().unwrap();
        let file = earlier(folder.path(), more);
        let why = EarlierHistory::read(&file).unwrap_err().to_string();
        assert!(why.contains("views, triggers or virtual tables"), "{more}: {why}");
    }
    let folder = tempfile::tempdir().unwrap();
    let computed = "ALTER TABLE runs ADD COLUMN more TEXT GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL";
    let why = EarlierHistory::read(&earlier(folder.path(), computed))
        .unwrap_err()
        .to_string();
    assert!(why.contains("columns that are computed"), "{why}");
}

#[test]
fn what_is_no_such_database_or_in_use_or_without_end_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let refused = |file: &Path, why: &str| {
        let said = EarlierHistory::read(file).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    };
    fs::write(path.join("text"), "SQLite is not this").unwrap();
    refused(&path.join("text"), "not an SQLite database");
    let file = earlier(path, "");
    let whole = fs::read(&file).unwrap();
    fs::write(path.join("cut.db"), &whole[..whole.len() / 2]).unwrap();
    assert!(EarlierHistory::read(&path.join("cut.db")).is_err());
    fs::write(path.join("state.db-wal"), "x").unwrap();
    refused(&file, "state.db-wal belongs to it");
    let many = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20100)
                INSERT INTO completion_signals (id) SELECT i FROM n";
    let other = tempfile::tempdir().unwrap();
    refused(&earlier(other.path(), many), "more than 20000 rows");
}

/// A store with a phase of a plan: one attempt that was blocked, and one at work.
fn with_phase(folder: &Path) {
    let mut store = open(folder);
    let mut phase = task("shop-2");
    let plan =
        json!({"source": {"plan": "docs/MASTER.md", "file": "docs/phase-2.md", "item": "2", "line": 4}});
    phase.plan = serde_json::from_value(plan).unwrap();
    let mut first = attempt(1, "shop-2", &json!({"settled": {"blocked": "no key"}}));
    let said = json!([
        {"kind": "progress", "text": "half", "key": "1", "at": 60_000},
        {"kind": "block", "text": "no key", "key": "2", "at": 120_000},
    ]);
    first.signals = serde_json::from_value(said).unwrap();
    phase.gates = serde_json::from_value(json!([
        {"name": "test", "command": "make test"},
        {"name": "lint", "command": "make lint"},
    ]))
    .unwrap();
    let issue = json!({"severity": "critical", "text": "gate lint failed: code 1"});
    let seen = json!([{"kind": "gates", "outcome": {"no": "lint failed"}, "issues": [issue]}]);
    first.evidence = serde_json::from_value(seen).unwrap();
    let second = attempt(2, "shop-2", &json!("running"));
    let (mut board, touched) = board(vec![phase], vec![first, second]);
    let batch = board.batches.values_mut().next().unwrap();
    Arc::make_mut(batch).go_ahead = Some(Timestamp(0));
    commit(&mut store, &Event::Ticked, (&board, &touched), &[]).unwrap();
}

/// The rows of a query, with a bar between the values.
fn rows(database: &Connection, sql: &str) -> Vec<String> {
    let mut asked = database.prepare(sql).unwrap();
    let width = asked.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let value = |n: usize| match row.get_unwrap(n) {
            SqlValue::Integer(number) => number.to_string(),
            SqlValue::Text(text) => text,
            _ => "-".to_owned(),
        };
        Ok((0..width).map(value).collect::<Vec<_>>().join("|"))
    };
    asked.query_map([], row).unwrap().map(Result::unwrap).collect()
}

#[test]
fn the_board_is_shown_under_the_names_of_earlier_tables() {
    let folder = tempfile::tempdir().unwrap();
    with_phase(folder.path());
    let database = Connection::open(files(folder.path()).database).unwrap();
    database.pragma_update(None, "trusted_schema", false).unwrap();
    for (sql, wanted) in [
        (
            "SELECT id, master_plan_path, started_at, completed_at, status, current_phase FROM runs",
            &["invoices|docs/MASTER.md|1970-01-01T00:00:00|-|running|2"][..],
        ),
        (
            "SELECT id, run_id, phase_id, attempt, status, log_path, error_message FROM phase_executions ORDER BY id",
            &[
                "1|invoices|2|1|blocked|attempts/1|{\"blocked\":\"no key\"}",
                "2|invoices|2|2|running|attempts/2|-",
            ],
        ),
        (
            "SELECT phase_execution_id, gate_name, command, passed, output FROM gate_results",
            &[
                "1|test|make test|1|-",
                "1|lint|make lint|0|gate lint failed: code 1",
            ],
        ),
        (
            "SELECT run_id, phase_id, status, reason, signaled_at FROM completion_signals",
            &["invoices|2|blocked|no key|1970-01-01T00:02:00"],
        ),
        (
            "SELECT run_id, phase_id, step, logged_at FROM progress_log",
            &["invoices|2|half|1970-01-01T00:01:00"],
        ),
        ("SELECT * FROM completed_features", &[]),
    ] {
        assert_eq!(rows(&database, sql), wanted, "{sql}");
    }
}
