//! Committed data is read back unchanged.

use std::sync::Arc;

use dbs::adapters::store::SqliteStore;
use dbs::domain::board::ChangedRows;
use dbs::domain::{AttemptId, Board, Command, Effect, Event, PauseReason, RequestId, TaskId, Timestamp};
use dbs::ports::store::{Store, StoreError};
use serde_json::json;

use super::boards::{NOW, attempt, board, commit, files, notice, nth_turn, open, task};

#[test]
fn a_fresh_store_holds_an_empty_board() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    assert_eq!(store.load().unwrap(), Board::default());
    assert!(store.reader().events(0, 10, None).unwrap().is_empty());
    assert!(store.open_intents().unwrap().is_empty());
    assert_eq!(store.warning(), None);
}

#[test]
fn a_committed_board_is_read_back_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, touched) = board(
        vec![task("a"), task("b")],
        vec![attempt(4, "a", &json!("running"))],
    );
    first.pause = Some(PauseReason::Quota {
        until: Timestamp(99),
        why: "limit".to_owned(),
    });
    first.last_attempt = 4;
    first.infra_failures = 3;
    let mut store = open(folder.path());
    assert_eq!(
        commit(&mut store, &Event::Ticked, (&first, &touched), &[]).unwrap(),
        1
    );
    drop(store);
    let mut store = open(folder.path());
    assert_eq!(store.load().unwrap(), first);
    assert_eq!(
        commit(&mut store, &Event::Ticked, (&first, &ChangedRows::default()), &[]).unwrap(),
        2
    );
    assert_eq!(store.load().unwrap(), first);
}

#[test]
fn only_touched_rows_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let (first, touched) = board(vec![task("a"), task("b")], vec![]);
    let mut store = open(folder.path());
    commit(&mut store, &Event::Ticked, (&first, &touched), &[]).unwrap();
    let mut second = first.clone();
    for id in ["a", "b"] {
        let mut changed = task(id);
        changed.title = "changed".to_owned();
        second.tasks.insert(changed.id.clone(), Arc::new(changed));
    }
    let touched = ChangedRows {
        tasks: [TaskId::from("b")].into(),
        ..ChangedRows::default()
    };
    commit(&mut store, &Event::Ticked, (&second, &touched), &[]).unwrap();
    let loaded = store.load().unwrap();
    assert_eq!(loaded.tasks.get(&TaskId::from("a")).unwrap().title, "Title of a");
    assert_eq!(loaded.tasks.get(&TaskId::from("b")).unwrap().title, "changed");
}

#[test]
fn what_leaves_the_board_is_not_loaded_but_stays_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (first, touched) = board(
        vec![task("a")],
        vec![attempt(1, "a", &json!({"settled": "passed"}))],
    );
    let mut store = open(folder.path());
    commit(&mut store, &Event::Ticked, (&first, &touched), &[]).unwrap();
    commit(&mut store, &Event::Ticked, (&Board::default(), &touched), &[]).unwrap();
    assert_eq!(store.load().unwrap(), Board::default());
    drop(store);
    let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
    let left: i64 = raw
        .query_row("SELECT count(*) FROM attempts", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 1);
}

#[test]
fn a_task_can_pass_from_one_attempt_to_the_next_in_one_turn() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let (first, touched) = board(vec![task("a")], vec![attempt(5, "a", &json!("running"))]);
    commit(&mut store, &Event::Ticked, (&first, &touched), &[]).unwrap();
    // The new attempt has the smaller number, which would conflict with the old one if rows were ordered only by number.
    let over = attempt(5, "a", &json!({"settled": "passed"}));
    let (second, touched) = board(vec![task("a")], vec![attempt(2, "a", &json!("starting")), over]);
    commit(&mut store, &Event::Ticked, (&second, &touched), &[]).unwrap();
    assert_eq!(store.load().unwrap(), second);
}

#[test]
fn two_open_attempts_on_one_task_are_refused_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let running = [
        attempt(1, "a", &json!("running")),
        attempt(2, "a", &json!("starting")),
    ];
    let (double, touched) = board(vec![task("a")], running.to_vec());
    let refused = commit(
        &mut store,
        &Event::Ticked,
        (&double, &touched),
        &[notice("a", "said")],
    );
    assert!(matches!(refused, Err(StoreError::Failed { .. })), "{refused:?}");
    assert_eq!(store.load().unwrap(), Board::default());
    assert!(store.reader().events(0, 10, None).unwrap().is_empty());
    let (single, touched) = board(vec![task("a")], vec![attempt(1, "a", &json!("running"))]);
    assert_eq!(
        commit(&mut store, &Event::Ticked, (&single, &touched), &[]).unwrap(),
        1
    );
}

#[test]
fn events_are_read_back_with_their_notices_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    for n in 1..=5 {
        let (event, board, touched, effects) = nth_turn(n);
        assert_eq!(
            commit(&mut store, &event, (&board, &touched), &effects).unwrap(),
            n
        );
    }
    let all = store.reader().events(0, 100, None).unwrap();
    assert_eq!(
        all.iter().map(|event| event.seq).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    let (event, _, _, effects) = nth_turn(3);
    let third = all.get(2).unwrap();
    assert_eq!((third.at, &third.event), (NOW, &event));
    assert_eq!(third.notices.len(), 1);
    assert_eq!(
        Some(&Effect::Notify(third.notices.first().unwrap().clone())),
        effects.get(1)
    );
    let page = store.reader().events(2, 2, None).unwrap();
    assert_eq!(page.iter().map(|event| event.seq).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(store.recent_events(3).unwrap(), all[2..]);
    assert_eq!(store.recent_events(9).unwrap(), all);
}

#[test]
fn events_of_a_task_are_those_that_name_change_or_tell_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    for n in 1..=3 {
        let (event, board, touched, effects) = nth_turn(n);
        commit(&mut store, &event, (&board, &touched), &effects).unwrap();
    }
    let asked = Event::Asked {
        request: RequestId(1),
        by: "ann".to_owned(),
        command: Command::Comment(TaskId::from("t-2"), "hm".to_owned()),
    };
    let nothing = ChangedRows::default();
    commit(&mut store, &asked, (&Board::default(), &nothing), &[]).unwrap();
    commit(
        &mut store,
        &Event::Ticked,
        (&Board::default(), &nothing),
        &[notice("t-2", "told")],
    )
    .unwrap();
    let seqs = |task: &str| -> Vec<u64> {
        let found = store.reader().events(0, 10, Some(&TaskId::from(task))).unwrap();
        found.iter().map(|event| event.seq).collect()
    };
    assert_eq!(seqs("t-2"), [2, 3, 4, 5]);
    assert_eq!(seqs("t-3"), [3]);
    assert!(seqs("t-9").is_empty());
}

#[test]
fn events_and_notices_cannot_be_changed_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (event, board, touched, effects) = nth_turn(1);
    commit(&mut open(folder.path()), &event, (&board, &touched), &effects).unwrap();
    let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
    for sql in [
        "UPDATE events SET at = 0",
        "DELETE FROM events",
        "UPDATE notices SET doc = ''",
        "DELETE FROM notices",
    ] {
        let error = raw.execute(sql, []).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{sql}: {error}");
    }
}

#[test]
fn a_reader_sees_what_a_writer_has_committed_while_it_holds_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let reader = SqliteStore::open_reader(&files(folder.path())).unwrap().unwrap();
    for n in 1..=2 {
        let (event, board, touched, effects) = nth_turn(n);
        commit(&mut store, &event, (&board, &touched), &effects).unwrap();
        assert_eq!(reader.load().unwrap(), store.load().unwrap());
        assert_eq!(reader.load().unwrap().last_attempt, n);
        assert_eq!(
            reader.events(0, 10, None).unwrap(),
            store.reader().events(0, 10, None).unwrap()
        );
    }
    assert!(reader.load().unwrap().attempts.contains_key(&AttemptId(2)));
}

#[test]
fn a_reader_knows_the_settings_that_were_in_force_last() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let nothing = ChangedRows::default();
    for most in [3, 5] {
        let settings = dbs::domain::BoardSettings {
            max_agents: most,
            ..dbs::domain::BoardSettings::default()
        };
        commit(
            &mut store,
            &Event::configured(settings),
            (&Board::default(), &nothing),
            &[],
        )
        .unwrap();
        commit(
            &mut store,
            &Event::WorkflowsLoaded(Vec::new()),
            (&Board::default(), &nothing),
            &[],
        )
        .unwrap();
    }
    let found = SqliteStore::open_reader(&files(folder.path()))
        .unwrap()
        .unwrap()
        .last_settings()
        .unwrap();
    assert!(matches!(
        found.as_slice(),
        [Event::Configured(settings), Event::WorkflowsLoaded(none)] if settings.max_agents == 5 && none.is_empty()
    ));
}
