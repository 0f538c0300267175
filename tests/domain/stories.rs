//! Stories that are tested first, as scenarios on a board: nothing heals itself, and a queue stops or goes on.

use std::sync::Arc;

use dbs::domain::{
    Command, Event, EvidenceKind, FailureClass, HoldReason, PlanEntry, SignalKind, StoryTests, TaskDraft,
    TaskState, Tri, Workflow,
};

use crate::fixture::{BoardFixture, draft, workflows};

fn story(id: &str, passes_over: bool) -> TaskDraft {
    TaskDraft {
        plan: Some(Arc::new(PlanEntry {
            tests: Some(StoryTests::default()),
            passes_over,
            ..PlanEntry::default()
        })),
        ..draft(id, "atdd")
    }
}

/// Lets the agent write tests of a story that do not meet what was asked of them.
fn fail(fixture: &mut BoardFixture, id: &str) {
    let attempt = fixture.open(id);
    fixture.start(attempt);
    fixture.say(attempt, SignalKind::Done, "");
    fixture.end(attempt);
    let early = (
        EvidenceKind::GateFails("tests".to_owned()),
        Tri::No("passes already".to_owned()),
    );
    fixture.verify(attempt, &[early]);
}

fn with(change: impl Fn(&mut Workflow)) -> BoardFixture {
    let mut fixture = BoardFixture::new();
    let mut flows = workflows();
    flows.iter_mut().for_each(change);
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture
}

#[test]
fn what_fails_is_held_at_once_and_a_person_may_retry_it() {
    let mut fixture = with(|_| {});
    fixture.released(story("a", false));
    fail(&mut fixture, "a");
    let held = TaskState::Held(HoldReason::Exhausted(FailureClass::Gate));
    assert_eq!(fixture.task("a").state, held);
    let stuck = &fixture.task("a").record.work.stuck;
    assert_eq!(stuck.len(), 1, "{stuck:?}");
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: None,
            note: None,
        })
        .unwrap();
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn with_healing_there_is_one_more_attempt_and_with_asking_a_person_decides() {
    let mut fixture = with(Workflow::heal);
    fixture.released(story("a", false));
    fail(&mut fixture, "a");
    assert_eq!(fixture.word("a"), "active");
    fail(&mut fixture, "a");
    assert_eq!(fixture.word("a"), "held");
    let mut fixture = with(Workflow::ask_about_first_runs);
    fixture.released(story("a", false));
    fail(&mut fixture, "a");
    assert!(
        fixture.task("a").state.awaits_approval(),
        "{:?}",
        fixture.task("a").state
    );
    fixture.ask(Command::Approve("a".into())).unwrap();
    assert_eq!(fixture.stage("a"), "implementation");
}

#[test]
fn a_story_behind_one_that_is_held_waits_unless_the_queue_goes_on() {
    for passes_over in [false, true] {
        let mut fixture = with(|_| {});
        fixture.released(story("a", passes_over));
        let mut next = story("b", passes_over);
        next.deps = ["a".into()].into();
        fixture.released(next);
        assert_eq!(
            fixture.word("b"),
            "released",
            "b waits while the first story is open"
        );
        fail(&mut fixture, "a");
        let wanted = if passes_over { "active" } else { "released" };
        assert_eq!(fixture.word("b"), wanted);
    }
}
