//! Last turn of an agent, in which it reports: the agent may end the turn, and is ended soon after it (K33).

use dbs::domain::{ActivityKind, AttemptId, AttemptState, Command, SignalKind, Span, StopCause};

use crate::fixture::BoardFixture;

/// Returns a board with one agent that reported while its tool said that it works.
fn reported() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.see(attempt, ActivityKind::Working, "hook");
    fixture.say(attempt, SignalKind::Done, "built");
    (fixture, attempt)
}

fn is_stopped(fixture: &BoardFixture, attempt: AttemptId) -> bool {
    fixture.attempt(attempt).state == AttemptState::Stopping(StopCause::Finished)
}

#[test]
fn an_agent_ends_the_turn_in_which_it_reports_and_is_ended_soon_after_it() {
    let (mut fixture, attempt) = reported();
    fixture.wait(Span::seconds(50));
    assert!(!is_stopped(&fixture, attempt), "the agent may finish its turn");
    fixture.see(attempt, ActivityKind::Idle, "hook");
    fixture.wait(Span::seconds(1));
    assert!(
        !is_stopped(&fixture, attempt),
        "last usage figures may still arrive"
    );
    fixture.wait(Span::seconds(1));
    assert!(is_stopped(&fixture, attempt));
}

#[test]
fn a_turn_that_does_not_end_is_ended_a_minute_after_the_report() {
    let (mut fixture, attempt) = reported();
    fixture.wait(Span::seconds(59));
    assert!(!is_stopped(&fixture, attempt));
    fixture.wait(Span::seconds(1));
    assert!(is_stopped(&fixture, attempt));
}

#[test]
fn an_agent_that_goes_on_after_the_end_of_a_turn_is_not_ended_in_the_middle_of_the_next() {
    let (mut fixture, attempt) = reported();
    fixture.see(attempt, ActivityKind::Idle, "hook");
    fixture.wait(Span::seconds(1));
    fixture.see(attempt, ActivityKind::Working, "hook");
    fixture.wait(Span::seconds(30));
    assert!(!is_stopped(&fixture, attempt));
    fixture.see(attempt, ActivityKind::Idle, "hook");
    fixture.wait(Span::seconds(2));
    assert!(is_stopped(&fixture, attempt));
}

#[test]
fn an_agent_whose_tool_reports_nothing_lingers_for_the_time_of_the_setting() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.say(attempt, SignalKind::Claim, "");
    fixture.say(attempt, SignalKind::Question, "which one?");
    fixture
        .ask(Command::Answer("a".into(), "the first".to_owned()))
        .unwrap();
    assert_eq!(fixture.attempt(attempt).activity.source, "answer");
    fixture.say(attempt, SignalKind::Done, "built");
    fixture.wait(Span(fixture.board.settings.linger.0 - 1));
    assert!(!is_stopped(&fixture, attempt));
    fixture.wait(Span(1));
    assert!(is_stopped(&fixture, attempt));
}
