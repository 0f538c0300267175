//! What the rules cost on a large board: planning ten thousand tasks one by one, releasing them, and an event on a board that
//! holds them.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]

use dbs::domain::{Board, Command, Draft, Event, Inventory, RequestId, Settings, TaskId, Timestamp};
use dbs::formats::workflow;
use dbs::read_model::ReadModel;
use divan::Bencher;
use serde_json::json;

fn main() {
    divan::main();
}

const NOW: Timestamp = Timestamp(1_767_323_045_678);

fn asked(command: Command) -> Event {
    Event::Asked {
        request: RequestId(0),
        by: "ann".to_owned(),
        command,
    }
}

/// Task `n`, which waits for the one before it, but for every tenth.
fn draft(n: usize) -> Draft {
    let deps: Vec<String> = (!n.is_multiple_of(10))
        .then(|| format!("t-{}", n - 1))
        .into_iter()
        .collect();
    serde_json::from_value(json!({
        "id": format!("t-{n}"), "batch": "b", "workflow": "kanban", "stage": null, "title": format!("Task number {n}"),
        "body": "A description of some length, as people write them. ".repeat(8), "kind": "task", "tags": [],
        "priority": 2, "deps": deps, "gates": [], "needs_approval": false,
    }))
    .unwrap()
}

fn empty() -> Board {
    let mut board = Board::default();
    let flows = workflow::builtin().into_iter();
    let flows = flows.filter_map(|(name, text)| workflow::read(name.as_ref(), text).0);
    let settings = Settings {
        base: Some("main".to_owned()),
        ..Settings::default()
    };
    board.apply(NOW, &Event::WorkflowsLoaded(flows.collect()));
    board.apply(NOW, &Event::Configured(settings));
    board.apply(NOW, &Event::Woke(Inventory::default()));
    board
}

fn planned(tasks: usize) -> Board {
    let mut board = empty();
    for n in 0..tasks {
        board.apply(NOW, &asked(Command::Create(draft(n))));
        board.take_touched();
    }
    board
}

fn released(tasks: usize) -> Board {
    let mut board = planned(tasks);
    let ids = (0..tasks).map(|n| TaskId::new(format!("t-{n}")));
    board.apply(NOW, &asked(Command::Release(ids.collect())));
    board.take_touched();
    board
}

/// Planning all tasks, one event each.
#[divan::bench(args = [1_000, 10_000], sample_count = 3, sample_size = 1)]
fn plan(bencher: Bencher<'_, '_>, tasks: usize) {
    bencher.bench_local(|| planned(tasks));
}

/// Releasing all tasks, one event each.
#[divan::bench(args = [1_000, 10_000], sample_count = 3, sample_size = 1)]
fn release_one_by_one(bencher: Bencher<'_, '_>, tasks: usize) {
    bencher
        .with_inputs(|| planned(tasks))
        .bench_local_values(|mut board| {
            for n in 0..tasks {
                let id = TaskId::new(format!("t-{n}"));
                board.apply(NOW, &asked(Command::Release(vec![id])));
                board.take_touched();
            }
            board
        });
}

/// A comment on a board where all tasks are released and eight are worked on.
#[divan::bench(args = [100, 10_000], sample_count = 100, sample_size = 10)]
fn comment(bencher: Bencher<'_, '_>, tasks: usize) {
    let mut board = released(tasks);
    let event = asked(Command::Comment("t-5".into(), "a word".to_owned()));
    bencher.bench_local(|| {
        board.apply(NOW, &event);
        board.take_touched()
    });
}

/// The picture people see.
#[divan::bench(args = [100, 10_000], sample_count = 20, sample_size = 1)]
fn picture(bencher: Bencher<'_, '_>, tasks: usize) {
    let board = released(tasks);
    bencher.bench_local(|| ReadModel::of(&board, NOW));
}
