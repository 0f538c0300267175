//! Effects that are not answered are requested again, without a restart.

use dbs::domain::attempt::WorkspaceState;
use dbs::domain::{Event, SignalKind};

use crate::fixture::BoardFixture;

/// Waits until something is due; returns the minutes that passed.
fn minutes(fixture: &mut BoardFixture) -> u64 {
    let before = fixture.now;
    fixture.wait_until_due();
    fixture.now.since(before).0 / 60_000
}

#[test]
fn a_start_is_asked_for_again_less_and_less_often_until_it_is_answered() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    let mut waits = Vec::new();
    for _ in 0..7 {
        waits.push(minutes(&mut fixture));
        assert_eq!(fixture.effect_keys(), ["start/1"]);
    }
    assert_eq!(waits, [1, 1, 2, 4, 8, 10, 10]);
    assert!(
        fixture.notice_kinds().contains(&"unanswered"),
        "a slow start is reported"
    );
    fixture.start(first);
    assert_eq!(minutes(&mut fixture), 60, "only the agent's own deadline is left");
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
}

#[test]
fn evidence_is_asked_for_again_under_the_same_number() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    assert_eq!(fixture.effect_keys(), ["verify/1/1"]);
    assert_eq!(minutes(&mut fixture), 1);
    assert_eq!(fixture.effect_keys(), ["verify/1/1"]);
    fixture.verify(first, &[]);
    assert_eq!(fixture.stage("a"), "reviewing");
}

#[test]
fn an_action_of_the_engine_is_asked_for_again() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    assert_eq!(minutes(&mut fixture), 1);
    assert_eq!(fixture.effect_keys(), [format!("act/{merge}")]);
    assert!(
        fixture.is_running(merge),
        "the action has no time limit of an agent"
    );
    fixture.action_done(merge);
    assert_eq!(fixture.word("a"), "done");
}

#[test]
fn a_workspace_is_put_away_again_when_nobody_says_that_it_is_gone() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Block, "no");
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    assert_eq!(minutes(&mut fixture), 1);
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    fixture.settled(first);
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Gone);
    assert_eq!(fixture.board.next_deadline(), None);
}

fn let_go(fixture: &mut BoardFixture, problem: Option<&str>) {
    fixture.happen(Event::Performed {
        key: "retire/a".to_owned(),
        problem: problem.map(str::to_owned),
    });
}

#[test]
fn a_branch_that_cannot_be_let_go_is_tried_again_and_left_to_the_next_start_in_the_end() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.action_done(merge);
    assert_eq!(fixture.effect_keys(), ["retire/a"]);
    let_go(&mut fixture, Some("offline"));
    assert_eq!(fixture.notice_kinds(), ["not_performed"]);
    let mut tries = 1;
    while fixture.board.next_deadline().is_some() {
        fixture.wait_until_due();
        assert_eq!(fixture.effect_keys(), ["retire/a"]);
        let_go(&mut fixture, Some("offline"));
        tries += 1;
    }
    assert_eq!(tries, 10);
    assert_eq!(fixture.notice_kinds(), ["not_performed"], "giving up is reported");
    assert_eq!(fixture.task("a").letting_go, None);
}

#[test]
fn a_branch_that_was_let_go_is_not_let_go_again() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.action_done(merge);
    let_go(&mut fixture, None);
    assert_eq!(fixture.board.next_deadline(), None);
}
