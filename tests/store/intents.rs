//! Intents stay open until their answer is committed.

use dbs::adapters::store::SqliteStore;
use dbs::domain::board::ChangedRows;
use dbs::domain::{AttemptId, Board, Effect, Event, EvidenceKind, Inventory, ProcessExit, StopCause, TaskId};
use dbs::ports::store::Store;
use serde_json::json;

use super::boards::{attempt, board, commit, open, task};

fn take(store: &mut SqliteStore, event: &Event, effects: &[Effect]) -> Vec<Effect> {
    commit(
        store,
        event,
        (&Board::default(), &ChangedRows::default()),
        effects,
    )
    .unwrap();
    store.open_intents().unwrap()
}

fn started(id: u64) -> Event {
    serde_json::from_value(json!({"attempt_started": {"attempt": id, "workplace": {"path": "w", "branch": null, "start": null}}}))
        .unwrap()
}

fn verify(check: u32) -> Effect {
    Effect::Verify {
        attempt: AttemptId(7),
        evidence: vec![EvidenceKind::Gates],
        check,
    }
}

#[test]
fn effects_with_a_key_are_open_until_their_answer_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let effects = [
        Effect::Retire(TaskId::from("a")),
        Effect::Start(AttemptId(7)),
        Effect::Start(AttemptId(70)),
        Effect::Tell(AttemptId(7), "hello".to_owned()),
    ];
    assert_eq!(take(&mut store, &Event::Ticked, &effects), effects[..3]);
    drop(store);
    let mut store = open(folder.path());
    assert_eq!(store.open_intents().unwrap(), effects[..3]);
    assert_eq!(
        take(&mut store, &started(7), &[]),
        [effects[0].clone(), effects[2].clone()]
    );
    let retired = Event::Performed {
        key: "retire/a".to_owned(),
        problem: None,
    };
    assert_eq!(take(&mut store, &retired, &[]), effects[2..3]);
}

#[test]
fn what_could_not_be_done_stays_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let effects = [Effect::Settle(AttemptId(7)), Effect::Retire(TaskId::from("a"))];
    take(&mut store, &Event::Ticked, &effects);
    let kept = Event::WorkspaceSettled {
        attempt: AttemptId(7),
        problem: Some("busy".to_owned()),
        kept: None,
        files: Vec::new(),
    };
    assert_eq!(take(&mut store, &kept, &[]), effects);
    let offline = Event::Performed {
        key: "retire/a".to_owned(),
        problem: Some("offline".to_owned()),
    };
    assert_eq!(take(&mut store, &offline, &[]), effects);
    let gone = Event::WorkspaceSettled {
        attempt: AttemptId(7),
        problem: None,
        kept: None,
        files: Vec::new(),
    };
    assert_eq!(take(&mut store, &gone, &[]), effects[1..]);
}

#[test]
fn a_verification_answers_every_check_of_its_attempt_and_of_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let other = Effect::Verify {
        attempt: AttemptId(70),
        evidence: vec![],
        check: 1,
    };
    take(&mut store, &Event::Ticked, &[verify(1), other.clone()]);
    let verified = Event::Verified {
        attempt: AttemptId(7),
        evidence: vec![],
        head: None,
        integration: None,
    };
    // Unknown evidence asks again in the same turn, so the new intent stays.
    assert_eq!(
        take(&mut store, &verified, &[verify(2)]),
        [other.clone(), verify(2)]
    );
    assert_eq!(take(&mut store, &verified, &[]), [other]);
}

#[test]
fn a_key_that_was_done_opens_again_only_when_it_is_wished_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let stop = Effect::Stop(AttemptId(7), StopCause::Timeout);
    let again = Effect::Stop(AttemptId(7), StopCause::Killed);
    let ended = Event::AttemptEnded {
        attempt: AttemptId(7),
        exit: ProcessExit::Code(0),
        tail: String::new(),
        cause: None,
    };
    // The first intent is still open and stays.
    take(&mut store, &Event::Ticked, std::slice::from_ref(&stop));
    assert_eq!(
        take(&mut store, &Event::Ticked, std::slice::from_ref(&again)),
        [stop]
    );
    assert!(take(&mut store, &ended, &[]).is_empty());
    assert!(take(&mut store, &Event::Ticked, &[]).is_empty());
    assert_eq!(
        take(&mut store, &Event::Ticked, std::slice::from_ref(&again)),
        [again]
    );
}

#[test]
fn an_attempt_that_is_over_is_not_started_or_verified_any_more_but_still_stopped_and_put_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let stay = [
        Effect::Stop(AttemptId(7), StopCause::Cancelled),
        Effect::Settle(AttemptId(7)),
    ];
    take(
        &mut store,
        &Event::Ticked,
        &[Effect::Start(AttemptId(7)), verify(1)],
    );
    let over = attempt(7, "a", &json!({"settled": {"stopped": "cancelled"}}));
    let (settled, touched) = board(vec![task("a")], vec![over]);
    commit(&mut store, &Event::Ticked, (&settled, &touched), &stay).unwrap();
    assert_eq!(store.open_intents().unwrap(), stay);
    commit(&mut store, &Event::Ticked, (&Board::default(), &touched), &[]).unwrap();
    assert!(store.open_intents().unwrap().is_empty());
}

#[test]
fn an_inventory_answers_the_start_of_what_runs_and_the_stop_of_what_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let effects = [
        Effect::Start(AttemptId(1)),
        Effect::Stop(AttemptId(1), StopCause::Killed),
        Effect::Start(AttemptId(2)),
        Effect::Stop(AttemptId(2), StopCause::Killed),
        Effect::Start(AttemptId(3)),
    ];
    take(&mut store, &Event::Ticked, &effects);
    let found = Inventory {
        running: [AttemptId(1)].into(),
        ended: [(AttemptId(2), (ProcessExit::Vanished, String::new()))].into(),
        unknown: [AttemptId(3)].into(),
        ..Inventory::default()
    };
    assert_eq!(
        take(&mut store, &Event::Woke(found), &[]),
        [effects[1].clone(), effects[4].clone()]
    );
}
