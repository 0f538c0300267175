//! Boards of any size for measurements.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]

use dbs::domain::{Board, BoardSettings, Command, Event, Inventory, RequestId, TaskDraft, TaskId, Timestamp};
use dbs::formats::workflow;
use serde_json::json;

/// Time of all events.
pub(crate) const NOW: Timestamp = Timestamp(1_767_323_045_678);

/// Event of a request.
pub(crate) fn asked(command: Command) -> Event {
    Event::Asked {
        request: RequestId(0),
        by: "ann".to_owned(),
        command,
    }
}

/// Task `n`; each waits for the one before it, except every tenth.
fn draft(n: usize) -> TaskDraft {
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

/// A board without tasks.
fn empty() -> Board {
    let mut board = Board::default();
    let flows = workflow::builtin().into_iter();
    let flows = flows.filter_map(|(name, text)| workflow::read(name.as_ref(), text).0);
    let settings = BoardSettings {
        base: Some("main".to_owned()),
        ..BoardSettings::default()
    };
    board.apply(NOW, &Event::WorkflowsLoaded(flows.collect()));
    board.apply(NOW, &Event::configured(settings));
    board.apply(NOW, &Event::Woke(Inventory::default()));
    board
}

/// A board with that many tasks in the backlog.
pub(crate) fn planned(tasks: usize) -> Board {
    let mut board = empty();
    for n in 0..tasks {
        board.apply(NOW, &asked(Command::Create(draft(n))));
        board.take_changed_rows();
    }
    board
}

/// A board with that many released tasks; the first agents are being started.
pub(crate) fn released(tasks: usize) -> Board {
    let mut board = planned(tasks);
    let ids = (0..tasks).map(|n| TaskId::new(format!("t-{n}")));
    board.apply(NOW, &asked(Command::Release(ids.collect())));
    board.take_changed_rows();
    board
}
