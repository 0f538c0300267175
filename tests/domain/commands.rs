//! Commands of people, and how they are refused (K63–K77 as far as the board decides, K21, K35, K73, K74, K91).

use dbs::domain::attempt::{StopCause, Verdict};
use dbs::domain::task::{HoldReason, TaskKind};
use dbs::domain::{
    AttemptId, AttemptState, Command, Effect, Event, SignalKind, Skip, Span, TaskDraft, TaskId, TaskPatch,
    TaskState, WaitReason,
};

use crate::fixture::{BoardFixture, draft};

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

/// Asserts that a refusal is a lower-case sentence without a full stop, and that the board stays unchanged.
fn refused(fixture: &mut BoardFixture, command: Command, part: &str) {
    let before = fixture.board.clone();
    let text = fixture.ask(command).expect_err("the command must be refused");
    assert!(text.contains(part), "`{text}` does not say `{part}`");
    assert!(!text.ends_with('.'), "{text}");
    assert_eq!(fixture.board, before, "a refused command changes nothing");
}

/// Returns the task that the last refusal is about.
fn refused_task(fixture: &BoardFixture) -> Option<TaskId> {
    fixture.effects.iter().find_map(|effect| match effect {
        Effect::Reply(_, Err(refusal)) => refusal.about.clone(),
        _ => None,
    })
}

/// Returns a command that creates tasks together, each given with the tasks it waits for.
fn together(tasks: &[(&str, &[&str])]) -> Command {
    let one = |(id, on): &(&str, &[&str])| TaskDraft {
        deps: on.iter().map(|id| TaskId::from(*id)).collect(),
        ..draft(id, "kanban")
    };
    Command::CreateAll(tasks.iter().map(one).collect())
}

#[test]
fn several_tasks_are_made_together_or_none_and_each_may_wait_for_those_before_it() {
    let mut fixture = BoardFixture::developing("a");
    refused(&mut fixture, Command::CreateAll(Vec::new()), "no task was given");
    refused(
        &mut fixture,
        together(&[("b", &[]), ("c", &["d"]), ("d", &[])]),
        "it would wait for d, which does not exist",
    );
    assert_eq!(refused_task(&fixture), Some("c".into()));
    refused(
        &mut fixture,
        together(&[("b", &[]), ("b", &[])]),
        "b exists already",
    );
    assert_eq!(refused_task(&fixture), Some("b".into()));
    refused(
        &mut fixture,
        together(&[("b", &[]), ("A", &[])]),
        "only in capitals from a",
    );
    refused(
        &mut fixture,
        together(&[("b", &[]), ("B", &[])]),
        "only in capitals from b",
    );
    fixture
        .ask(together(&[("b", &["a"]), ("c", &["a", "b"])]))
        .unwrap();
    for (id, on) in [("b", &["a"][..]), ("c", &["a", "b"])] {
        let task = fixture.task(id);
        assert_eq!(task.state, TaskState::Backlog);
        assert_eq!(task.deps, on.iter().map(|id| TaskId::from(*id)).collect());
    }
}

#[test]
fn a_title_is_one_line_that_can_be_read() {
    let mut fixture = BoardFixture::developing("a");
    let title = |title: &str| {
        let title = title.to_owned();
        with(|draft| draft.title = title)
    };
    refused(&mut fixture, title("one\ntwo"), "several lines");
    refused(&mut fixture, title(&"x".repeat(501)), "501 characters");
    let patch = TaskPatch {
        title: Some("one\r\ntwo".to_owned()),
        ..TaskPatch::default()
    };
    refused(&mut fixture, Command::Update("a".into(), patch), "several lines");
    fixture.ask(title(&"ä".repeat(500))).unwrap();
}

#[test]
fn no_task_waits_for_itself_and_none_is_told_from_another_by_capitals_alone() {
    let mut fixture = BoardFixture::developing("a");
    refused(
        &mut fixture,
        Command::AddDependency("a".into(), "a".into()),
        "itself",
    );
    refused(
        &mut fixture,
        with(|draft| draft.id = "A".into()),
        "only in capitals from a",
    );
}

#[test]
fn drafts_that_make_no_sense_are_refused_with_the_way_out() {
    let mut fixture = BoardFixture::developing("a");
    let ghost: TaskId = "ghost".into();
    refused(
        &mut fixture,
        with(|draft| draft.id = "a".into()),
        "exists already",
    );
    refused(
        &mut fixture,
        with(|draft| draft.title = "  ".to_owned()),
        "title is empty",
    );
    refused(
        &mut fixture,
        with(|draft| draft.id = "../x".into()),
        "not a task id",
    );
    refused(&mut fixture, with(|draft| draft.id = "".into()), "not a task id");
    refused(
        &mut fixture,
        with(|draft| draft.id = "x".repeat(49).as_str().into()),
        "not a task id",
    );
    refused(
        &mut fixture,
        with(|draft| draft.batch = "a b".into()),
        "not a batch id",
    );
    refused(
        &mut fixture,
        with(|draft| draft.workflow = "scrum".into()),
        "there are atdd, conduct, convert, design, graph, investigation, kanban",
    );
    refused(
        &mut fixture,
        with(|draft| draft.stage = Some("deploying".into())),
        "there is no stage deploying",
    );
    refused(
        &mut fixture,
        with(|draft| draft.deps = [ghost].into()),
        "ghost, which does not exist",
    );
    refused(&mut fixture, with(|draft| draft.priority = 5), "0 is most urgent");
}

#[test]
fn a_created_task_waits_in_the_backlog_of_its_batch() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("3.1", "kanban"));
    assert_eq!(
        (fixture.stage("3.1"), fixture.word("3.1")),
        ("development", "backlog")
    );
    assert!(fixture.board.batches.contains_key(&"shop".into()));
}

#[test]
fn a_created_task_keeps_everything_it_was_given() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("bd-1", "kanban"));
    let full = TaskDraft {
        title: "Fix the login".to_owned(),
        body: "In src/login.rs.".to_owned(),
        kind: TaskKind::Bug,
        tags: ["security".to_owned(), "priority".to_owned()].into(),
        priority: 0,
        deps: ["bd-1".into()].into(),
        ..draft("bd-2", "kanban")
    };
    fixture.planned(full.clone());
    fixture
        .ask(Command::Comment("bd-2".into(), "look at the cookie".to_owned()))
        .unwrap();
    let task = fixture.task("bd-2");
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
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    refused(
        &mut fixture,
        Command::Release(vec!["a".into(), "b".into()]),
        "no task b",
    );
    refused(&mut fixture, Command::Release(Vec::new()), "no task was named");
    assert_eq!(fixture.board.batches[&"shop".into()].go_ahead, None);
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(fixture.board.batches[&"shop".into()].go_ahead, Some(fixture.now));
    assert!(fixture.notice_kinds().contains(&"release"));
}

#[test]
fn a_task_released_by_retry_in_a_batch_without_go_ahead_waits() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    fixture.ask(retry("a")).unwrap();
    assert_eq!(fixture.task("a").why_not, Some(WaitReason::NoGoAhead));
}

#[test]
fn dependencies_never_form_a_cycle() {
    let mut fixture = BoardFixture::new();
    for id in ["a", "b", "c"] {
        fixture.planned(draft(id, "kanban"));
    }
    fixture
        .ask(Command::AddDependency("b".into(), "a".into()))
        .unwrap();
    fixture
        .ask(Command::AddDependency("c".into(), "b".into()))
        .unwrap();
    refused(
        &mut fixture,
        Command::AddDependency("a".into(), "c".into()),
        "neither would ever start",
    );
    refused(
        &mut fixture,
        Command::AddDependency("a".into(), "a".into()),
        "cannot wait for itself",
    );
    refused(
        &mut fixture,
        Command::RemoveDependency("a".into(), "c".into()),
        "does not wait for",
    );
    fixture
        .ask(Command::RemoveDependency("c".into(), "b".into()))
        .unwrap();
    fixture
        .ask(Command::AddDependency("a".into(), "c".into()))
        .unwrap();
}

#[test]
fn a_parked_task_stays_parked_until_somebody_takes_it_up() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture
        .ask(Command::Park("a".into(), "after the release".to_owned()))
        .unwrap();
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    assert_eq!(fixture.word("a"), "parked");
    fixture.end(first);
    fixture.wait(Span::minutes(60));
    assert_eq!(fixture.word("a"), "parked");
    assert_eq!(fixture.task("a").spawns, 0);
    fixture.ask(retry("a")).unwrap();
    assert_eq!(fixture.word("a"), "active");
    refused(
        &mut fixture,
        Command::Park("a".into(), " ".to_owned()),
        "reason is empty",
    );
}

#[test]
fn a_closed_task_is_over_and_its_branch_is_archived_once_its_agent_is_gone() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture
        .ask(Command::Close("a".into(), "not needed".to_owned()))
        .unwrap();
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    fixture.end(first);
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    fixture.settled(first);
    assert_eq!(fixture.effect_keys(), ["retire/a"]);
    refused(&mut fixture, retry("a"), "create a new task");
    refused(
        &mut fixture,
        Command::Close("a".into(), "again".to_owned()),
        "cancelled already",
    );
}

#[test]
fn a_retry_clears_the_counters_that_held_the_task_and_carries_a_note() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 0..3 {
        let open = fixture.open("a");
        fixture.start(open);
        fixture.end(open);
        if fixture.word("a") == "released" {
            fixture.wait_until_due();
        }
    }
    assert_eq!(fixture.word("a"), "held");
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: None,
            note: Some("use the other library".to_owned()),
        })
        .unwrap();
    assert!(fixture.task("a").failures.is_empty());
    assert_eq!(
        fixture.task("a").finding.as_deref(),
        Some("use the other library")
    );
    assert_eq!(fixture.word("a"), "active");
    refused(&mut fixture, retry("a"), "is running or about to start");
}

#[test]
fn a_retry_may_begin_at_another_stage() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Block, "cannot read it");
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: Some("development".into()),
            note: None,
        })
        .unwrap();
    assert_eq!(fixture.role(fixture.open("a")), "developer");
}

#[test]
fn a_task_marked_for_approval_waits_for_a_yes_before_its_first_stage() {
    let mut fixture = BoardFixture::new();
    let mut marked = draft("a", "kanban");
    marked.needs_approval = true;
    fixture.released(marked);
    assert_eq!(fixture.task("a").state, TaskState::Held(HoldReason::Approval));
    refused(&mut fixture, retry("a"), "waits for approval");
    fixture.ask(Command::Approve("a".into())).unwrap();
    assert_eq!(fixture.word("a"), "active");
    refused(
        &mut fixture,
        Command::Approve("a".into()),
        "does not wait for approval",
    );
}

#[test]
fn a_person_may_send_work_back_from_where_it_stands() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.start(reviewer);
    fixture
        .ask(Command::Reject("a".into(), "wrong approach".to_owned()))
        .unwrap();
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "released")
    );
    assert_eq!(fixture.effect_keys(), ["stop/2"]);
    fixture.end(reviewer);
    assert_eq!(fixture.task("a").rejections, 1);
    fixture.wait(Span::seconds(60));
    refused(
        &mut fixture,
        Command::Reject("a".into(), "again".to_owned()),
        "work in development cannot be rejected: move a with",
    );
    refused(
        &mut fixture,
        Command::Reject("a".into(), String::new()),
        "reason is empty",
    );
}

#[test]
fn moving_a_task_by_hand_voids_what_works_on_it_and_done_is_final() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    refused(
        &mut fixture,
        Command::Update("a".into(), moved("nowhere")),
        "there is no stage nowhere",
    );
    fixture
        .ask(Command::Update("a".into(), moved("reviewing")))
        .unwrap();
    assert_eq!(fixture.task("a").why_not, Some(WaitReason::StillEnding(first)));
    fixture.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "stopped".into(),
    });
    assert_eq!(fixture.role(fixture.open("a")), "reviewer");
    fixture.pass("a");
    fixture.pass("a");
    refused(
        &mut fixture,
        Command::Update("a".into(), moved("development")),
        "done is final",
    );
}

#[test]
fn what_a_task_says_can_be_changed_and_its_work_goes_on() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture
        .ask(Command::Update(
            "a".into(),
            TaskPatch {
                title: Some("New".to_owned()),
                priority: Some(0),
                add_tags: ["security".to_owned()].into(),
                ..TaskPatch::default()
            },
        ))
        .unwrap();
    assert_eq!(fixture.task("a").title, "New");
    assert_eq!(fixture.open("a"), first);
    let empty = TaskPatch {
        title: Some(String::new()),
        ..TaskPatch::default()
    };
    refused(&mut fixture, Command::Update("a".into(), empty), "title is empty");
}

#[test]
fn a_pause_stops_agents_and_counts_nothing_and_resume_goes_on() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.ask(Command::Pause).unwrap();
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    assert!(fixture.notice_kinds().contains(&"pause"));
    fixture.end(first);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Paused))
    );
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "released")
    );
    assert_eq!(
        (fixture.task("a").spawns, fixture.task("a").failures.len()),
        (0, 0)
    );
    assert!(fixture.comments("a").contains("paused"));
    fixture.ask(Command::Resume).unwrap();
    assert!(fixture.notice_kinds().contains(&"resume"));
    assert_eq!(fixture.word("a"), "active");
    refused(&mut fixture, Command::Resume, "not paused");
}

#[test]
fn a_done_said_before_the_pause_is_still_heeded() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Done, "");
    fixture.ask(Command::Pause).unwrap();
    fixture.end(first);
    fixture.verify(first, &[]);
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("reviewing", "released"));
}

#[test]
fn an_attempt_stopped_while_it_was_being_started_never_counts() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.ask(Command::Pause).unwrap();
    fixture.start(first);
    assert_eq!(
        fixture.effect_keys(),
        ["stop/1"],
        "the agent started anyway and must be stopped"
    );
    fixture.end(first);
    assert_eq!(fixture.task("a").spawns, 0);
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
}

#[test]
fn a_killed_agent_uses_up_no_budget_and_its_task_starts_again() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.ask(Command::Kill(first)).unwrap();
    fixture.end(first);
    assert_eq!(fixture.word("a"), "active");
    assert_ne!(fixture.open("a"), first);
    assert_eq!(fixture.task("a").spawns, 1);
    refused(&mut fixture, Command::Kill(first), "has ended already");
    refused(&mut fixture, Command::Kill(AttemptId(99)), "no attempt 99");
}

#[test]
fn an_engine_action_cannot_be_killed() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    refused(&mut fixture, Command::Kill(merge), "ends by itself");
}

#[test]
fn an_answer_needs_an_agent_to_hear_it() {
    let mut fixture = BoardFixture::standing("a", "merging");
    refused(
        &mut fixture,
        Command::Answer("a".into(), "yes".to_owned()),
        "no agent works on a",
    );
}

#[test]
fn an_interrupt_ends_the_turn_of_the_agent_at_work_and_nothing_else_changes() {
    let mut fixture = BoardFixture::developing("a");
    refused(&mut fixture, Command::Interrupt("a".into()), "no turn to end");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    let before = fixture.board.attempts[&attempt].clone();
    fixture.ask(Command::Interrupt("a".into())).unwrap();
    assert!(fixture.effects.contains(&Effect::Interrupt(attempt)));
    assert_eq!(fixture.board.attempts[&attempt], before);
}

#[test]
fn a_task_nobody_works_on_can_be_taken_back_into_the_backlog() {
    let mut fixture = BoardFixture::developing("a");
    refused(
        &mut fixture,
        Command::Withdraw("a".into()),
        "a is running: park it",
    );
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    fixture.ask(Command::Withdraw("a".into())).unwrap();
    assert_eq!(fixture.task("a").state, TaskState::Backlog);
    fixture.ask(Command::Withdraw("a".into())).unwrap();
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_ne!(fixture.task("a").state, TaskState::Backlog);
}

#[test]
fn a_skipped_task_can_be_taken_up_again() {
    let mut fixture = BoardFixture::developing("a");
    fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(
        fixture.task("a").state,
        TaskState::Skipped(Skip::Person { by: "ada".to_owned() })
    );
    let first = fixture.open("a");
    fixture.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "stopped".into(),
    });
    fixture.ask(retry("a")).unwrap();
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn a_batch_keeps_its_base_while_it_is_worked_on() {
    let mut fixture = BoardFixture::developing("a");
    let put = |base: &str| Command::PutBatch {
        id: "shop".into(),
        title: "Shop".to_owned(),
        goal: "Sell".to_owned(),
        base: Some(base.to_owned()),
        options: dbs::domain::RunOptions::default(),
    };
    refused(&mut fixture, put("feature/else"), "is running: pause first");
    fixture.pass("a");
    fixture.pass("a");
    fixture.pass("a");
    fixture.ask(put("feature/else")).unwrap();
    assert_eq!(fixture.board.batches[&"shop".into()].title, "Shop");
}

#[test]
fn a_comment_is_kept_with_its_author() {
    let mut fixture = BoardFixture::developing("a");
    fixture
        .ask(Command::Comment("a".into(), "look at cart.rs".to_owned()))
        .unwrap();
    assert_eq!(fixture.task("a").comments[0].author, "ada");
    assert!(
        !fixture
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Stop(..)))
    );
}

#[test]
fn a_stage_is_no_tag_so_no_task_gets_a_second_one() {
    let mut fixture = BoardFixture::developing("a");
    let tagged = |tag: &str| TaskPatch {
        add_tags: [tag.to_owned()].into(),
        ..TaskPatch::default()
    };
    let second = Command::Update("a".into(), tagged("stage:reviewing"));
    refused(&mut fixture, second, "--stage reviewing");
    let mut new = draft("b", "kanban");
    new.tags = ["stage:merging".to_owned()].into();
    refused(&mut fixture, Command::Create(new), "a stage is not a tag");
    fixture
        .ask(Command::Update("a".into(), tagged("security")))
        .unwrap();
    assert_eq!(fixture.stage("a"), "development");
}
