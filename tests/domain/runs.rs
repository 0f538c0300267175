//! Batches as a whole: run states, stalling, cascades and the circuit breaker (seeds 3.11, G50, G51, LG-11).

use dbs::domain::{BatchId, BoardSettings, Command, Event, RunState, SignalKind, TaskState};

use crate::desk::{Desk, draft, settings};

fn run(desk: &Desk) -> &RunState {
    &desk.board.batches[&BatchId::from("shop")].run
}

/// Graph tasks; each may wait for others.
fn graph(tasks: &[(&str, &[&str])]) -> Desk {
    let mut desk = Desk::with(BoardSettings {
        max_starts: 50,
        max_agents: 50,
        ..settings()
    });
    for (id, deps) in tasks {
        let mut draft = draft(id, "graph");
        draft.deps = deps.iter().map(|id| (*id).into()).collect();
        desk.planned(draft);
    }
    let all = tasks.iter().map(|(id, _)| (*id).into()).collect();
    desk.ask(Command::Release(all)).unwrap();
    desk
}

/// Three of the four others wait for `a`: more than may be skipped.
fn too_much_on_one() -> Desk {
    graph(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["a"]),
        ("d", &["a"]),
        ("e", &[]),
    ])
}

fn break_down(desk: &mut Desk, id: &str) {
    for _ in 0..3 {
        let open = desk.open(id);
        desk.live(open, SignalKind::Fail, "cannot");
    }
}

fn retry(id: &str) -> Command {
    Command::Retry {
        task: id.into(),
        stage: None,
        note: None,
    }
}

#[test]
fn a_run_goes_from_planning_over_running_and_paused_to_completed() {
    let mut desk = Desk::new();
    desk.planned(draft("a", "investigation"));
    assert_eq!(*run(&desk), RunState::Planning);
    desk.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(*run(&desk), RunState::Running);
    let open = desk.open("a");
    desk.start(open);
    desk.ask(Command::Pause).unwrap();
    assert_eq!(*run(&desk), RunState::Paused);
    desk.end(open);
    assert_eq!(*run(&desk), RunState::Paused);
    desk.ask(Command::Resume).unwrap();
    assert_eq!(*run(&desk), RunState::Running);
    desk.pass("a");
    assert_eq!(*run(&desk), RunState::Completed);
    assert_eq!(run(&desk).exit_code(), 0);
}

#[test]
fn a_run_in_which_only_a_person_can_help_is_stalled_with_the_reasons() {
    let mut desk = Desk::new();
    desk.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    desk.released(second);
    let open = desk.open("a");
    desk.live(open, SignalKind::Block, "no access");
    assert_eq!(*run(&desk), RunState::Stalled);
    let said = desk.effects.iter().find_map(|effect| match effect {
        dbs::domain::Effect::Notify(notice) if notice.kind == "stalled" => Some(notice.text.clone()),
        _ => None,
    });
    let said = said.expect("people are told");
    assert!(
        said.contains("a blocked: no access") && said.contains("b waits for a"),
        "{said}"
    );
    desk.ask(retry("a")).unwrap();
    assert_eq!(*run(&desk), RunState::Running);
}

#[test]
fn a_run_whose_other_tasks_are_done_says_that_the_backlog_was_not_released() {
    let mut desk = Desk::new();
    desk.planned(draft("a", "investigation"));
    desk.planned(draft("b", "investigation"));
    desk.ask(Command::Release(vec!["a".into()])).unwrap();
    desk.pass("a");
    assert_eq!(*run(&desk), RunState::Stalled);
    let said = desk.effects.iter().find_map(|effect| match effect {
        dbs::domain::Effect::Notify(notice) if notice.kind == "stalled" => Some(notice.text.clone()),
        _ => None,
    });
    assert_eq!(
        said.as_deref(),
        Some("shop stalled: 1 task in the backlog not released")
    );
}

#[test]
fn waiting_for_a_cooldown_or_for_room_is_not_stalling() {
    let mut desk = Desk::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    desk.released(draft("a", "kanban"));
    let mut other = draft("b", "kanban");
    other.batch = "other".into();
    desk.released(other);
    assert_eq!(desk.board.batches[&"other".into()].run, RunState::Running);
}

#[test]
fn a_cancelled_task_does_not_spoil_a_completed_run_but_a_failed_one_does() {
    let mut desk = graph(&[("a", &[]), ("b", &[])]);
    desk.pass("a");
    desk.pass("a");
    let open = desk.open("b");
    desk.ask(Command::Close("b".into(), "not needed".to_owned()))
        .unwrap();
    desk.happen(Event::AttemptNotStarted {
        attempt: open,
        why: "stopped".to_owned(),
    });
    assert_eq!(*run(&desk), RunState::Completed);
    let mut desk = graph(&[("a", &[])]);
    break_down(&mut desk, "a");
    assert_eq!(*run(&desk), RunState::CompletedWithFailures);
    assert_eq!(run(&desk).exit_code(), 1);
}

#[test]
fn dependents_of_a_failure_are_skipped_with_the_root_cause() {
    let mut desk = graph(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &[]),
        ("e", &[]),
        ("f", &[]),
    ]);
    break_down(&mut desk, "a");
    assert_eq!(desk.word("a"), "failed");
    assert_eq!(desk.task("b").state, TaskState::Skipped("a".into()));
    assert_eq!(desk.task("c").state, TaskState::Skipped("a".into()));
    assert_eq!(desk.word("d"), "active");
    assert!(desk.told().contains(&"skip"));
}

#[test]
fn dependents_of_a_blocked_task_are_skipped_too_where_the_workflow_says_so() {
    let mut desk = graph(&[("a", &[]), ("b", &["a"])]);
    let open = desk.open("a");
    desk.live(open, SignalKind::Block, "no");
    assert_eq!(desk.task("b").state, TaskState::Skipped("a".into()));
}

#[test]
fn the_run_is_aborted_before_anything_is_skipped_when_too_much_would_be() {
    let mut desk = too_much_on_one();
    break_down(&mut desk, "a");
    let RunState::Aborted(why) = run(&desk) else {
        panic!("{:?}", run(&desk))
    };
    assert!(why.contains("3 of 4"), "{why}");
    for id in ["b", "c", "d"] {
        assert_eq!(desk.word(id), "released", "nothing was skipped");
    }
    assert!(desk.told().contains(&"aborted"));
    desk.ask(retry("a")).unwrap();
    assert_eq!(*run(&desk), RunState::Running);
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn what_waits_for_an_aborted_run_from_outside_waits_on() {
    let mut desk = too_much_on_one();
    let mut outside = |id: &str, on: &str| {
        let mut draft = draft(id, "graph");
        draft.batch = BatchId::from("depot");
        draft.deps = [on.into()].into();
        desk.planned(draft);
        desk.ask(Command::Release(vec![id.into()])).unwrap();
    };
    outside("x", "b");
    outside("y", "a");
    break_down(&mut desk, "a");
    assert!(matches!(run(&desk), RunState::Aborted(_)));
    assert_eq!(desk.word("x"), "released", "b was not skipped");
    assert_eq!(desk.task("y").state, TaskState::Skipped("a".into()));
    // Also when something happens later.
    desk.pass("e");
    assert_eq!(desk.word("x"), "released");
}

#[test]
fn exactly_half_is_not_too_much() {
    let mut desk = graph(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &[]), ("e", &[])]);
    break_down(&mut desk, "a");
    assert_eq!(desk.word("b"), "skipped");
    assert_eq!(*run(&desk), RunState::Running);
}

#[test]
fn a_small_batch_is_never_aborted() {
    let mut desk = graph(&[("a", &[]), ("b", &["a"]), ("c", &["a"])]);
    break_down(&mut desk, "a");
    assert_eq!((desk.word("b"), desk.word("c")), ("skipped", "skipped"));
}

#[test]
fn in_an_aborted_run_nothing_new_starts_but_what_runs_may_end() {
    let mut desk = too_much_on_one();
    break_down(&mut desk, "a");
    desk.pass("e");
    assert_eq!((desk.stage("e"), desk.word("e")), ("merge", "released"));
    assert_eq!(desk.task("e").why_not, Some(dbs::domain::WaitReason::Aborted));
}

#[test]
fn skipped_tasks_come_back_when_what_they_wait_for_is_done_after_all() {
    let mut desk = graph(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    break_down(&mut desk, "a");
    let no = desk.ask(retry("b")).unwrap_err();
    assert!(no.contains("retry that one"), "{no}");
    desk.ask(retry("a")).unwrap();
    assert_eq!(desk.word("b"), "skipped");
    desk.pass("a");
    desk.pass("a");
    assert_eq!(desk.word("a"), "done");
    assert_eq!(desk.word("b"), "active");
    assert_eq!(desk.word("c"), "skipped");
    desk.pass("b");
    desk.pass("b");
    assert_eq!(desk.word("c"), "active");
}

#[test]
fn where_the_workflow_says_wait_dependents_of_a_failure_wait_visibly() {
    let mut desk = Desk::new();
    desk.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    desk.released(second);
    desk.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(desk.word("b"), "released");
    assert_eq!(
        desk.task("b").why_not,
        Some(dbs::domain::WaitReason::Dependencies(vec!["a".into()]))
    );
}
