//! The board: the time from one agent to the next, the time of commands and of a key at 10,000 tasks, and two hundred tasks through real
//! git.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbs::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use dbs::domain::board::ChangedRows;
use dbs::domain::{Batch, Board, Event, Task, Timestamp};
use dbs::ports::store::{Store, Turn};
use serde_json::{Value, json};

use crate::dbs::{FRAME, Project};
use crate::table::{Table, median, millis, percentiles};

/// Longest time for any step here.
const DEADLINE: Duration = Duration::from_mins(30);

/// Time between the end of a developer and the start of a reviewer; both write it down.
pub(crate) fn signal_to_spawn(table: &mut Table) {
    let count = table.sizes.of(20, 3);
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent.sh");
    // `begun` comes first, `said` last: the whole work of the engine is between two agents of a task.
    let body = format!(
        "date +%s%N > {0}/begun-$DBS_TASK-$DBS_ROLE\n{1} signal claim\n\
         if [ $DBS_ROLE = developer ]; then echo work > $DBS_TASK.txt; git add .; git commit -q -m Work; git push -q origin HEAD; fi\n\
         date +%s%N > {0}/said-$DBS_TASK-$DBS_ROLE\n{1} signal done Worked\n",
        folder.path().display(),
        crate::dbs::program()
    );
    fs::write(&script, body).unwrap();
    let project = Project::new(&format!(
        "max_total_agents = 1\n[roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
        script.display()
    ));
    project.server();
    project.tasks(count);
    let known = |name: &str, task: u32, role: &str| -> Option<u64> {
        let path = folder.path().join(format!("{name}-t-{task}-{role}"));
        fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    let gap = |task| known("begun", task, "reviewer")?.checked_sub(known("said", task, "developer")?);
    project.wait_until("all reviews", DEADLINE, || {
        (1..=count).all(|task| gap(task).is_some())
    });
    let times = (1..=count).filter_map(gap).map(Duration::from_nanos).collect();
    table.row(
        "a developer's last word → its reviewer runs (evidence and worktree included), p50 / p99",
        "< 100 ms",
        percentiles(times, 0),
        "–",
    );
}

/// A project with that many tasks in its store.
fn with_tasks(count: usize) -> Project {
    let project = Project::new("paused = true\n");
    project.dbs(&["init"]);
    let files = StoreFiles::new(
        &project.path().join(".git/dbs"),
        &project.path().join(".git/dbs/backups"),
    );
    let mut store = SqliteStore::open(&files, &LockOwner::default(), Timestamp(5)).unwrap();
    let (mut board, mut touched) = (Board::default(), ChangedRows::default());
    let batch: Batch = serde_json::from_value(json!({
        "id": "b", "title": "B", "goal": "", "base": null, "go_ahead": 5, "run": "running", "since": 5,
    }))
    .unwrap();
    touched.batches.insert(batch.id.clone());
    board.batches.insert(batch.id.clone(), Arc::new(batch));
    for task in (0..count).map(task) {
        touched.tasks.insert(task.id.clone());
        board.tasks.insert(task.id.clone(), Arc::new(task));
    }
    let turn = Turn {
        at: Timestamp(6),
        event: &Event::Ticked,
        board: &board,
        changed: &touched,
        effects: &[],
    };
    store.commit(&turn).unwrap();
    drop(store);
    project
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

/// Commands while a server serves 10,000 tasks.
pub(crate) fn ten_thousand(table: &mut Table) {
    let count = table.sizes.of(10_000, 2_000);
    let project = with_tasks(count);
    let began = Instant::now();
    project.server();
    let started = began.elapsed();
    let sizes = table.sizes;
    let timed = |arguments: &[&str]| {
        let times = (0..sizes.of(15, 3)).map(|_| {
            let began = Instant::now();
            project.dbs(arguments);
            began.elapsed()
        });
        format!("{} ms", millis(median(times.collect())))
    };
    let lines = project.dbs(&["task", "ready"]).lines().count();
    assert_eq!(lines, count, "all tasks are ready, and are printed");
    let commands: [(&[&str], &str); 7] = [
        (&["task", "ready"], "< 50 ms"),
        (&["board"], "< 50 ms"),
        (&["status"], "–"),
        (&["task", "show", "dbs-77"], "–"),
        (&["task", "create", "One more"], "–"),
        (&["task", "ready", "--json"], "–"),
        (&["board", "--json"], "–"),
    ];
    table.row(
        format!("server ready, {count} tasks in its store"),
        "–",
        format!("{} ms", millis(started)),
        "–",
    );
    for (arguments, target) in commands {
        let name = format!("`dbs {}`, {count} tasks", arguments.join(" "));
        table.row(name, target, timed(arguments), "–");
    }
}

/// A key on the board's tab while it shows 10,000 tasks.
pub(crate) fn keys(table: &mut Table) {
    let count = table.sizes.of(10_000, 2_000);
    let project = with_tasks(count);
    let client = project.client();
    client.first();
    client.type_in(b"3");
    std::thread::sleep(Duration::from_secs(2));
    let (mut times, mut lost) = (Vec::new(), 0);
    for _ in 0..table.sizes.of(60, 10) {
        client.look_for(FRAME);
        let typed = Instant::now();
        client.type_in(b"j");
        match client.arrival(Duration::from_secs(2)) {
            Some(arrived) => times.push(arrived - typed),
            None => lost += 1,
        }
        std::thread::sleep(Duration::from_millis(45));
    }
    table.row(
        format!("a key on the board, {count} tasks, p50 / p99"),
        "< 16 ms",
        percentiles(times, lost),
        "–",
    );
}

/// Rehearsal agents, real git: worktrees, commits, pushes, reviews, merges.
pub(crate) fn batch(table: &mut Table) {
    let count = table.sizes.of(200, 8);
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("scenario.toml");
    fs::write(&scenario, SCENARIO).unwrap();
    let project = Project::new(&format!(
        "max_total_agents = 8\n[roles.default]\nagent = \"rehearsal\"\n[rehearsal]\nscenario = \"{}\"\nspeed = 100\n\
         [limits]\nstarts_per_turn = 8\nlinger = 1\n",
        scenario.display()
    ));
    project.server();
    project.dbs(&["pause"]);
    project.tasks(count);
    let began = Instant::now();
    project.dbs(&["resume"]);
    project.wait_until("the end of all tasks", DEADLINE, || {
        project.count("done") == u64::from(count)
    });
    let taken = began.elapsed();
    let minute = f64::from(count) / taken.as_secs_f64() * 60.0;
    table.row(
        format!("{count} tasks through real git, 8 agents at a time"),
        "–",
        format!("{minute:.0} tasks a minute ({:.1} s)", taken.as_secs_f64()),
        "–",
    );
    table.row(
        "where the time of an attempt goes, on average",
        "–",
        shares(&project.json(&["board", "--json"])),
        "–",
    );
}

/// A developer adds a file, a reviewer approves.
const SCENARIO: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [
  { signal = "claim" },
  { signal = "done", text = "Good." },
]
"#;

/// Mean times of the attempts that the server still knows, by stage: to their start, and from there to their verdict.
fn shares(board: &Value) -> String {
    let mut stages: std::collections::BTreeMap<&str, (u64, u64, u32)> = std::collections::BTreeMap::new();
    for attempt in board
        .pointer("/attempts")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|all| all.values())
    {
        let at = |name: &str| attempt.get(name).and_then(Value::as_u64);
        let stage = attempt.get("stage").and_then(Value::as_str).unwrap_or("?");
        if let (Some(created), Some(ended)) = (at("created_at"), at("ended_at")) {
            let started = at("started_at").unwrap_or(created);
            let sum = stages.entry(stage).or_default();
            *sum = (sum.0 + started - created, sum.1 + ended - started, sum.2 + 1);
        }
    }
    let parts = stages.iter().map(|(stage, (starting, running, count))| {
        let count = u64::from(*count).max(1);
        format!(
            "{stage}: {} ms to start, {} ms to the verdict",
            starting / count,
            running / count
        )
    });
    parts.collect::<Vec<_>>().join("; ")
}
