//! Mishaps around an agent's start, and what is found after a restart (K34, K38, K52, LK-17).

use dbs::domain::{
    AttemptId, BoardSettings, Command, Event, Inventory, ProcessExit, SignalKind, Span, Timestamp,
};
use dbs::engine::inventory::take_inventory;
use dbs::ports::holders::{ExitedBy, HolderId, HolderLiveness, HolderReport, OrphanPolicy, ProgramExit};

use crate::bench::{Bench, Mishap, draft, launched};

/// Returns what a start finds if the holder of one attempt is in that state.
fn found(bench: &Bench, attempt: AttemptId, state: HolderLiveness) -> Inventory {
    let id = attempt.into();
    *bench.outside.found.lock().unwrap() = vec![HolderReport { id, state }];
    let outside = bench.outside.as_ref();
    take_inventory(&bench.board, outside, outside, &|_, _| None).unwrap()
}

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
    assert!(!first.state.is_open(), "the agent's name is free again");
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.wait(Span::minutes(1));
    assert_eq!(bench.agent("t-1").id, AttemptId(2));
    assert!(bench.folder("t-1").is_dir());
}

#[test]
fn a_start_whose_holder_cannot_be_read_is_left_to_a_person_and_goes_on_when_that_person_says_retry() {
    let mut bench = Bench::new();
    *bench.outside.mishap.lock().unwrap() = Mishap::NoStatus;
    bench.release(draft("t-1", "kanban", None));
    for _ in 1..12 {
        assert_eq!(bench.stage("t-1"), ("development", "active"));
        bench.wait(Span::minutes(5));
    }
    assert_eq!(bench.stage("t-1"), ("development", "held"));
    let told = bench.comments("t-1");
    assert!(told.contains("read its folder: no permission"), "{told}");
    assert!(told.contains("`dbs retry t-1`"), "{told}");
    assert_eq!(bench.launches().len(), 0);
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.ask(Command::Retry {
        task: "t-1".into(),
        stage: None,
        note: None,
    });
    assert_eq!(bench.agent("t-1").id, AttemptId(2));
    assert!(bench.folder("t-1").is_dir());
}

#[test]
fn a_worktree_is_not_removed_while_nobody_can_tell_whether_its_agent_runs() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let (first, folder) = (bench.agent("t-1").id, bench.folder("t-1"));
    *bench.outside.mishap.lock().unwrap() = Mishap::NoStatus;
    bench.says("t-1", SignalKind::Block, "no");
    bench.ends(first);
    assert!(folder.is_dir());
    bench.wait(Span::minutes(1));
    assert!(folder.is_dir());
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    bench.wait(Span::minutes(5));
    assert!(!folder.exists());
}

#[test]
fn without_a_worktree_nothing_is_launched() {
    let mut bench = Bench::with(BoardSettings {
        base: Some("nowhere".to_owned()),
        ..BoardSettings::default()
    });
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches().len(), 0);
    assert_eq!(bench.stage("t-1"), ("development", "held"));
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
    let running = |id: HolderId| HolderReport {
        id,
        state: HolderLiveness::Running(launched()),
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

#[test]
fn what_a_dead_holder_left_behind_is_ended_before_its_attempt_counts_as_over() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    assert_eq!(bench.launches()[0].orphans, OrphanPolicy::Sweep);
    let lost = bench.agent("t-1").id;
    *bench.outside.mishap.lock().unwrap() = Mishap::NoSweep;
    let inventory = found(&bench, lost, HolderLiveness::Lost);
    let expected = Inventory {
        unknown: [lost].into(),
        ..Inventory::default()
    };
    assert_eq!(inventory, expected, "leftover processes may still run");
    *bench.outside.mishap.lock().unwrap() = Mishap::None;
    let inventory = found(&bench, lost, HolderLiveness::Lost);
    let expected = Inventory {
        ended: [(lost, (ProcessExit::Vanished, String::new()))].into(),
        ..Inventory::default()
    };
    assert_eq!(inventory, expected);
    assert_eq!(*bench.outside.sweeps.lock().unwrap(), [lost.to_string()]);
}

#[test]
fn an_agent_whose_holder_cannot_be_read_at_the_start_goes_on_and_is_followed() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let dim = bench.agent("t-1").id;
    bench.outside.followed.lock().unwrap().clear();
    let inventory = found(
        &bench,
        dim,
        HolderLiveness::Unknown("read its folder: no".to_owned()),
    );
    let expected = Inventory {
        unknown: [dim].into(),
        ..Inventory::default()
    };
    assert_eq!(inventory, expected);
    assert_eq!(*bench.outside.followed.lock().unwrap(), [dim.to_string()]);
    assert_eq!(*bench.outside.sweeps.lock().unwrap(), Vec::<String>::new());
    bench.happen(&Event::Woke(inventory));
    assert_eq!(bench.agent("t-1").id, dim, "an unknown agent is not dead");
    assert_eq!(bench.launches().len(), 1);
}

#[test]
fn an_agent_that_went_with_the_machine_or_with_the_session_is_told_from_one_that_died() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let id = bench.agent("t-1").id;
    let ended = |by| {
        HolderLiveness::Exited(ProgramExit {
            exit: ProcessExit::Signal(15),
            ended_at: Timestamp(1),
            by,
        })
    };
    for (state, exit) in [
        (HolderLiveness::GoneWithMachine, ProcessExit::MachineStopped),
        (ended(ExitedBy::Shutdown), ProcessExit::MachineStopped),
        (ended(ExitedBy::Stop), ProcessExit::SessionStopped),
        (ended(ExitedBy::Itself), ProcessExit::Signal(15)),
        (HolderLiveness::Lost, ProcessExit::Vanished),
    ] {
        let inventory = found(&bench, id, state.clone());
        assert_eq!(inventory.ended[&id].0, exit, "{state:?}");
    }
    // An attempt that the board had asked to stop has ended because of that.
    bench.ask(Command::Kill(id));
    let inventory = found(&bench, id, ended(ExitedBy::Stop));
    assert_eq!(inventory.ended[&id].0, ProcessExit::Signal(15));
}
