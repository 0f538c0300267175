//! The engine starts again: nothing is assumed, nothing is counted, nothing is done twice (LK-3, LK-14, K34, K35).

use dbs::domain::attempt::StopCause;
use dbs::domain::event::EndCause;
use dbs::domain::{
    ActivityKind, AttemptId, AttemptState, Board, Command, Event, FailureClass, Inventory, ProcessExit,
    SignalKind, Tri, Workplace,
};

use crate::desk::{Desk, draft};

fn running(ids: &[AttemptId]) -> Event {
    Event::Woke(Inventory {
        running: ids.iter().copied().collect(),
        ..Inventory::default()
    })
}

#[test]
fn a_running_agent_is_adopted_and_nothing_changes() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    let before = desk.board.clone();
    desk.happen(running(&[first]));
    assert_eq!(desk.board, before);
    assert_eq!(desk.wishes(), Vec::<String>::new());
}

#[test]
fn an_agent_that_ended_meanwhile_is_concluded_as_if_nothing_had_happened() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.say(first, SignalKind::Done, "");
    let inventory = Inventory {
        ended: [(first, (ProcessExit::Code(0), String::new()))].into(),
        ..Inventory::default()
    };
    desk.happen(Event::Woke(inventory));
    assert_eq!(desk.word("a"), "verifying");
}

#[test]
fn an_agent_gone_without_a_trace_is_a_crash() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.happen(running(&[]));
    assert_eq!(
        desk.task("a").failures[&"development".into()][&FailureClass::Crash],
        1
    );
}

#[test]
fn unknown_never_means_dead() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    let deadline = desk.attempt(first).deadline;
    let unknown = Inventory {
        unknown: [first].into(),
        ..Inventory::default()
    };
    desk.happen(Event::Woke(unknown.clone()));
    assert!(desk.is_running(first));
    assert_eq!(*desk.doing(first), ActivityKind::Lost);
    assert_eq!(desk.attempt(first).deadline, deadline);
    assert!(desk.told().contains(&"unknown"));
    desk.happen(Event::Woke(unknown));
    assert!(desk.told().is_empty(), "told once");
    desk.happen(running(&[first]));
    assert_eq!(*desk.doing(first), ActivityKind::Working);
}

#[test]
fn a_start_that_was_never_answered_is_wished_for_again() {
    let mut desk = Desk::developing("a");
    let before = desk.board.clone();
    desk.happen(running(&[]));
    assert_eq!(desk.wishes(), ["start/1"]);
    assert_eq!(desk.board, before);
}

#[test]
fn a_stop_that_was_never_answered_is_wished_for_again() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Pause).unwrap();
    desk.happen(running(&[first]));
    assert_eq!(desk.wishes(), ["stop/1"]);
    desk.happen(running(&[]));
    assert!(!desk.attempt(first).state.is_open());
    assert!(desk.task("a").failures.is_empty(), "stopped by us, so no crash");
}

#[test]
fn evidence_engine_actions_and_workspaces_are_asked_for_again() {
    let mut desk = Desk::new();
    for id in ["a", "b"] {
        desk.released(draft(id, "kanban"));
    }
    desk.pass("a");
    desk.pass("a");
    let merge = desk.open("a");
    let developer = desk.open("b");
    desk.live(developer, SignalKind::Done, "");
    let before = desk.board.clone();
    desk.happen(running(&[]));
    assert_eq!(desk.board, before);
    let mut wishes = desk.wishes();
    wishes.sort();
    assert_eq!(wishes, [format!("act/{merge}"), format!("verify/{developer}/1")]);
}

#[test]
fn a_workspace_half_put_away_is_put_away_again() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Block, "no");
    desk.happen(running(&[]));
    assert_eq!(desk.wishes(), ["settle/1"]);
}

#[test]
fn evidence_that_waits_for_its_time_goes_on_waiting() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    let kind = dbs::domain::EvidenceKind::Pushed;
    desk.verify(first, &[(kind, Tri::Unknown("offline".to_owned()))]);
    desk.happen(running(&[]));
    assert_eq!(desk.wishes(), Vec::<String>::new());
    desk.wait_until_due();
    assert_eq!(desk.wishes(), ["verify/1/2"]);
}

#[test]
fn an_interrupted_engine_action_nobody_waits_for_is_over() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.ask(Command::Park("a".into(), "later".to_owned())).unwrap();
    assert_eq!(
        desk.attempt(merge).state,
        AttemptState::Stopping(StopCause::Cancelled)
    );
    desk.happen(running(&[]));
    assert!(!desk.attempt(merge).state.is_open());
    assert_eq!(desk.word("a"), "parked");
}

#[test]
fn an_agent_that_ended_before_its_start_was_heard_of_leaves_its_workspace_to_be_put_away() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    let inventory = Inventory {
        ended: [(first, (ProcessExit::Code(1), "boom".to_owned()))].into(),
        ..Inventory::default()
    };
    desk.happen(Event::Woke(inventory));
    assert_eq!(desk.wishes(), ["settle/1"]);
    assert!(desk.comments("a").contains("boom"));
}

#[test]
fn replaying_the_events_gives_the_same_board() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.live(reviewer, SignalKind::Reject, "no");
    desk.wait_until_due();
    let mut again = Board::default();
    for (now, event) in &desk.log {
        again.apply(*now, event);
        again.take_changed_rows();
    }
    assert_eq!(again, desk.board);
}

#[test]
fn a_sleeping_board_starts_nothing_and_repeats_its_stops_when_it_wakes() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.board.sleep();
    desk.released(draft("b", "stories"));
    assert_eq!(desk.word("b"), "released");
    desk.ask(Command::Park("a".into(), "later".to_owned())).unwrap();
    desk.happen(running(&[first]));
    let wishes = desk.wishes();
    assert!(wishes.contains(&format!("stop/{first}")), "{wishes:?}");
    assert_eq!(desk.word("b"), "active", "awake, it starts what waited");
}

#[test]
fn an_agent_that_ended_before_its_start_was_heard_of_is_judged_by_where_it_worked() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.happen(Event::WorkplaceMade {
        attempt: reviewer,
        workplace: Workplace {
            path: "trees/r".to_owned(),
            branch: None,
            start: Some("c0".to_owned()),
            start_tree: Some("t0".to_owned()),
        },
    });
    desk.say(reviewer, SignalKind::Done, "good");
    let inventory = Inventory {
        ended: [(reviewer, (ProcessExit::Code(0), String::new()))].into(),
        ..Inventory::default()
    };
    desk.happen(Event::Woke(inventory));
    assert_eq!(desk.wishes(), [format!("verify/{reviewer}/1")]);
    let place = desk.attempt(reviewer).workplace.as_ref().unwrap();
    assert_eq!(place.start_tree.as_deref(), Some("t0"));
}

#[test]
fn a_workspace_of_an_attempt_that_could_not_be_started_is_put_away() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    let workplace = Workplace {
        path: "trees/a".to_owned(),
        branch: None,
        start: None,
        start_tree: None,
    };
    desk.happen(Event::WorkplaceMade {
        attempt: first,
        workplace,
    });
    desk.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "no memory".to_owned(),
    });
    assert_eq!(desk.wishes(), ["settle/1"]);
}

#[test]
fn a_cause_that_was_named_while_no_server_ran_is_heard() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    let cause = EndCause::Quota {
        until: None,
        why: "limit".to_owned(),
    };
    let inventory = Inventory {
        ended: [(first, (ProcessExit::Code(1), "limit".to_owned()))].into(),
        causes: [(first, cause)].into(),
        ..Inventory::default()
    };
    desk.happen(Event::Woke(inventory));
    assert!(desk.task("a").failures.is_empty(), "no crash is counted");
    assert!(desk.board.pause.is_some());
}
