//! Runs of batches: run states, stalling, cascades and the circuit breaker (seeds 3.11, G50, G51, LG-11).

use dbs::domain::{BatchId, BoardSettings, Command, Event, RunState, SignalKind, Skip, TaskState};

use crate::fixture::{BoardFixture, draft, settings};

fn run(fixture: &BoardFixture) -> &RunState {
    &fixture.board.batches[&BatchId::from("shop")].run
}

/// Returns a board with graph tasks, each given with the tasks it waits for.
fn graph(tasks: &[(&str, &[&str])]) -> BoardFixture {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_starts: 50,
        max_agents: 50,
        ..settings()
    });
    for (id, deps) in tasks {
        let mut draft = draft(id, "graph");
        draft.deps = deps.iter().map(|id| (*id).into()).collect();
        fixture.planned(draft);
    }
    let all = tasks.iter().map(|(id, _)| (*id).into()).collect();
    fixture.ask(Command::Release(all)).unwrap();
    fixture
}

/// Returns a board on which three of the four other tasks wait for `a`: more than may be skipped.
fn too_much_on_one() -> BoardFixture {
    graph(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["a"]),
        ("d", &["a"]),
        ("e", &[]),
    ])
}

fn break_down(fixture: &mut BoardFixture, id: &str) {
    for _ in 0..3 {
        let open = fixture.open(id);
        fixture.live(open, SignalKind::Fail, "cannot");
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
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "investigation"));
    assert_eq!(*run(&fixture), RunState::Planning);
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(*run(&fixture), RunState::Running);
    let open = fixture.open("a");
    fixture.start(open);
    fixture.ask(Command::Pause).unwrap();
    assert_eq!(*run(&fixture), RunState::Paused);
    fixture.end(open);
    assert_eq!(*run(&fixture), RunState::Paused);
    fixture.ask(Command::Resume).unwrap();
    assert_eq!(*run(&fixture), RunState::Running);
    fixture.pass("a");
    assert_eq!(*run(&fixture), RunState::Completed);
    assert_eq!(run(&fixture).exit_code(), 0);
}

#[test]
fn a_run_in_which_only_a_person_can_help_is_stalled_with_the_reasons() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    fixture.released(second);
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Block, "no access");
    assert_eq!(*run(&fixture), RunState::Stalled);
    let said = fixture.effects.iter().find_map(|effect| match effect {
        dbs::domain::Effect::Notify(notice) if notice.kind == "stalled" => Some(notice.text.clone()),
        _ => None,
    });
    let said = said.expect("people are told");
    assert!(
        said.contains("a blocked: no access") && said.contains("b waits for a"),
        "{said}"
    );
    fixture.ask(retry("a")).unwrap();
    assert_eq!(*run(&fixture), RunState::Running);
}

#[test]
fn a_run_whose_other_tasks_are_done_says_that_the_backlog_was_not_released() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "investigation"));
    fixture.planned(draft("b", "investigation"));
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    fixture.pass("a");
    assert_eq!(*run(&fixture), RunState::Stalled);
    let said = fixture.effects.iter().find_map(|effect| match effect {
        dbs::domain::Effect::Notify(notice) if notice.kind == "stalled" => Some(notice.text.clone()),
        _ => None,
    });
    assert_eq!(
        said.as_deref(),
        Some("batch shop stalled: 1 task in the backlog not released")
    );
}

#[test]
fn a_task_created_after_the_end_of_a_run_raises_no_alarm() {
    let alarms = |fixture: &BoardFixture| {
        let kinds = fixture.effects.iter().filter_map(|effect| match effect {
            dbs::domain::Effect::Notify(notice) => Some(notice.kind.clone()),
            _ => None,
        });
        kinds.filter(|kind| kind == "stalled").count()
    };
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "investigation"));
    fixture.pass("a");
    assert_eq!(*run(&fixture), RunState::Completed);
    fixture.planned(draft("b", "investigation"));
    assert_eq!(alarms(&fixture), 0, "{:?}", fixture.effects);
    fixture.planned(draft("c", "investigation"));
    fixture.ask(Command::Release(vec!["b".into()])).unwrap();
    assert_eq!(*run(&fixture), RunState::Running);
    fixture.pass("b");
    assert_eq!(alarms(&fixture), 1, "the remaining task waits for its release");
}

#[test]
fn waiting_for_a_cooldown_or_for_room_is_not_stalling() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    let mut other = draft("b", "kanban");
    other.batch = "other".into();
    fixture.released(other);
    assert_eq!(fixture.board.batches[&"other".into()].run, RunState::Running);
}

#[test]
fn a_cancelled_task_does_not_spoil_a_completed_run_but_a_failed_one_does() {
    let mut fixture = graph(&[("a", &[]), ("b", &[])]);
    fixture.pass("a");
    fixture.pass("a");
    let open = fixture.open("b");
    fixture
        .ask(Command::Close("b".into(), "not needed".to_owned()))
        .unwrap();
    fixture.happen(Event::AttemptNotStarted {
        attempt: open,
        why: "stopped".into(),
    });
    assert_eq!(*run(&fixture), RunState::Completed);
    let mut fixture = graph(&[("a", &[])]);
    break_down(&mut fixture, "a");
    assert_eq!(*run(&fixture), RunState::CompletedWithFailures);
    assert_eq!(run(&fixture).exit_code(), 1);
}

#[test]
fn what_a_person_skips_is_no_failure_and_is_counted() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"]), ("c", &[])]);
    fixture.pass("c");
    fixture.pass("c");
    break_down(&mut fixture, "a");
    assert_eq!(*run(&fixture), RunState::CompletedWithFailures);
    fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(
        *run(&fixture),
        RunState::CompletedWithSkips(2),
        "b is skipped along with it"
    );
    assert_eq!(run(&fixture).exit_code(), 0);
    assert_eq!(run(&fixture).to_string(), "done, 2 skipped");
    let said = fixture.effects.iter().rev().find_map(|effect| match effect {
        dbs::domain::Effect::Notify(notice) if notice.kind == "completed" => Some(notice.text.clone()),
        _ => None,
    });
    assert_eq!(said.as_deref(), Some("batch shop: done, 2 skipped"));
}

#[test]
fn dependents_of_a_failure_are_skipped_with_the_root_cause() {
    let mut fixture = graph(&[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &[]),
        ("e", &[]),
        ("f", &[]),
    ]);
    break_down(&mut fixture, "a");
    assert_eq!(fixture.word("a"), "failed");
    assert_eq!(
        fixture.task("b").state,
        TaskState::Skipped(Skip::Dependency("a".into()))
    );
    assert_eq!(
        fixture.task("c").state,
        TaskState::Skipped(Skip::Dependency("a".into()))
    );
    assert_eq!(fixture.word("d"), "active");
    assert!(fixture.notice_kinds().contains(&"skip"));
}

#[test]
fn dependents_of_a_blocked_task_are_skipped_too_where_the_workflow_says_so() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"])]);
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Block, "no");
    assert_eq!(
        fixture.task("b").state,
        TaskState::Skipped(Skip::Dependency("a".into()))
    );
}

#[test]
fn the_run_is_aborted_before_anything_is_skipped_when_too_much_would_be() {
    let mut fixture = too_much_on_one();
    break_down(&mut fixture, "a");
    let RunState::Aborted(why) = run(&fixture) else {
        panic!("{:?}", run(&fixture))
    };
    assert!(why.contains("3 of 4") && why.contains("`dbs skip"), "{why}");
    for id in ["b", "c", "d"] {
        assert_eq!(fixture.word(id), "released", "nothing is skipped");
    }
    assert!(fixture.notice_kinds().contains(&"aborted"));
    fixture.ask(retry("a")).unwrap();
    assert_eq!(*run(&fixture), RunState::Running);
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn what_waits_for_an_aborted_run_from_outside_waits_on() {
    let mut fixture = too_much_on_one();
    let mut outside = |id: &str, on: &str| {
        let mut draft = draft(id, "graph");
        draft.batch = BatchId::from("depot");
        draft.deps = [on.into()].into();
        fixture.planned(draft);
        fixture.ask(Command::Release(vec![id.into()])).unwrap();
    };
    outside("x", "b");
    outside("y", "a");
    break_down(&mut fixture, "a");
    assert!(matches!(run(&fixture), RunState::Aborted(_)));
    assert_eq!(fixture.word("x"), "released", "b is not skipped");
    assert_eq!(
        fixture.task("y").state,
        TaskState::Skipped(Skip::Dependency("a".into()))
    );
    // The same holds when something happens later.
    fixture.pass("e");
    assert_eq!(fixture.word("x"), "released");
}

#[test]
fn exactly_half_is_not_too_much() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"]), ("c", &["a"]), ("d", &[]), ("e", &[])]);
    break_down(&mut fixture, "a");
    assert_eq!(fixture.word("b"), "skipped");
    assert_eq!(*run(&fixture), RunState::Running);
}

#[test]
fn a_small_batch_is_never_aborted() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"]), ("c", &["a"])]);
    break_down(&mut fixture, "a");
    assert_eq!((fixture.word("b"), fixture.word("c")), ("skipped", "skipped"));
}

#[test]
fn in_an_aborted_run_nothing_new_starts_but_what_runs_may_end() {
    let mut fixture = too_much_on_one();
    break_down(&mut fixture, "a");
    fixture.pass("e");
    assert_eq!((fixture.stage("e"), fixture.word("e")), ("merging", "released"));
    assert_eq!(fixture.task("e").why_not, Some(dbs::domain::WaitReason::Aborted));
}

#[test]
fn skipped_tasks_come_back_when_nothing_they_wait_for_has_failed_any_more() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    break_down(&mut fixture, "a");
    let no = fixture.ask(retry("b")).unwrap_err();
    assert!(no.contains("retry that one"), "{no}");
    fixture.ask(retry("a")).unwrap();
    let waits_for = |id: &str| Some(dbs::domain::WaitReason::Dependencies(vec![id.into()]));
    assert_eq!(fixture.task("b").why_not, waits_for("a"));
    assert_eq!(fixture.task("c").why_not, waits_for("b"));
    fixture.pass("a");
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
    assert_eq!(fixture.word("b"), "active");
    fixture.pass("b");
    fixture.pass("b");
    assert_eq!(fixture.word("c"), "active");
}

#[test]
fn what_a_person_skips_takes_its_dependents_along_however_many_they_are() {
    let mut fixture = too_much_on_one();
    let said = fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(said, "skipped a; skipped with it: b, c, d");
    let by_ada = TaskState::Skipped(Skip::Person { by: "ada".to_owned() });
    assert_eq!(fixture.task("a").state, by_ada);
    for id in ["b", "c", "d"] {
        assert_eq!(
            fixture.task(id).state,
            TaskState::Skipped(Skip::Dependency("a".into()))
        );
    }
    assert_eq!(*run(&fixture), RunState::Running, "the run is not aborted");
}

#[test]
fn a_person_who_takes_back_a_skip_has_what_was_there_before() {
    let mut fixture = graph(&[("a", &[]), ("b", &["a"])]);
    let mut planned = draft("p", "graph");
    planned.deps = ["b".into()].into();
    fixture.planned(planned);
    for back in [retry("a"), Command::Withdraw("a".into())] {
        fixture.ask(Command::Skip("a".into())).unwrap();
        let root = TaskState::Skipped(Skip::InBacklog { root: "a".into() });
        assert_eq!((fixture.word("b"), &fixture.task("p").state), ("skipped", &root));
        fixture.ask(back).unwrap();
        assert_eq!((fixture.word("b"), fixture.word("p")), ("released", "backlog"));
    }
    assert_eq!(fixture.word("a"), "backlog");
}

#[test]
fn skipping_what_aborted_a_run_skips_its_dependents_and_the_rest_goes_on_to_the_end() {
    let mut fixture = too_much_on_one();
    break_down(&mut fixture, "a");
    fixture.pass("e");
    assert!(matches!(run(&fixture), RunState::Aborted(_)));
    let said = fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(said, "skipped a; skipped with it: b, c, d");
    assert_eq!((fixture.word("b"), fixture.word("d")), ("skipped", "skipped"));
    assert_eq!(*run(&fixture), RunState::Running);
    fixture.pass("e");
    assert_eq!(fixture.word("e"), "done");
    assert_eq!(*run(&fixture), RunState::CompletedWithSkips(4));
}

#[test]
fn a_run_from_which_one_of_two_causes_is_skipped_is_judged_by_the_other() {
    let mut fixture = graph(&[
        ("a", &[]),
        ("b", &["a"]),
        ("x", &[]),
        ("y", &["x"]),
        ("z", &["x"]),
        ("e", &[]),
    ]);
    break_down(&mut fixture, "x");
    assert_eq!(*run(&fixture), RunState::Running, "2 of 5 are no more than half");
    fixture.ask(retry("x")).unwrap();
    break_down(&mut fixture, "a");
    break_down(&mut fixture, "x");
    let RunState::Aborted(why) = run(&fixture) else {
        panic!("{:?}", run(&fixture))
    };
    assert!(why.contains("2 of 3"), "{why}");
    let said = fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(said, "skipped a");
    assert_eq!(fixture.word("y"), "released", "x still aborts the run");
    assert!(matches!(run(&fixture), RunState::Aborted(_)));
    fixture.ask(Command::Skip("x".into())).unwrap();
    assert_eq!((fixture.word("y"), fixture.word("z")), ("skipped", "skipped"));
    assert_eq!(*run(&fixture), RunState::Running);
}

#[test]
fn where_the_workflow_says_wait_dependents_of_a_failure_wait_visibly() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    fixture.released(second);
    let said = fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(said, "skipped a; still waiting for it: b");
    assert_eq!(fixture.word("b"), "released");
    assert_eq!(
        fixture.task("b").why_not,
        Some(dbs::domain::WaitReason::Dependencies(vec!["a".into()]))
    );
}
