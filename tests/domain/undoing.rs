//! Undo: it restores a task to its state before a person's command, or is refused and changes nothing.

use std::collections::BTreeMap;

use dbs::domain::{
    Attempt, AttemptState, Board, Command, Effect, Event, HoldReason, ProcessExit, Task, TaskId, TaskState,
    Timestamp, UndoScope, Worker,
};
use dbs::read_model::ReadModel;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::fixture::{BoardFixture, draft};
use crate::properties::{asked, begin, story};

/// Returns what a person sees of a board: states with reasons and counters, comments, items that need a person, and states of runs.
fn seen(board: &Board, now: Timestamp) -> BTreeMap<String, String> {
    let task = |task: &Task| {
        // An attempt that is being stopped is taken out of the count when it has ended.
        let open = task.open_attempt.and_then(|id| board.attempts.get(&id));
        let is_leaving = open.is_some_and(|open| matches!(open.state, AttemptState::Stopping(_)));
        let spawns = task.spawns - u32::from(is_leaving);
        let counters = (
            &task.failures,
            task.rejections,
            spawns,
            task.troubles,
            task.interruptions,
        );
        let rules = (
            &task.stage,
            task.next_mode,
            task.begins_anew,
            &task.approved,
            task.not_before,
        );
        let texts = (&task.title, &task.tags, &task.finding, &task.comments);
        format!(
            "{:?} {:?} {counters:?} {rules:?} {texts:?}",
            task.state, task.since
        )
    };
    let tasks = board
        .tasks
        .values()
        .map(|row| (format!("task {}", row.id), task(row)));
    let batches = board.batches.values();
    let batches = batches.map(|batch| {
        (
            format!("batch {}", batch.id),
            format!("{:?} {:?}", batch.run, batch.go_ahead),
        )
    });
    let model = ReadModel::of(board, now);
    let inbox = model.attention.iter().map(|item| {
        (
            format!("inbox {}", item.task),
            format!("{:?} {}", item.kind, item.text),
        )
    });
    tasks.chain(batches).chain(inbox).collect()
}

/// Returns the same without the states of runs: a run stays active while an agent is being stopped.
fn seen_of_tasks(board: &Board, now: Timestamp) -> BTreeMap<String, String> {
    let mut seen = seen(board, now);
    seen.retain(|what, _| !what.starts_with("batch "));
    seen
}

/// Carries out a command; returns true if it was refused.
fn is_refused(board: &mut Board, now: Timestamp, command: Command) -> bool {
    let effects = board.apply(now, &asked(command));
    board.take_changed_rows();
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Reply(_, Err(_))))
}

/// Ends the attempt of a task that is being stopped.
fn stopped(board: &mut Board, now: Timestamp, task: &TaskId) {
    let open = board.tasks[task]
        .open_attempt
        .and_then(|id| board.attempts.get(&id))
        .cloned();
    let Some(open) = open.filter(|open| matches!(open.state, AttemptState::Stopping(_))) else {
        return;
    };
    let ended = Event::AttemptEnded {
        attempt: open.id,
        exit: ProcessExit::Signal(15),
        tail: String::new(),
        cause: None,
    };
    board.apply(now, &ended);
    board.take_changed_rows();
}

fn commands(id: &TaskId) -> Vec<Command> {
    vec![
        Command::Skip(id.clone()),
        Command::Park(id.clone(), "later".to_owned()),
        Command::Withdraw(id.clone()),
        Command::Release(vec![id.clone()]),
        Command::Retry {
            task: id.clone(),
            stage: None,
            note: None,
        },
        Command::Retry {
            task: id.clone(),
            stage: Some("development".into()),
            note: Some("so".to_owned()),
        },
    ]
}

fn scope(board: &Board) -> UndoScope<'_> {
    UndoScope {
        tasks: &board.tasks,
        batches: &board.batches,
        workflows: &board.workflows,
        attempts: &board.attempts,
    }
}

/// Undoes every command on every task where undo is offered; counts successes and refusals by the earlier state's name.
fn undo_all(board: &Board, now: Timestamp) -> BTreeMap<(&'static str, bool), u32> {
    let mut counted = BTreeMap::new();
    for id in board.tasks.keys() {
        for command in commands(id) {
            let ids = scope(board).restorable(&command);
            let mut after = board.clone();
            if ids.is_empty() || is_refused(&mut after, now, command.clone()) {
                continue;
            }
            let done = after.clone();
            let refused = is_refused(&mut after, now, Command::Undo(ids));
            *counted
                .entry((board.tasks[id].state.word(), !refused))
                .or_default() += 1;
            if refused {
                assert_eq!(
                    seen(&after, now),
                    seen(&done, now),
                    "refused {command:?} changed the board"
                );
                continue;
            }
            let (restored, before) = (seen_of_tasks(&after, now), seen_of_tasks(board, now));
            assert_eq!(restored, before, "{command:?}");
            stopped(&mut after, now, id);
            assert_eq!(
                seen(&after, now),
                seen(board, now),
                "{command:?}, after its agent was stopped"
            );
        }
    }
    counted
}

#[test]
fn stories_see_what_is_undone_in_every_state_in_which_it_is_offered() {
    let mut runner = TestRunner::deterministic();
    let mut counted: BTreeMap<(&str, bool), u32> = BTreeMap::new();
    for _ in 0..64 {
        let (mut board, mut now) = (begin(), Timestamp(0));
        for (wait, next) in story().new_tree(&mut runner).unwrap().current() {
            now = now + dbs::domain::Span(wait);
            let event = next.event(&board);
            board.apply(now, &event);
            board.take_changed_rows();
        }
        for (what, times) in undo_all(&settled(board, now), now) {
            *counted.entry(what).or_default() += times;
        }
    }
    for state in ["held", "parked", "released", "skipped", "failed"] {
        let times = counted.get(&(state, true)).copied().unwrap_or(0);
        assert!(times >= 5, "{state}: {counted:?}");
    }
}

/// Returns the board after everything that is due by now is done.
fn settled(mut board: Board, now: Timestamp) -> Board {
    let current = Event::configured((*board.settings).clone());
    while !board.apply(now, &current).is_empty() {
        board.take_changed_rows();
    }
    board.take_changed_rows();
    board
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_restores_what_a_person_saw_or_is_refused(story in story()) {
        let (mut board, mut now) = (begin(), Timestamp(0));
        for (wait, next) in story {
            now = now + dbs::domain::Span(wait);
            let event = next.event(&board);
            board.apply(now, &event);
            board.take_changed_rows();
        }
        undo_all(&settled(board, now), now);
    }
}

/// Returns a board with a task that is held because its agent crashed too often.
fn held() -> BoardFixture {
    let mut fixture = BoardFixture::developing("a");
    while !matches!(fixture.task("a").state, TaskState::Held(_)) {
        let open = fixture.task("a").open_attempt;
        if let Some(attempt) = open {
            fixture.happen(Event::AttemptEnded {
                attempt,
                exit: ProcessExit::Code(1),
                tail: "boom".to_owned(),
                cause: None,
            });
        } else {
            fixture.wait(dbs::domain::Span::minutes(30));
        }
    }
    fixture
}

fn retry(note: Option<&str>) -> Command {
    Command::Retry {
        task: "a".into(),
        stage: None,
        note: note.map(str::to_owned),
    }
}

#[test]
fn a_retry_undone_leaves_a_held_task_held_in_the_inbox_with_its_reason_and_counters() {
    let mut fixture = held();
    let before = seen(&fixture.board, fixture.now);
    assert!(before.contains_key("inbox a"), "{before:?}");
    fixture.ask(retry(Some("try harder"))).unwrap();
    let open = fixture.open("a");
    fixture.start(open);
    fixture.ask(Command::Undo(vec!["a".into()])).unwrap();
    assert!(matches!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(_))
    ));
    let tasks = seen_of_tasks(&fixture.board, fixture.now);
    assert!(
        tasks.iter().all(|(what, how)| before.get(what) == Some(how)),
        "{tasks:?}"
    );
    let is_stopping = |attempt: &Attempt| matches!(attempt.state, AttemptState::Stopping(_));
    assert!(is_stopping(fixture.attempt(open)), "the agent is being stopped");
    stopped(&mut fixture.board, fixture.now, &"a".into());
    assert_eq!(seen(&fixture.board, fixture.now), before);
}

#[test]
fn what_happened_after_a_command_is_not_undone_with_it() {
    let mut fixture = held();
    fixture.ask(retry(None)).unwrap();
    let open = fixture.open("a");
    fixture.start(open);
    fixture.happen(Event::AttemptEnded {
        attempt: open,
        exit: ProcessExit::Code(1),
        tail: String::new(),
        cause: None,
    });
    let refusal = fixture.ask(Command::Undo(vec!["a".into()])).unwrap_err();
    assert!(refusal.contains("more has happened"), "{refusal}");
    let mut fixture = held();
    fixture.ask(retry(None)).unwrap();
    fixture.ask(Command::Park("a".into(), "no".to_owned())).unwrap();
    fixture.ask(Command::Undo(vec!["a".into()])).unwrap_err();
    assert!(matches!(fixture.task("a").state, TaskState::Parked(_)));
}

#[test]
fn a_command_is_undone_once() {
    let mut fixture = held();
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    fixture.ask(Command::Undo(vec!["a".into()])).unwrap();
    fixture.ask(Command::Undo(vec!["a".into()])).unwrap_err();
    fixture.ask(Command::Undo(vec!["nope".into()])).unwrap_err();
}

#[test]
fn undo_is_not_offered_of_what_concerns_more_than_the_task() {
    let mut fixture = BoardFixture::new();
    for (id, on) in [("a", None), ("b", Some("a"))] {
        let mut made = draft(id, "graph");
        made.deps.extend(on.map(TaskId::from));
        fixture.ask(Command::Create(made)).unwrap();
    }
    let offered =
        |fixture: &BoardFixture, command: Command| !scope(&fixture.board).restorable(&command).is_empty();
    assert!(
        !offered(&fixture, Command::Release(vec!["a".into()])),
        "the release starts its batch"
    );
    assert!(
        !offered(&fixture, Command::Park("a".into(), "x".to_owned())),
        "b would be skipped because of it"
    );
    assert!(offered(&fixture, Command::Skip("b".into())));
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    let open = fixture.open("a");
    assert!(matches!(fixture.attempt(open).worker, Worker::Agent { .. }));
    assert!(
        !offered(&fixture, Command::Park("a".into(), "x".to_owned())),
        "the park would stop the agent"
    );
}

#[test]
fn a_skip_is_undone_with_all_tasks_that_were_skipped_along_with_it() {
    let mut fixture = BoardFixture::new();
    for (id, on) in [("a", None), ("b", Some("a")), ("c", Some("b")), ("d", None)] {
        let mut made = draft(id, "graph");
        made.deps.extend(on.map(TaskId::from));
        fixture.ask(Command::Create(made)).unwrap();
    }
    fixture
        .ask(Command::Release(vec!["d".into(), "b".into()]))
        .unwrap();
    let (before, skip) = (seen(&fixture.board, fixture.now), Command::Skip("a".into()));
    let restorable = scope(&fixture.board).restorable(&skip);
    assert_eq!(restorable, ["a", "b", "c"].map(TaskId::from));
    fixture.wait(dbs::domain::Span::seconds(3));
    fixture.ask(skip).unwrap();
    assert_eq!(["a", "b", "c"].map(|id| fixture.word(id)), ["skipped"; 3]);
    fixture.ask(Command::Undo(restorable)).unwrap();
    assert_eq!(seen(&fixture.board, fixture.now), before);
    assert_eq!(
        ["a", "b", "c"].map(|id| fixture.word(id)),
        ["backlog", "released", "backlog"]
    );
}

#[test]
fn undo_is_not_offered_of_a_task_that_comes_back_behind_one_that_is_broken() {
    let mut fixture = BoardFixture::new();
    for (id, on) in [("a", None), ("b", Some("a")), ("c", None)] {
        let mut made = draft(id, "graph");
        made.deps.extend(on.map(TaskId::from));
        fixture.ask(Command::Create(made)).unwrap();
    }
    fixture.ask(Command::Release(vec!["c".into()])).unwrap();
    fixture.ask(Command::Skip("b".into())).unwrap();
    let offered = |fixture: &BoardFixture| {
        !scope(&fixture.board)
            .restorable(&Command::Withdraw("b".into()))
            .is_empty()
    };
    assert!(offered(&fixture));
    fixture
        .ask(Command::Close("a".into(), "not wanted".to_owned()))
        .unwrap();
    assert!(!offered(&fixture), "b would be skipped again or its run aborted");
}
