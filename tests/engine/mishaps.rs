//! What goes wrong around an agent's start, and what is found after a restart (K34, K38, K52, LK-17).

use dbs::domain::{AttemptId, Command, Settings, Span};
use dbs::engine::wake::take_inventory;
use dbs::ports::holders::{Held, HeldState, HolderId};

use crate::bench::{Bench, Mishap, draft, launched};

#[test]
fn an_agent_that_cannot_be_launched_leaves_no_worktree_and_frees_its_name() {
    let mut bench = Bench::new();
    *bench.outside.mishap.lock().unwrap() = Mishap::NoLaunch;
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches().len(), 1);
    assert_eq!(bench.stage("t-1"), ("development", "released"));
    assert_eq!(bench.worktrees(), Vec::<String>::new());
    assert_eq!(bench.board.infra_failures, 1);
    let first = &bench.board.attempts[&AttemptId(1)];
    assert!(!first.state.is_open(), "its name may be given again");
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.wait(Span::minutes(1));
    assert_eq!(bench.agent("t-1").id, AttemptId(2));
    assert!(bench.folder("t-1").is_dir());
}

#[test]
fn without_a_worktree_nothing_is_launched() {
    let mut bench = Bench::with(Settings {
        base: Some("nowhere".to_owned()),
        ..Settings::default()
    });
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches().len(), 0);
    assert_eq!(bench.stage("t-1"), ("development", "released"));
    assert_eq!(bench.board.infra_failures, 1);
    assert_eq!(bench.worktrees(), Vec::<String>::new());
}

#[test]
fn a_part_that_breaks_fails_its_attempt_and_the_engine_goes_on() {
    let mut bench = Bench::new();
    *bench.outside.mishap.lock().unwrap() = Mishap::Panic;
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.stage("t-1"), ("development", "released"));
    assert_eq!(bench.board.infra_failures, 1);
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.release(draft("t-2", "kanban", None));
    assert_eq!(bench.stage("t-2"), ("development", "active"));
}

#[test]
fn agents_nobody_waits_for_any_more_are_stopped_at_the_start() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.release(draft("t-2", "kanban", None));
    let (over, open) = (bench.agent("t-1").id, bench.agent("t-2").id);
    bench.ask(Command::Park("t-1".into(), "later".to_owned()));
    bench.ends(over);
    bench.outside.stops.lock().unwrap().clear();
    let running = |id: HolderId| Held {
        id,
        state: HeldState::Running(launched()),
    };
    *bench.outside.found.lock().unwrap() = vec![
        running(over.into()),
        running(open.into()),
        running(AttemptId(77).into()),
        running(HolderId::new("shell-1")),
    ];
    take_inventory(
        &bench.board,
        bench.outside.as_ref(),
        bench.outside.as_ref(),
        &|_, _| None,
    )
    .unwrap();
    let stopped = bench.outside.stops.lock().unwrap().clone();
    assert_eq!(stopped, [over.to_string(), "77".to_owned()]);
}
