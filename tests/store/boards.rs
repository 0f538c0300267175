//! Hand-made boards and turns. Values are made from JSON, so that new fields with a default in the rules need no change here.

use std::path::Path;
use std::sync::Arc;

use dbs::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use dbs::domain::board::ChangedRows;
use dbs::domain::{
    Attempt, AttemptId, Batch, Board, Effect, Event, Notice, NoticeLevel, Task, TaskId, Timestamp, WaitReason,
};
use dbs::ports::store::{Store, StoreError, Turn};
use serde_json::{Value, json};

pub(crate) const NOW: Timestamp = Timestamp(1_767_323_045_678);

/// A store in `folder`, without ballast.
pub(crate) fn files(folder: &Path) -> StoreFiles {
    StoreFiles {
        ballast_bytes: 0,
        ..StoreFiles::new(&folder.join("dbs"), &folder.join("backups"))
    }
}

pub(crate) fn owner() -> LockOwner {
    LockOwner {
        process: std::process::id(),
        socket: "nowhere".to_owned(),
    }
}

pub(crate) fn open(folder: &Path) -> SqliteStore {
    SqliteStore::open(&files(folder), &owner(), NOW).unwrap()
}

pub(crate) fn batch() -> Batch {
    serde_json::from_value(json!({
        "id": "invoices", "title": "Invoices", "goal": "", "base": null, "go_ahead": null, "run": "running", "since": 5,
    }))
    .unwrap()
}

pub(crate) fn task(id: &str) -> Task {
    serde_json::from_value(json!({
        "id": id, "batch": "invoices", "workflow": "kanban", "title": format!("Title of {id}"), "body": "naïve ⟂ \u{0} text",
        "kind": "bug", "tags": ["security"], "priority": 1, "deps": [], "gates": [{"name": "unit", "command": "make test"}],
        "stage": "development", "state": "released", "open_attempt": null, "next_mode": "fresh",
        "needs_approval": false, "approved": null, "not_before": null, "failures": {"development": {"crash": 2}},
        "rejections": 0, "spawns": 0, "head": null, "merged": null, "why_not": null, "comments": [], "finding": null,
        "created_at": 5, "since": 6,
    }))
    .unwrap()
}

pub(crate) fn attempt(id: u64, task: &str, state: &Value) -> Attempt {
    serde_json::from_value(json!({
        "id": id, "task": task, "stage": "development", "n": 1, "mode": "fresh",
        "worker": {"agent": {"role": "developer", "name": "developer-ravel"}}, "state": state, "signals": [],
        "workplace": null, "activity": {"doing": "starting", "source": "started", "since": 7}, "evidence": [],
        "checks": 0, "created_at": 7, "started_at": null, "deadline": 9, "ended_at": null, "workspace": "none",
    }))
    .unwrap()
}

pub(crate) fn notice(task: &str, text: &str) -> Effect {
    Effect::Notify(Notice {
        level: NoticeLevel::Info,
        kind: "spawn".to_owned(),
        task: Some(TaskId::from(task)),
        attempt: None,
        text: text.to_owned(),
    })
}

/// A board with one batch and the given tasks and attempts, and a set of changed rows that names all of them.
pub(crate) fn board(tasks: Vec<Task>, attempts: Vec<Attempt>) -> (Board, ChangedRows) {
    let mut touched = ChangedRows {
        batches: [batch().id].into(),
        ..ChangedRows::default()
    };
    let mut board = Board::default();
    board.batches.insert(batch().id, Arc::new(batch()));
    for task in tasks {
        touched.tasks.insert(task.id.clone());
        board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    for attempt in attempts {
        touched.attempts.insert(attempt.id);
        board.attempts.insert(attempt.id, Arc::new(attempt));
    }
    (board, touched)
}

pub(crate) fn commit(
    store: &mut SqliteStore,
    event: &Event,
    (board, touched): (&Board, &ChangedRows),
    effects: &[Effect],
) -> Result<u64, StoreError> {
    store.commit(&Turn {
        at: NOW,
        event,
        board,
        changed: touched,
        effects,
    })
}

/// Turn `n` of a long run: creates task `t-n`, starts attempt `n` on it, settles attempt `n - 1`, and gives a notice of it.
pub(crate) fn nth_turn(n: u64) -> (Event, Board, ChangedRows, Vec<Effect>) {
    let name = format!("t-{n}");
    let mut tasks = vec![task(&name)];
    let mut attempts = vec![attempt(n, &name, &json!("running"))];
    if n > 1 {
        let before = format!("t-{}", n - 1);
        let over = json!({"settled": "passed"});
        attempts.push(attempt(n - 1, &before, &over));
        tasks.push(Task {
            why_not: Some(WaitReason::Paused),
            ..task(&before)
        });
    }
    let (mut board, touched) = board(tasks, attempts);
    board.last_attempt = n;
    let event = Event::AttemptNotStarted {
        attempt: AttemptId(n),
        why: format!("turn {n}").into(),
    };
    let effects = vec![Effect::Start(AttemptId(n)), notice(&name, &format!("turn {n}"))];
    (event, board, touched, effects)
}
