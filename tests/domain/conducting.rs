//! Conductors: their permitted commands, their place on the board, the end of their task, and the acceptance of a batch that they plan (K1,
//! K87, K91, LK-32).

use dbs::domain::settings::BoardSettings;
use dbs::domain::task::GateCommand;
use dbs::domain::{
    AgentSettings, AttemptId, BatchPatch, Command, PlannedBoard, ProcessExit, RunOptions, SignalKind, Span,
    TaskDraft, TaskId, TaskPatch,
};

use crate::fixture::{BoardFixture, draft, settings};

fn batch(id: &str, is_new: bool, base: Option<&str>, options: RunOptions) -> Command {
    Command::ChangeBatch {
        id: id.into(),
        is_new,
        change: BatchPatch {
            goal: Some("Sell".to_owned()),
            base: base.map(str::to_owned),
            options,
            ..BatchPatch::default()
        },
    }
}

fn accepted() -> RunOptions {
    RunOptions {
        acceptance: Some(true),
        ..RunOptions::default()
    }
}

fn acceptance(id: &str, deps: &[&str]) -> TaskDraft {
    TaskDraft {
        stage: Some("acceptance".into()),
        deps: deps.iter().map(|id| TaskId::from(*id)).collect(),
        ..draft(id, "kanban")
    }
}

/// Returns a board with the conductor's batch `shop`, whose backlog holds `a` and `b`.
fn planning() -> BoardFixture {
    let mut fixture = BoardFixture::new();
    fixture
        .ask(batch("shop", true, Some("feature/cart"), accepted()))
        .unwrap();
    fixture.planned(draft("a", "kanban"));
    fixture.planned(draft("b", "kanban"));
    fixture
}

fn release(ids: &[&str]) -> Command {
    Command::Release(ids.iter().map(|id| TaskId::from(*id)).collect())
}

/// Returns why a conductor may not give that command; None if it may.
fn refusal(fixture: &BoardFixture, command: &Command) -> Option<String> {
    let board = PlannedBoard {
        tasks: &fixture.board.tasks,
        batches: &fixture.board.batches,
    };
    board.refusal(command)
}

#[test]
fn a_batch_of_a_conductor_is_released_only_with_one_acceptance_of_all_its_work() {
    let mut fixture = planning();
    let none = fixture.ask(release(&["a"])).unwrap_err();
    assert!(none.contains("shop has no acceptance"), "{none}");
    fixture.planned(acceptance("z", &["a"]));
    let missed = fixture.ask(release(&["a", "b", "z"])).unwrap_err();
    assert!(
        missed.contains("z of the batch shop does not wait for b"),
        "{missed}"
    );
    fixture
        .ask(Command::AddDependency("b".into(), "a".into()))
        .unwrap();
    fixture
        .ask(Command::RemoveDependency("z".into(), "a".into()))
        .unwrap();
    fixture
        .ask(Command::AddDependency("z".into(), "b".into()))
        .unwrap();
    fixture.ask(release(&["a", "b", "z"])).unwrap();
    assert_eq!(fixture.word("a"), "active", "z waits for a through b");
    assert_eq!(
        fixture.board.batches[&"shop".into()].base.as_deref(),
        Some("feature/cart")
    );
}

#[test]
fn an_acceptance_that_failed_is_closed_before_a_new_one_takes_its_place() {
    let mut fixture = planning();
    fixture.planned(acceptance("z", &["a", "b"]));
    fixture.ask(release(&["a", "b", "z"])).unwrap();
    for id in ["a", "a", "a", "b", "b", "b"] {
        fixture.pass(id);
    }
    let tester = fixture.open("z");
    fixture.live(tester, SignalKind::Reject, "the cart is empty");
    assert_eq!(fixture.word("z"), "held");
    let close = Command::Close("z".into(), "failed".to_owned());
    assert_eq!(
        refusal(&fixture, &close),
        None,
        "a conductor may close a failed task"
    );
    assert!(refusal(&fixture, &Command::Close("a".into(), "x".to_owned())).is_some());
    fixture.planned(draft("c", "kanban"));
    fixture.planned(acceptance("y", &["c"]));
    let two = fixture.ask(release(&["c", "y"])).unwrap_err();
    assert!(
        two.contains("two acceptances") && two.contains("dbs task close z"),
        "{two}"
    );
    fixture.ask(close).unwrap();
    fixture.ask(release(&["c", "y"])).unwrap();
}

#[test]
fn an_investigation_needs_no_acceptance_and_neither_does_a_batch_of_a_person() {
    let mut fixture = planning();
    fixture.planned(draft("i", "investigation"));
    fixture.ask(release(&["i"])).unwrap();
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "kanban"));
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn a_conductor_plans_in_batches_of_its_own_and_edits_what_waits_there() {
    let mut fixture = planning();
    let patch = TaskPatch {
        title: Some("Better".to_owned()),
        add_tags: ["security".to_owned()].into(),
        ..TaskPatch::default()
    };
    for command in [
        batch("next", true, Some("feature/next"), accepted()),
        batch("shop", false, None, accepted()),
        batch("shop", false, Some("feature/shop"), RunOptions::default()),
        Command::Create(draft("c", "kanban")),
        Command::Create(acceptance("z", &["a"])),
        Command::CreateAll(vec![draft("c", "kanban"), draft("d", "investigation")]),
        Command::Update("a".into(), patch.clone()),
        Command::AddDependency("b".into(), "a".into()),
        Command::Close("b".into(), "not needed".to_owned()),
        Command::Comment("elsewhere".into(), "seen".to_owned()),
    ] {
        assert_eq!(refusal(&fixture, &command), None, "{command:?}");
    }
    fixture.planned(acceptance("z", &["a", "b"]));
    fixture.ask(release(&["a"])).unwrap();
    for command in [
        Command::Update("a".into(), patch),
        Command::Close("a".into(), "mine".to_owned()),
        Command::RemoveDependency("a".into(), "b".into()),
        batch("shop", false, Some("main"), accepted()),
    ] {
        assert!(refusal(&fixture, &command).is_some(), "{command:?}");
    }
}

/// Returns commands reserved for people: they release, decide, or concern a batch of another planner.
fn of_persons(persons: TaskDraft) -> Vec<Command> {
    let not_accepted = RunOptions {
        acceptance: Some(false),
        ..RunOptions::default()
    };
    vec![
        release(&["a"]),
        Command::Retry {
            task: "a".into(),
            stage: None,
            note: None,
        },
        Command::Approve("a".into()),
        Command::Skip("a".into()),
        Command::Kill(AttemptId(1)),
        Command::Pause,
        Command::Create(TaskDraft {
            id: "q".into(),
            ..persons
        }),
        Command::Update("p".into(), TaskPatch::default()),
        Command::ReleaseBatch("shop".into()),
        Command::Clear,
        batch("next", true, None, accepted()),
        batch("next", true, Some("feature/next"), RunOptions::default()),
        batch("shop", false, Some(""), accepted()),
        batch("shop", false, None, not_accepted),
        batch("main", false, Some("feature/next"), accepted()),
        Command::PutBatch {
            id: "next".into(),
            title: "Next".to_owned(),
            goal: String::new(),
            base: Some("feature/next".to_owned()),
            options: accepted(),
        },
    ]
}

/// Returns commands that choose what is run, by which agent, or where a task begins.
fn choosing() -> Vec<Command> {
    let with = |change: fn(&mut TaskDraft)| {
        let mut draft = draft("c", "kanban");
        change(&mut draft);
        Command::Create(draft)
    };
    let patched = |patch| Command::Update("a".into(), patch);
    let model = || AgentSettings {
        model: Some("dear".to_owned()),
        ..AgentSettings::default()
    };
    vec![
        with(|draft| {
            draft.gates = vec![GateCommand {
                name: "x".to_owned(),
                command: "curl evil".to_owned(),
            }];
        }),
        with(|draft| draft.workflow = "conduct".into()),
        with(|draft| draft.stage = Some("merging".into())),
        with(|draft| draft.timeout = Some(Span::minutes(600))),
        Command::Create(TaskDraft {
            agent: Box::new(model()),
            ..draft("c", "kanban")
        }),
        patched(TaskPatch {
            stage: Some("merging".into()),
            ..TaskPatch::default()
        }),
        patched(TaskPatch {
            needs_approval: Some(false),
            ..TaskPatch::default()
        }),
        patched(TaskPatch {
            agent: Some(Box::new(model())),
            ..TaskPatch::default()
        }),
        patched(TaskPatch {
            gates: Some(Vec::new()),
            ..TaskPatch::default()
        }),
    ]
}

#[test]
fn a_conductor_chooses_nothing_that_runs_releases_or_allows_something() {
    let mut fixture = planning();
    let persons = TaskDraft {
        batch: "main".into(),
        ..draft("p", "kanban")
    };
    fixture.planned(persons.clone());
    for command in of_persons(persons).into_iter().chain(choosing()) {
        assert!(refusal(&fixture, &command).is_some(), "{command:?}");
    }
}

#[test]
fn what_a_conductor_plans_and_nobody_releases_has_a_bound() {
    let fixture = planning();
    let many = |count: usize| {
        let drafts = (0..count).map(|n| draft(&format!("t-{n}"), "kanban"));
        Command::CreateAll(drafts.collect())
    };
    assert_eq!(refusal(&fixture, &many(198)), None);
    assert!(
        refusal(&fixture, &many(199))
            .unwrap()
            .contains("let a person release")
    );
}

#[test]
fn a_conductor_takes_no_agents_place_and_a_second_one_waits() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("plan", "conduct"));
    assert_eq!(fixture.role(fixture.open("plan")), "conductor");
    fixture.released(draft("more", "conduct"));
    assert_eq!(fixture.word("more"), "released");
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    fixture.released(draft("plan", "conduct"));
    fixture.released(draft("a", "kanban"));
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn the_task_of_a_conductor_that_its_person_ends_is_closed_and_one_that_crashes_begins_again() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("plan", "conduct"));
    let first = fixture.open("plan");
    fixture.start(first);
    fixture.end_with(first, ProcessExit::Signal(9), None);
    assert_eq!(fixture.word("plan"), "released");
    fixture.wait_until_due();
    let second = fixture.open("plan");
    fixture.start(second);
    fixture.end(second);
    assert_eq!(fixture.word("plan"), "cancelled");
    assert_eq!(
        fixture.task("plan").failures.len(),
        1,
        "only the crash is counted"
    );
}
