//! Changes of a task after it was made: its gates, its limit, its approval, its workflow and its plan entry.

use std::sync::Arc;

use dbs::domain::task::GateCommand;
use dbs::domain::{
    AgentSettings, Command, EvidenceKind, PlanEntry, ProcessExit, Span, TaskDraft, TaskPatch, Tri,
};

use crate::fixture::{BoardFixture, draft};

fn update(patch: TaskPatch) -> Command {
    Command::Update("a".into(), patch)
}

fn gate(name: &str, command: &str) -> GateCommand {
    GateCommand {
        name: name.to_owned(),
        command: command.to_owned(),
    }
}

fn limited(timeout: Span) -> TaskPatch {
    TaskPatch {
        timeout: Some(timeout),
        ..TaskPatch::default()
    }
}

fn by_workflow(workflow: &str, stage: Option<&str>) -> TaskPatch {
    TaskPatch {
        workflow: Some(workflow.into()),
        stage: stage.map(Into::into),
        ..TaskPatch::default()
    }
}

#[test]
fn a_task_has_the_limit_it_was_given_and_then_that_of_its_stage_again() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    fixture.ask(update(limited(Span::minutes(2)))).unwrap();
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    let first = fixture.open("a");
    fixture.start(first);
    assert_eq!(
        fixture.board.next_deadline(),
        Some(fixture.now + Span::minutes(2))
    );
    fixture.ask(update(limited(Span::default()))).unwrap();
    assert_eq!(fixture.task("a").timeout, None);
    fixture.wait(Span::minutes(2));
    fixture.end_with(first, ProcessExit::Signal(15), None);
    fixture.settled(first);
    let second = fixture.open("a");
    fixture.start(second);
    assert_eq!(
        fixture.attempt(second).deadline,
        Some(fixture.now + Span::minutes(120)),
        "the stage's hour, doubled after a timeout"
    );
}

#[test]
fn gates_approval_and_what_a_plan_says_are_replaced_as_a_whole() {
    let mut fixture = BoardFixture::new();
    fixture.planned(TaskDraft {
        gates: vec![gate("test", "old")],
        ..draft("a", "phased")
    });
    let plan = Arc::new(PlanEntry {
        notes: Some("notes/new.md".to_owned()),
        ..PlanEntry::default()
    });
    let patch = TaskPatch {
        gates: Some(vec![gate("test", "new"), gate("lint", "true")]),
        needs_approval: Some(true),
        plan: Some(Arc::clone(&plan)),
        ..TaskPatch::default()
    };
    fixture.ask(update(patch)).unwrap();
    let task = fixture.task("a");
    assert_eq!(task.gates, [gate("test", "new"), gate("lint", "true")]);
    assert!(task.needs_approval);
    assert_eq!(task.plan.as_ref(), Some(&plan));
    let none = TaskPatch {
        gates: Some(Vec::new()),
        ..TaskPatch::default()
    };
    fixture.ask(update(none)).unwrap();
    assert!(fixture.task("a").gates.is_empty());
    assert!(
        fixture.task("a").needs_approval,
        "the patch does not mention the approval"
    );
}

#[test]
fn gates_without_a_command_of_one_name_or_too_many_are_refused() {
    let many: Vec<GateCommand> = (0..65).map(|n| gate(&n.to_string(), "true")).collect();
    let cases = [
        (vec![gate("", "true")], "the gate's name"),
        (vec![gate("a\nb", "true")], "several lines"),
        (vec![gate("a", " ")], "the gate's command"),
        (
            vec![gate("a", "true"), gate("a", "false")],
            "two gates are called a",
        ),
        (many, "at most 64 gates"),
    ];
    for (gates, part) in cases {
        let mut fixture = BoardFixture::new();
        fixture.planned(draft("a", "kanban"));
        let patch = TaskPatch {
            gates: Some(gates.clone()),
            ..TaskPatch::default()
        };
        let changed = fixture.ask(update(patch)).unwrap_err();
        assert!(changed.contains(part), "{changed}");
        let made = fixture.ask(Command::Create(TaskDraft {
            gates,
            ..draft("b", "kanban")
        }));
        assert!(made.unwrap_err().contains(part));
    }
}

#[test]
fn a_task_goes_on_by_another_workflow_when_nobody_is_at_work_on_it() {
    let mut fixture = BoardFixture::developing("a");
    let busy = fixture.ask(update(by_workflow("phased", None))).unwrap_err();
    assert!(busy.contains("an agent is at work on a"), "{busy}");
    let first = fixture.open("a");
    fixture.start(first);
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    fixture.end(first);
    let unknown = fixture.ask(update(by_workflow("nowhere", None))).unwrap_err();
    assert!(unknown.contains("there is no workflow nowhere"), "{unknown}");
    let no_stage = fixture.ask(update(by_workflow("phased", Some("development"))));
    assert!(no_stage.unwrap_err().contains("there is no stage development"));
    assert_eq!(
        fixture.task("a").workflow.as_str(),
        "kanban",
        "nothing was changed"
    );
    fixture.ask(update(by_workflow("phased", None))).unwrap();
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("work", "parked"));
    fixture
        .ask(update(by_workflow("kanban", Some("merging"))))
        .unwrap();
    assert_eq!(
        (fixture.stage("a"), fixture.task("a").workflow.as_str()),
        ("merging", "kanban")
    );
}

#[test]
fn new_gates_count_from_the_next_check_on() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "phased"));
    let first = fixture.open("a");
    fixture.start(first);
    let patch = TaskPatch {
        gates: Some(vec![gate("test", "true")]),
        ..TaskPatch::default()
    };
    fixture.ask(update(patch)).unwrap();
    fixture.say(first, dbs::domain::SignalKind::Done, "");
    fixture.end(first);
    assert!(fixture.asked_evidence(first).contains(&EvidenceKind::Gates));
    fixture.verify(
        first,
        &[(EvidenceKind::Gates, Tri::No("test: it failed".to_owned()))],
    );
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("work", "active"));
}

#[test]
fn the_next_agent_of_a_task_is_the_one_that_a_person_named_for_it() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    let agent = AgentSettings {
        agent: Some("codex".to_owned()),
        model: Some("small".to_owned()),
        effort: Some("high".to_owned()),
        ..AgentSettings::default()
    };
    let patch = TaskPatch {
        agent: Some(Box::new(agent)),
        ..TaskPatch::default()
    };
    fixture.ask(update(patch)).unwrap();
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    let choice = fixture.attempt(fixture.open("a")).choice.words();
    assert_eq!(choice, "codex (task), model small (task), effort high (task)");
    for odd in ["--yolo", "", "two words", "a\nb"] {
        let patch = TaskPatch {
            agent: Some(Box::new(AgentSettings {
                model: Some(odd.to_owned()),
                ..AgentSettings::default()
            })),
            ..TaskPatch::default()
        };
        let refused = fixture.ask(update(patch)).unwrap_err();
        assert!(refused.contains("is not a name of a model"), "{refused}");
    }
}
