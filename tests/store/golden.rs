//! Every later version reads everything that was ever written. `tests/data/store/v1.sql` is a database of format 1; it is rewritten only
//! while that format has not been released: `DBS_UPDATE=1 cargo test --test store golden`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use dbs::adapters::store::SqliteStore;
use dbs::domain::{AttemptId, Effect, Event, TaskId};
use dbs::ports::store::Store;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::boards::{attempt, board, commit, files, notice, open, task};

const TABLES: [&str; 9] = [
    "about", "board", "batches", "tasks", "attempts", "events", "mentions", "notices", "intents",
];

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/store/v1.sql")
}

/// One fact of every kind and a request of every kind, in their stored form.
fn facts() -> Vec<Value> {
    let commands = [
        json!({"put_batch": {"id": "b", "title": "B", "goal": "g", "base": "main"}}),
        json!({"create": {"id": "a", "batch": "b", "workflow": "kanban", "stage": null, "title": "A", "body": "", "kind": "bug",
            "tags": ["security"], "priority": 1, "deps": [], "gates": [{"name": "unit", "command": "make"}], "needs_approval": true}}),
        json!({"update": ["a", {"title": "T", "body": null, "priority": 3, "add_tags": ["x"], "remove_tags": [], "stage": "review"}]}),
        json!({"comment": ["a", "text"]}),
        json!({"add_dependency": ["a", "c"]}),
        json!({"remove_dependency": ["a", "c"]}),
        json!({"release": ["a", "c"]}),
        json!({"park": ["a", "later"]}),
        json!({"close": ["a", "no"]}),
        json!({"retry": {"task": "a", "stage": "review", "note": null}}),
        json!({"approve": "a"}),
        json!({"reject": ["a", "why"]}),
        json!({"skip": "a"}),
        json!({"answer": ["a", "yes"]}),
        json!({"kill": 7}),
        json!("pause"),
        json!("resume"),
    ];
    let asked = |command: &Value| json!({"asked": {"request": 3, "by": "ann", "command": command}});
    let mut facts: Vec<Value> = commands.iter().map(asked).collect();
    facts.extend([
        json!({"configured": {"max_agents": 3, "max_by_role": {"developer": 2}, "max_starts": 1, "agent_timeout": 60000, "linger": 5,
            "base": "main", "gates": [{"name": "unit", "command": "make"}], "infra_backoff": 1, "crash_backoff": 2, "cooldown": 3}}),
        json!({"workflows_loaded": []}),
        json!({"attempt_started": {"attempt": 7, "workplace": {"path": "w", "branch": "b", "start": "c", "start_tree": "t"}}}),
        json!({"attempt_not_started": {"attempt": 7, "why": "no"}}),
        json!({"signalled": {"attempt": 7, "kind": "done", "text": "t", "key": "k"}}),
        json!({"observed": {"attempt": 7, "doing": {"permission": "rm"}, "source": "hook"}}),
        json!({"observed": {"attempt": 7, "doing": "working", "source": "title"}}),
        json!({"attempt_ended": {"attempt": 7, "exit": {"code": 1}, "tail": "t", "cause": {"quota": {"until": 5, "why": "w"}}}}),
        json!({"attempt_ended": {"attempt": 7, "exit": {"signal": 9}, "tail": "", "cause": {"infra": "login"}}}),
        json!({"attempt_ended": {"attempt": 7, "exit": "vanished", "tail": "", "cause": null}}),
        json!({"action_ended": {"attempt": 7, "outcome": {"done": {"commit": "c", "evidence": [{"kind": "gates", "outcome": "yes"}]}}}}),
        json!({"action_ended": {"attempt": 7, "outcome": {"failed": "conflict"}}}),
        json!({"action_ended": {"attempt": 7, "outcome": {"issues": [{"severity": "critical", "text": "t"}]}}}),
        json!({"action_ended": {"attempt": 7, "outcome": {"unknown": "offline"}}}),
        json!({"verified": {"attempt": 7, "evidence": [{"kind": "commits_ahead", "outcome": {"no": "none"}}], "head": "h"}}),
        json!({"workspace_settled": {"attempt": 7, "problem": "busy"}}),
        json!({"performed": {"key": "retire/a", "problem": null}}),
        json!({"woke": {"running": [7], "ended": {"8": [{"code": 0}, "tail"]}, "unknown": [9]}}),
        json!("ticked"),
    ]);
    facts
}

/// Returns true if `smaller` is contained in `larger`: later versions may add, but never lose.
fn is_within(smaller: &Value, larger: &Value) -> bool {
    match (smaller, larger) {
        (Value::Object(left), Value::Object(right)) => left.iter().all(|(key, value)| {
            right
                .get(key)
                .map_or(value.is_null(), |other| is_within(value, other))
        }),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_within(left, right))
        }
        _ => smaller == larger,
    }
}

/// Creates the sample with the store itself.
fn make(folder: &Path) {
    let mut store = open(folder);
    let states = [
        (
            "a",
            json!("released"),
            json!({"settled": {"failed": ["crash", "gone"]}}),
        ),
        ("b", json!({"held": {"blocked": "why"}}), json!("running")),
        ("c", json!({"parked": "later"}), json!({"stopping": "timeout"})),
        (
            "d",
            json!({"skipped": "a"}),
            json!({"settled": {"stopped": "killed"}}),
        ),
    ];
    let mut tasks = Vec::new();
    let mut attempts = Vec::new();
    for (n, (id, state, work)) in (1..).zip(states) {
        let mut task = task(id);
        task.state = serde_json::from_value(state).unwrap();
        tasks.push(task);
        attempts.push(attempt(n, id, &work));
    }
    let (board, touched) = board(tasks, attempts);
    let effects = [
        Effect::Start(AttemptId(2)),
        Effect::Settle(AttemptId(4)),
        Effect::Retire(TaskId::from("d")),
        notice("a", "said"),
    ];
    commit(&mut store, &Event::Ticked, (&board, &touched), &effects).unwrap();
    for fact in facts() {
        let event: Event = serde_json::from_value(fact).unwrap();
        commit(
            &mut store,
            &event,
            (&board, &dbs::domain::board::ChangedRows::default()),
            &[],
        )
        .unwrap();
    }
}

/// The whole database as SQL that recreates it.
fn dump(database: &Path) -> String {
    let raw = Connection::open(database).unwrap();
    let mut text = String::from("PRAGMA application_id = 1684173569;\nPRAGMA user_version = 1;\n");
    let schema = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type = ?1 ORDER BY rowid";
    let mut all = |kind: &str| {
        let mut statement = raw.prepare(schema).unwrap();
        let found = statement
            .query_map([kind], |row| row.get::<_, String>(0))
            .unwrap();
        found.for_each(|sql| writeln!(text, "{};", sql.unwrap()).unwrap());
        if kind == "table" {
            for table in TABLES {
                rows(&raw, table, &mut text);
            }
        }
    };
    for kind in ["table", "index", "trigger"] {
        all(kind);
    }
    text
}

fn rows(raw: &Connection, table: &str, text: &mut String) {
    let statement = raw
        .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
        .unwrap();
    let count = statement.column_count();
    let columns: Vec<String> = statement
        .column_names()
        .iter()
        .map(|name| format!("quote({name})"))
        .collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY 1, 2", columns.join(", "));
    let mut quoted = raw.prepare(&sql).unwrap();
    let mut found = quoted.query([]).unwrap();
    while let Some(row) = found.next().unwrap() {
        let values: Vec<String> = (0..count).map(|at| row.get(at).unwrap()).collect();
        writeln!(text, "INSERT INTO {table} VALUES ({});", values.join(", ")).unwrap();
    }
}

/// A store made from the sample after the SQL in `change`.
fn from_sample(change: &str) -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let database = files(folder.path()).database;
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    let raw = Connection::open(&database).unwrap();
    raw.execute_batch(&format!(
        "BEGIN; {} {change}; COMMIT",
        fs::read_to_string(sample()).unwrap()
    ))
    .unwrap();
    raw.close().unwrap();
    let store = open(folder.path());
    (folder, store)
}

fn stored(folder: &Path, sql: &str) -> Vec<Value> {
    let raw = Connection::open(files(folder).database).unwrap();
    let mut statement = raw.prepare(sql).unwrap();
    let found = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    found
        .map(|doc| serde_json::from_str(&doc.unwrap()).unwrap())
        .collect()
}

#[test]
fn a_database_of_format_one_is_read_without_losing_anything() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the switch that rewrites generated documents"
    )]
    if std::env::var("DBS_UPDATE").is_ok() {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        fs::write(sample(), dump(&files(folder.path()).database)).unwrap();
    }
    let (folder, mut store) = from_sample("");
    let board = store.load().unwrap();
    let tasks: Vec<Value> = board
        .tasks
        .values()
        .map(|task| serde_json::to_value(task).unwrap())
        .collect();
    let attempts: Vec<Value> = board
        .attempts
        .values()
        .map(|one| serde_json::to_value(one).unwrap())
        .collect();
    let events = store.reader().events(0, usize::MAX, None).unwrap();
    let events: Vec<Value> = events
        .iter()
        .map(|one| serde_json::to_value(&one.event).unwrap())
        .collect();
    let intents: Vec<Value> = store
        .open_intents()
        .unwrap()
        .iter()
        .map(|one| serde_json::to_value(one).unwrap())
        .collect();
    for (what, read, sql) in [
        ("tasks", tasks, "SELECT doc FROM tasks ORDER BY id"),
        ("attempts", attempts, "SELECT doc FROM attempts ORDER BY id"),
        ("events", events, "SELECT doc FROM events ORDER BY seq"),
        (
            "intents",
            intents,
            "SELECT doc FROM intents WHERE done_at IS NULL ORDER BY seq, n",
        ),
    ] {
        let written = stored(folder.path(), sql);
        assert_eq!(written.len(), read.len(), "{what}");
        assert!(!written.is_empty(), "{what}");
        for (written, read) in written.iter().zip(&read) {
            assert!(is_within(written, read), "{what}: {written} was read as {read}");
        }
    }
}

#[test]
fn every_fact_is_still_written_as_it_was() {
    for fact in facts() {
        let event: Event = serde_json::from_value(fact.clone()).unwrap();
        let now = serde_json::to_value(&event).unwrap();
        assert!(is_within(&fact, &now), "{fact} is now written as {now}");
    }
}

#[test]
fn parts_of_rows_that_are_not_known_are_passed_over() {
    let add =
        |table: &str| format!("UPDATE {table} SET doc = json_set(doc, '$.from_the_future', json('[1]'));");
    let (_keep, mut plain) = from_sample("");
    let (_keep_too, mut store) = from_sample(&[add("tasks"), add("attempts"), add("batches")].concat());
    assert_eq!(store.load().unwrap(), plain.load().unwrap());
}
