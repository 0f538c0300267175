//! Whatever was asked of the engine and is not answered is asked for again, without a restart.

use dbs::domain::attempt::WorkspaceState;
use dbs::domain::{Event, SignalKind};

use crate::desk::Desk;

/// Waits until something is due; the minutes that took.
fn minutes(desk: &mut Desk) -> u64 {
    let before = desk.now;
    desk.wait_until_due();
    desk.now.since(before).0 / 60_000
}

#[test]
fn a_start_is_asked_for_again_less_and_less_often_until_it_is_answered() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    let mut waits = Vec::new();
    for _ in 0..7 {
        waits.push(minutes(&mut desk));
        assert_eq!(desk.wishes(), ["start/1"]);
    }
    assert_eq!(waits, [1, 1, 2, 4, 8, 10, 10]);
    assert!(
        desk.told().contains(&"unanswered"),
        "a start that takes long is told"
    );
    desk.start(first);
    assert_eq!(minutes(&mut desk), 60, "nothing but the agent's own time is left");
    assert_eq!(desk.wishes(), ["stop/1"]);
}

#[test]
fn evidence_is_asked_for_again_under_the_same_number() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    assert_eq!(desk.wishes(), ["verify/1/1"]);
    assert_eq!(minutes(&mut desk), 1);
    assert_eq!(desk.wishes(), ["verify/1/1"]);
    desk.verify(first, &[]);
    assert_eq!(desk.stage("a"), "reviewing");
}

#[test]
fn an_action_of_the_engine_is_asked_for_again() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    assert_eq!(minutes(&mut desk), 1);
    assert_eq!(desk.wishes(), [format!("act/{merge}")]);
    assert!(
        desk.is_running(merge),
        "it is never taken for an agent that ran too long"
    );
    desk.action_done(merge);
    assert_eq!(desk.word("a"), "done");
}

#[test]
fn a_workspace_is_put_away_again_when_nobody_says_that_it_is_gone() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Block, "no");
    assert_eq!(desk.wishes(), ["settle/1"]);
    assert_eq!(minutes(&mut desk), 1);
    assert_eq!(desk.wishes(), ["settle/1"]);
    desk.settled(first);
    assert_eq!(desk.attempt(first).workspace, WorkspaceState::Gone);
    assert_eq!(desk.board.next_deadline(), None);
}

fn let_go(desk: &mut Desk, problem: Option<&str>) {
    desk.happen(Event::Performed {
        key: "retire/a".to_owned(),
        problem: problem.map(str::to_owned),
    });
}

#[test]
fn a_branch_that_cannot_be_let_go_is_tried_again_and_left_to_the_next_start_in_the_end() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.action_done(merge);
    assert_eq!(desk.wishes(), ["retire/a"]);
    let_go(&mut desk, Some("offline"));
    assert_eq!(desk.told(), ["not_performed"]);
    let mut tries = 1;
    while desk.board.next_deadline().is_some() {
        desk.wait_until_due();
        assert_eq!(desk.wishes(), ["retire/a"]);
        let_go(&mut desk, Some("offline"));
        tries += 1;
    }
    assert_eq!(tries, 10);
    assert_eq!(desk.told(), ["not_performed"], "told when it is given up");
    assert_eq!(desk.task("a").letting_go, None);
}

#[test]
fn a_branch_that_was_let_go_is_not_let_go_again() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.action_done(merge);
    let_go(&mut desk, None);
    assert_eq!(desk.board.next_deadline(), None);
}
