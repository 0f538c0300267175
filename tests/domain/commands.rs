//! What people may ask, and how they are refused (K63–K77 as far as the board decides, K21, K35, K73, K74, K91).

use dbs::domain::attempt::{StopCause, Verdict};
use dbs::domain::task::{HoldReason, TaskKind};
use dbs::domain::{
    AttemptId, AttemptState, Command, Effect, Event, SignalKind, Span, TaskDraft, TaskId, TaskPatch,
    TaskState, WaitReason,
};

use crate::desk::{Desk, draft};

fn retry(id: &str) -> Command {
    Command::Retry {
        task: id.into(),
        stage: None,
        note: None,
    }
}

fn with(change: impl FnOnce(&mut TaskDraft)) -> Command {
    let mut draft = draft("new", "kanban");
    change(&mut draft);
    Command::Create(draft)
}

fn moved(stage: &str) -> TaskPatch {
    TaskPatch {
        stage: Some(stage.into()),
        ..TaskPatch::default()
    }
}

/// Every refusal is a lower-case sentence without a full stop that does not change the board.
fn refused(desk: &mut Desk, command: Command, part: &str) {
    let before = desk.board.clone();
    let text = desk.ask(command).expect_err("it must be refused");
    assert!(text.contains(part), "`{text}` does not say `{part}`");
    assert!(!text.ends_with('.'), "{text}");
    assert_eq!(desk.board, before, "a refused command changes nothing");
}

/// Which of several tasks the last refusal is about.
fn refused_task(desk: &Desk) -> Option<TaskId> {
    desk.effects.iter().find_map(|effect| match effect {
        Effect::Reply(_, Err(refusal)) => refusal.about.clone(),
        _ => None,
    })
}

/// Tasks that are made together: id, and what each waits for.
fn together(tasks: &[(&str, &[&str])]) -> Command {
    let one = |(id, on): &(&str, &[&str])| TaskDraft {
        deps: on.iter().map(|id| TaskId::from(*id)).collect(),
        ..draft(id, "kanban")
    };
    Command::CreateAll(tasks.iter().map(one).collect())
}

#[test]
fn several_tasks_are_made_together_or_none_and_each_may_wait_for_those_before_it() {
    let mut desk = Desk::developing("a");
    refused(&mut desk, Command::CreateAll(Vec::new()), "no task was given");
    refused(
        &mut desk,
        together(&[("b", &[]), ("c", &["d"]), ("d", &[])]),
        "it would wait for d, which does not exist",
    );
    assert_eq!(refused_task(&desk), Some("c".into()));
    refused(&mut desk, together(&[("b", &[]), ("b", &[])]), "b exists already");
    assert_eq!(refused_task(&desk), Some("b".into()));
    refused(
        &mut desk,
        together(&[("b", &[]), ("A", &[])]),
        "only in capitals from a",
    );
    refused(
        &mut desk,
        together(&[("b", &[]), ("B", &[])]),
        "only in capitals from b",
    );
    desk.ask(together(&[("b", &["a"]), ("c", &["a", "b"])])).unwrap();
    for (id, on) in [("b", &["a"][..]), ("c", &["a", "b"])] {
        let task = desk.task(id);
        assert_eq!(task.state, TaskState::Backlog);
        assert_eq!(task.deps, on.iter().map(|id| TaskId::from(*id)).collect());
    }
}

#[test]
fn a_title_is_one_line_that_can_be_read() {
    let mut desk = Desk::developing("a");
    let title = |title: &str| {
        let title = title.to_owned();
        with(|draft| draft.title = title)
    };
    refused(&mut desk, title("one\ntwo"), "several lines");
    refused(&mut desk, title(&"x".repeat(501)), "501 characters");
    let patch = TaskPatch {
        title: Some("one\r\ntwo".to_owned()),
        ..TaskPatch::default()
    };
    refused(&mut desk, Command::Update("a".into(), patch), "several lines");
    desk.ask(title(&"ä".repeat(500))).unwrap();
}

#[test]
fn no_task_waits_for_itself_and_none_is_told_from_another_by_capitals_alone() {
    let mut desk = Desk::developing("a");
    refused(
        &mut desk,
        Command::AddDependency("a".into(), "a".into()),
        "itself",
    );
    refused(
        &mut desk,
        with(|draft| draft.id = "A".into()),
        "only in capitals from a",
    );
}

#[test]
fn drafts_that_make_no_sense_are_refused_with_the_way_out() {
    let mut desk = Desk::developing("a");
    let ghost: TaskId = "ghost".into();
    refused(&mut desk, with(|draft| draft.id = "a".into()), "exists already");
    refused(
        &mut desk,
        with(|draft| draft.title = "  ".to_owned()),
        "title is empty",
    );
    refused(&mut desk, with(|draft| draft.id = "../x".into()), "no task id");
    refused(&mut desk, with(|draft| draft.id = "".into()), "no task id");
    refused(
        &mut desk,
        with(|draft| draft.id = "x".repeat(49).as_str().into()),
        "no task id",
    );
    refused(&mut desk, with(|draft| draft.batch = "a b".into()), "no batch id");
    refused(
        &mut desk,
        with(|draft| draft.workflow = "scrum".into()),
        "there are graph, investigation, kanban",
    );
    refused(
        &mut desk,
        with(|draft| draft.stage = Some("deploying".into())),
        "there is no stage deploying",
    );
    refused(
        &mut desk,
        with(|draft| draft.deps = [ghost].into()),
        "ghost, which does not exist",
    );
    refused(&mut desk, with(|draft| draft.priority = 5), "0 is most urgent");
}

#[test]
fn a_created_task_waits_in_the_backlog_of_its_batch() {
    let mut desk = Desk::new();
    desk.planned(draft("3.1", "kanban"));
    assert_eq!((desk.stage("3.1"), desk.word("3.1")), ("development", "backlog"));
    assert!(desk.board.batches.contains_key(&"shop".into()));
}

#[test]
fn a_created_task_keeps_everything_it_was_given() {
    let mut desk = Desk::new();
    desk.planned(draft("bd-1", "kanban"));
    let full = TaskDraft {
        title: "Fix the login".to_owned(),
        body: "In src/login.rs.".to_owned(),
        kind: TaskKind::Bug,
        tags: ["security".to_owned(), "priority".to_owned()].into(),
        priority: 0,
        deps: ["bd-1".into()].into(),
        ..draft("bd-2", "kanban")
    };
    desk.planned(full.clone());
    desk.ask(Command::Comment("bd-2".into(), "look at the cookie".to_owned()))
        .unwrap();
    let task = desk.task("bd-2");
    assert_eq!(
        (&task.id, &task.title, &task.body),
        (&full.id, &full.title, &full.body)
    );
    assert_eq!(
        (task.kind, task.priority, &task.tags, &task.deps),
        (full.kind, full.priority, &full.tags, &full.deps)
    );
    let comments: Vec<(&str, &str)> = task
        .comments
        .iter()
        .map(|comment| (comment.author.as_str(), comment.text.as_str()))
        .collect();
    assert_eq!(comments, [("ada", "look at the cookie")]);
}

#[test]
fn a_release_takes_all_tasks_or_none_and_gives_the_go_ahead() {
    let mut desk = Desk::new();
    desk.planned(draft("a", "kanban"));
    refused(
        &mut desk,
        Command::Release(vec!["a".into(), "b".into()]),
        "no task b",
    );
    refused(&mut desk, Command::Release(Vec::new()), "no task was named");
    assert_eq!(desk.board.batches[&"shop".into()].go_ahead, None);
    desk.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(desk.board.batches[&"shop".into()].go_ahead, Some(desk.now));
    assert!(desk.told().contains(&"release"));
}

#[test]
fn a_task_released_by_retry_in_a_batch_without_go_ahead_waits() {
    let mut desk = Desk::new();
    desk.planned(draft("a", "kanban"));
    desk.ask(Command::Park("a".into(), "later".to_owned())).unwrap();
    desk.ask(retry("a")).unwrap();
    assert_eq!(desk.task("a").why_not, Some(WaitReason::NoGoAhead));
}

#[test]
fn dependencies_never_form_a_cycle() {
    let mut desk = Desk::new();
    for id in ["a", "b", "c"] {
        desk.planned(draft(id, "kanban"));
    }
    desk.ask(Command::AddDependency("b".into(), "a".into())).unwrap();
    desk.ask(Command::AddDependency("c".into(), "b".into())).unwrap();
    refused(
        &mut desk,
        Command::AddDependency("a".into(), "c".into()),
        "neither would ever start",
    );
    refused(
        &mut desk,
        Command::AddDependency("a".into(), "a".into()),
        "cannot wait for itself",
    );
    refused(
        &mut desk,
        Command::RemoveDependency("a".into(), "c".into()),
        "does not wait for",
    );
    desk.ask(Command::RemoveDependency("c".into(), "b".into()))
        .unwrap();
    desk.ask(Command::AddDependency("a".into(), "c".into())).unwrap();
}

#[test]
fn a_parked_task_stays_parked_until_somebody_takes_it_up() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Park("a".into(), "after the release".to_owned()))
        .unwrap();
    assert_eq!(desk.wishes(), ["stop/1"]);
    assert_eq!(desk.word("a"), "parked");
    desk.end(first);
    desk.wait(Span::minutes(60));
    assert_eq!(desk.word("a"), "parked");
    assert_eq!(desk.task("a").spawns, 0);
    desk.ask(retry("a")).unwrap();
    assert_eq!(desk.word("a"), "active");
    refused(
        &mut desk,
        Command::Park("a".into(), " ".to_owned()),
        "reason is empty",
    );
}

#[test]
fn a_closed_task_is_over_and_its_branch_is_archived_once_its_agent_is_gone() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Close("a".into(), "not needed".to_owned()))
        .unwrap();
    assert_eq!(desk.wishes(), ["stop/1"]);
    desk.end(first);
    assert_eq!(desk.wishes(), ["settle/1"]);
    desk.settled(first);
    assert_eq!(desk.wishes(), ["retire/a"]);
    refused(&mut desk, retry("a"), "create a new task");
    refused(
        &mut desk,
        Command::Close("a".into(), "again".to_owned()),
        "cancelled already",
    );
}

#[test]
fn a_retry_clears_the_counters_that_held_the_task_and_carries_a_note() {
    let mut desk = Desk::developing("a");
    for _ in 0..3 {
        let open = desk.open("a");
        desk.start(open);
        desk.end(open);
        if desk.word("a") == "released" {
            desk.wait_until_due();
        }
    }
    assert_eq!(desk.word("a"), "held");
    desk.ask(Command::Retry {
        task: "a".into(),
        stage: None,
        note: Some("use the other library".to_owned()),
    })
    .unwrap();
    assert!(desk.task("a").failures.is_empty());
    assert_eq!(desk.task("a").finding.as_deref(), Some("use the other library"));
    assert_eq!(desk.word("a"), "active");
    refused(&mut desk, retry("a"), "is running or about to start");
}

#[test]
fn a_retry_may_begin_at_another_stage() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.live(reviewer, SignalKind::Block, "cannot read it");
    desk.ask(Command::Retry {
        task: "a".into(),
        stage: Some("development".into()),
        note: None,
    })
    .unwrap();
    assert_eq!(desk.role(desk.open("a")), "developer");
}

#[test]
fn a_task_marked_for_approval_waits_for_a_yes_before_its_first_stage() {
    let mut desk = Desk::new();
    let mut marked = draft("a", "kanban");
    marked.needs_approval = true;
    desk.released(marked);
    assert_eq!(desk.task("a").state, TaskState::Held(HoldReason::Approval));
    refused(&mut desk, retry("a"), "waits for approval");
    desk.ask(Command::Approve("a".into())).unwrap();
    assert_eq!(desk.word("a"), "active");
    refused(
        &mut desk,
        Command::Approve("a".into()),
        "does not wait for approval",
    );
}

#[test]
fn a_person_may_send_work_back_from_where_it_stands() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.start(reviewer);
    desk.ask(Command::Reject("a".into(), "wrong approach".to_owned()))
        .unwrap();
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "released"));
    assert_eq!(desk.wishes(), ["stop/2"]);
    desk.end(reviewer);
    assert_eq!(desk.task("a").rejections, 1);
    desk.wait(Span::seconds(60));
    refused(
        &mut desk,
        Command::Reject("a".into(), "again".to_owned()),
        "work in development cannot be rejected: move a with",
    );
    refused(
        &mut desk,
        Command::Reject("a".into(), String::new()),
        "reason is empty",
    );
}

#[test]
fn moving_a_task_by_hand_voids_what_works_on_it_and_done_is_final() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    refused(
        &mut desk,
        Command::Update("a".into(), moved("nowhere")),
        "there is no stage nowhere",
    );
    desk.ask(Command::Update("a".into(), moved("reviewing"))).unwrap();
    assert_eq!(desk.task("a").why_not, Some(WaitReason::StillEnding(first)));
    desk.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "stopped".to_owned(),
    });
    assert_eq!(desk.role(desk.open("a")), "reviewer");
    desk.pass("a");
    desk.pass("a");
    refused(
        &mut desk,
        Command::Update("a".into(), moved("development")),
        "done is final",
    );
}

#[test]
fn what_a_task_says_can_be_changed_and_its_work_goes_on() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.ask(Command::Update(
        "a".into(),
        TaskPatch {
            title: Some("New".to_owned()),
            priority: Some(0),
            add_tags: ["security".to_owned()].into(),
            ..TaskPatch::default()
        },
    ))
    .unwrap();
    assert_eq!(desk.task("a").title, "New");
    assert_eq!(desk.open("a"), first);
    let empty = TaskPatch {
        title: Some(String::new()),
        ..TaskPatch::default()
    };
    refused(&mut desk, Command::Update("a".into(), empty), "title is empty");
}

#[test]
fn a_pause_stops_agents_and_counts_nothing_and_resume_goes_on() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Pause).unwrap();
    assert_eq!(desk.wishes(), ["stop/1"]);
    assert!(desk.told().contains(&"pause"));
    desk.end(first);
    assert_eq!(
        desk.attempt(first).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Paused))
    );
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "released"));
    assert_eq!((desk.task("a").spawns, desk.task("a").failures.len()), (0, 0));
    assert!(desk.comments("a").contains("paused"));
    desk.ask(Command::Resume).unwrap();
    assert!(desk.told().contains(&"resume"));
    assert_eq!(desk.word("a"), "active");
    refused(&mut desk, Command::Resume, "not paused");
}

#[test]
fn a_done_said_before_the_pause_is_still_heeded() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.say(first, SignalKind::Done, "");
    desk.ask(Command::Pause).unwrap();
    desk.end(first);
    desk.verify(first, &[]);
    assert_eq!((desk.stage("a"), desk.word("a")), ("reviewing", "released"));
}

#[test]
fn an_attempt_stopped_while_it_was_being_started_never_counts() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.ask(Command::Pause).unwrap();
    desk.start(first);
    assert_eq!(desk.wishes(), ["stop/1"], "it started all the same");
    desk.end(first);
    assert_eq!(desk.task("a").spawns, 0);
    assert_eq!(desk.wishes(), ["settle/1"]);
}

#[test]
fn a_killed_agent_uses_up_no_budget_and_its_task_starts_again() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Kill(first)).unwrap();
    desk.end(first);
    assert_eq!(desk.word("a"), "active");
    assert_ne!(desk.open("a"), first);
    assert_eq!(desk.task("a").spawns, 1);
    refused(&mut desk, Command::Kill(first), "has ended already");
    refused(&mut desk, Command::Kill(AttemptId(99)), "no attempt 99");
}

#[test]
fn an_engine_action_cannot_be_killed() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    refused(&mut desk, Command::Kill(merge), "ends by itself");
}

#[test]
fn an_answer_needs_an_agent_to_hear_it() {
    let mut desk = Desk::standing("a", "merging");
    refused(
        &mut desk,
        Command::Answer("a".into(), "yes".to_owned()),
        "no agent works on a",
    );
}

#[test]
fn a_task_nobody_works_on_can_be_taken_back_into_the_backlog() {
    let mut desk = Desk::developing("a");
    refused(&mut desk, Command::Withdraw("a".into()), "a is running: park it");
    desk.ask(Command::Park("a".into(), "later".to_owned())).unwrap();
    desk.ask(Command::Withdraw("a".into())).unwrap();
    assert_eq!(desk.task("a").state, TaskState::Backlog);
    desk.ask(Command::Withdraw("a".into())).unwrap();
    desk.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_ne!(desk.task("a").state, TaskState::Backlog);
}

#[test]
fn a_skipped_task_can_be_taken_up_again() {
    let mut desk = Desk::developing("a");
    desk.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(desk.task("a").state, TaskState::Skipped("a".into()));
    let first = desk.open("a");
    desk.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "stopped".to_owned(),
    });
    desk.ask(retry("a")).unwrap();
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn a_batch_keeps_its_base_while_it_is_worked_on() {
    let mut desk = Desk::developing("a");
    let put = |base: &str| Command::PutBatch {
        id: "shop".into(),
        title: "Shop".to_owned(),
        goal: "Sell".to_owned(),
        base: Some(base.to_owned()),
    };
    refused(&mut desk, put("feature/else"), "is running: pause first");
    desk.pass("a");
    desk.pass("a");
    desk.pass("a");
    desk.ask(put("feature/else")).unwrap();
    assert_eq!(desk.board.batches[&"shop".into()].title, "Shop");
}

#[test]
fn a_comment_is_kept_with_its_author() {
    let mut desk = Desk::developing("a");
    desk.ask(Command::Comment("a".into(), "look at cart.rs".to_owned()))
        .unwrap();
    assert_eq!(desk.task("a").comments[0].author, "ada");
    assert!(
        !desk
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Stop(..)))
    );
}
