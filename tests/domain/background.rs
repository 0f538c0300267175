//! Commands and subagents that run on after a turn of their agent: they count as work, and the wait for them has a limit.

use dbs::domain::{ActivityKind, AttemptId, AttemptState, Effect, SignalKind, Span, StopCause};

use crate::fixture::BoardFixture;

const WAIT: Span = Span::minutes(5);

/// Returns a board with one running agent.
fn running() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    (fixture, attempt)
}

fn leaves(what: &str) -> ActivityKind {
    ActivityKind::Background(what.to_owned())
}

/// Returns the text that the last step typed to the agent, if any.
fn told(fixture: &BoardFixture) -> Option<&str> {
    fixture.effects.iter().find_map(|effect| match effect {
        Effect::Tell(_, text) => Some(text.as_str()),
        _ => None,
    })
}

fn is_stopped(fixture: &BoardFixture, attempt: AttemptId) -> bool {
    fixture.attempt(attempt).state == AttemptState::Stopping(StopCause::Finished)
}

#[test]
fn an_agent_with_a_report_is_ended_when_nothing_of_it_runs_any_more() {
    let (mut fixture, attempt) = running();
    fixture.see(attempt, leaves("make docs"), "hook");
    fixture.say(attempt, SignalKind::Done, "built");
    fixture.wait(Span::minutes(2));
    assert!(!is_stopped(&fixture, attempt), "background work still runs");
    fixture.see(attempt, ActivityKind::Working, "hook");
    fixture.wait(Span::minutes(1));
    assert!(
        !is_stopped(&fixture, attempt),
        "the end of the background work woke the agent"
    );
    fixture.see(attempt, ActivityKind::Idle, "hook");
    assert!(!is_stopped(&fixture, attempt));
    fixture.wait(fixture.board.settings.linger);
    assert!(is_stopped(&fixture, attempt));
}

#[test]
fn what_is_left_running_after_a_report_is_named_and_ended_with_its_agent() {
    for is_left_first in [true, false] {
        let (mut fixture, attempt) = running();
        if is_left_first {
            fixture.see(attempt, leaves("a server"), "hook");
        }
        fixture.say(attempt, SignalKind::Done, "built");
        if !is_left_first {
            fixture.see(attempt, leaves("a server"), "hook");
        }
        fixture.wait(Span(WAIT.0 - 1_000));
        assert!(!is_stopped(&fixture, attempt));
        fixture.wait(Span::seconds(1));
        assert!(is_stopped(&fixture, attempt));
        let comments = &fixture.task("a").comments;
        assert!(comments.last().unwrap().text.contains("a server"), "{comments:?}");
        assert!(fixture.notice_kinds().contains(&"background"));
    }
}

#[test]
fn an_agent_without_a_report_is_told_once_to_report_although_something_runs() {
    let (mut fixture, attempt) = running();
    fixture.see(attempt, leaves("a server"), "hook");
    fixture.wait(Span(WAIT.0 - 1_000));
    assert_eq!(told(&fixture), None);
    fixture.wait(Span::seconds(1));
    let text = told(&fixture).unwrap();
    assert!(text.contains("a server") && text.contains("dbs signal"), "{text}");
    fixture.see(attempt, ActivityKind::Working, "hook");
    fixture.see(attempt, leaves("a server, make docs"), "hook");
    fixture.wait(WAIT);
    assert_eq!(told(&fixture), None);
    assert_eq!(fixture.attempt(attempt).state, AttemptState::Running);
    fixture.see(attempt, ActivityKind::Idle, "hook");
    fixture.see(attempt, leaves("another server"), "hook");
    fixture.wait(WAIT);
    assert!(told(&fixture).unwrap().contains("another server"));
}

#[test]
fn other_work_in_the_background_has_its_own_time() {
    let (mut fixture, attempt) = running();
    fixture.see(attempt, leaves("first part, second part"), "hook");
    fixture.wait(Span::minutes(4));
    fixture.see(attempt, leaves("second part"), "hook");
    fixture.wait(Span::minutes(4));
    assert_eq!(told(&fixture), None);
    fixture.wait(Span::minutes(1));
    assert!(told(&fixture).is_some());
}
