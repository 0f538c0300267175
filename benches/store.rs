//! Cost of the store: a commit with its flush to the disk, and reading a board of 10,000 tasks.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]

use std::sync::Arc;

use dbs::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use dbs::domain::board::ChangedRows;
use dbs::domain::{Batch, Board, Effect, Event, Notice, NoticeLevel, Task, Timestamp};
use dbs::ports::store::{Store, Turn};
use divan::Bencher;
use serde_json::json;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const NOW: Timestamp = Timestamp(1_767_323_045_678);

fn open(folder: &TempDir) -> SqliteStore {
    let files = StoreFiles::new(&folder.path().join("dbs"), &folder.path().join("backups"));
    SqliteStore::open(&files, &LockOwner::default(), NOW).unwrap()
}

fn task(n: usize) -> Task {
    serde_json::from_value(json!({
        "id": format!("dbs-{n}"), "batch": "b", "workflow": "kanban", "title": format!("Task number {n}"),
        "body": "A description of some length, as people write them. ".repeat(8), "kind": "task", "tags": ["security"],
        "priority": 2, "deps": [], "gates": [], "stage": "development", "state": "released", "open_attempt": null,
        "next_mode": "fresh", "needs_approval": false, "approved": null, "not_before": null, "failures": {}, "rejections": 0,
        "spawns": 0, "head": null, "merged": null, "why_not": null, "comments": [], "finding": null, "created_at": 5, "since": 6,
    }))
    .unwrap()
}

fn board(tasks: usize) -> (Board, ChangedRows) {
    let batch: Batch = serde_json::from_value(json!({
        "id": "b", "title": "B", "goal": "", "base": null, "go_ahead": null, "run": "running", "since": 5,
    }))
    .unwrap();
    let (mut board, mut touched) = (Board::default(), ChangedRows::default());
    touched.batches.insert(batch.id.clone());
    board.batches.insert(batch.id.clone(), Arc::new(batch));
    for task in (0..tasks).map(task) {
        touched.tasks.insert(task.id.clone());
        board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    (board, touched)
}

fn commit(store: &mut SqliteStore, board: &Board, touched: &ChangedRows, effects: &[Effect]) -> u64 {
    let turn = Turn {
        at: NOW,
        event: &Event::Ticked,
        board,
        changed: touched,
        effects,
    };
    store.commit(&turn).unwrap()
}

/// One turn that changes that many tasks, with a notice, flushed to the disk.
#[divan::bench(args = [1, 10, 100], sample_count = 100, sample_size = 1)]
fn turn(bencher: Bencher<'_, '_>, tasks: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&folder);
    let (board, touched) = board(tasks);
    let notice = Effect::Notify(Notice {
        level: NoticeLevel::Info,
        kind: "spawn".to_owned(),
        task: None,
        attempt: None,
        text: "said".to_owned(),
    });
    bencher.bench_local(|| commit(&mut store, &board, &touched, std::slice::from_ref(&notice)));
}

/// Reading the whole board.
#[divan::bench(args = [100, 10_000], sample_count = 20, sample_size = 1)]
fn load(bencher: Bencher<'_, '_>, tasks: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&folder);
    let (board, touched) = board(tasks);
    commit(&mut store, &board, &touched, &[]);
    bencher.bench_local(|| store.load().unwrap());
}

/// Opening with the check of all pages, at 10,000 tasks and 2,000 events.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn reopen(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&folder);
    let (board, touched) = board(10_000);
    commit(&mut store, &board, &touched, &[]);
    for _ in 0..2_000 {
        commit(&mut store, &board, &ChangedRows::default(), &[]);
    }
    drop(store);
    bencher.bench_local(|| open(&folder));
}

/// A copy of the whole database.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn backup(bencher: Bencher<'_, '_>) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&folder);
    let (board, touched) = board(10_000);
    commit(&mut store, &board, &touched, &[]);
    bencher.bench_local(|| store.backup(NOW).unwrap());
}
