//! An agent that is seen to be unable to go on, at a usage limit or without a login: it is stopped, and its task is not to blame.

use dbs::domain::attempt::{AttemptState, StopCause};
use dbs::domain::batch::PauseReason;
use dbs::domain::{
    ActivityKind, AttemptId, Effect, Event, FailureClass, ProcessExit, SignalKind, Span, Timestamp, Verdict,
};

use crate::fixture::BoardFixture;

fn seen(fixture: &mut BoardFixture, attempt: AttemptId, doing: ActivityKind) {
    let source = "hook".to_owned();
    fixture.happen(Event::Observed {
        attempt,
        doing,
        source,
    });
}

fn working() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    (fixture, first)
}

fn logged_out() -> ActivityKind {
    ActivityKind::NotLoggedIn("Please run /login; run `claude` in a terminal".to_owned())
}

#[test]
fn a_usage_limit_that_is_seen_stops_the_attempt_and_its_task_goes_on_by_itself_when_the_limit_ends() {
    let (mut fixture, first) = working();
    let until = fixture.now + Span::minutes(90);
    let limit = ActivityKind::Limit {
        until: Some(until),
        why: "5-hour limit".to_owned(),
    };
    seen(&mut fixture, first, limit);
    assert!(matches!(&fixture.board.pause, Some(PauseReason::Quota { until: end, .. }) if *end == until));
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Quota)
    );
    // What its tool says while it is ended changes nothing of the cause.
    seen(&mut fixture, first, ActivityKind::Idle);
    fixture.end_with(first, ProcessExit::Signal(15), None);
    let state = &fixture.attempt(first).state;
    assert!(
        matches!(state, AttemptState::Settled(Verdict::Failed(FailureClass::Quota, why)) if why.text.contains("5-hour")),
        "{state:?}"
    );
    assert_eq!(fixture.task("a").spawns, 0);
    assert!(fixture.task("a").failures.is_empty(), "no try is used up");
    fixture.settled(first);
    assert_eq!(fixture.board.next_deadline(), Some(until));
    fixture.wait_until_due();
    assert_eq!(fixture.word("a"), "active");
    assert_ne!(fixture.open("a"), first);
}

#[test]
fn a_limit_without_a_time_lasts_a_quarter_of_an_hour_from_when_it_was_seen() {
    let (mut fixture, first) = working();
    let until = fixture.now + Span::minutes(15);
    let why = "limit".to_owned();
    seen(&mut fixture, first, ActivityKind::Limit { until: None, why });
    fixture.wait(Span::seconds(20));
    fixture.end(first);
    fixture.settled(first);
    assert_eq!(fixture.board.next_deadline(), Some(until));
}

#[test]
fn an_agent_without_a_login_is_stopped_and_said_at_once_with_its_words() {
    let (mut fixture, first) = working();
    seen(&mut fixture, first, logged_out());
    assert!(
        fixture
            .lines()
            .iter()
            .any(|line| line.contains("Please run /login"))
    );
    let stop = AttemptState::Stopping(StopCause::NotLoggedIn);
    assert_eq!(fixture.attempt(first).state, stop);
    fixture.end_with(first, ProcessExit::Signal(15), None);
    let state = &fixture.attempt(first).state;
    assert!(
        matches!(state, AttemptState::Settled(Verdict::Failed(FailureClass::Infra, why)) if why.text.contains("Please run /login")),
        "{state:?}"
    );
    assert_eq!(fixture.task("a").spawns, 0);
}

#[test]
fn what_an_agent_reported_before_it_could_not_go_on_counts() {
    let (mut fixture, first) = working();
    fixture.say(first, SignalKind::Done, "Worked.");
    seen(&mut fixture, first, logged_out());
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Running,
        "it ends by itself"
    );
    fixture.end(first);
    assert_eq!(fixture.attempt(first).state, AttemptState::Verifying);
}

#[test]
fn a_turn_that_failed_stops_nobody() {
    let (mut fixture, first) = working();
    let effects = fixture.happen(Event::Observed {
        attempt: first,
        doing: ActivityKind::Idle,
        source: "osc 7501".to_owned(),
    });
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Stop(..))));
}

#[test]
fn a_limit_is_never_taken_to_last_longer_than_eight_days_whatever_an_agent_says() {
    let (mut fixture, attempt) = working();
    let until = Some(Timestamp(u64::MAX));
    let why = "come back in the next century".to_owned();
    seen(&mut fixture, attempt, ActivityKind::Limit { until, why });
    let Some(PauseReason::Quota { until, .. }) = &fixture.board.pause else {
        panic!("not paused")
    };
    assert_eq!(until.since(fixture.now), Span::minutes(8 * 24 * 60));
    fixture.end_with(attempt, ProcessExit::Signal(15), None);
    fixture.settled(attempt);
    fixture.wait_until_due();
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn a_limit_whose_end_has_passed_as_it_is_read_rests_for_half_a_minute() {
    let (mut fixture, attempt) = working();
    let until = Some(Timestamp(fixture.now.0 - 1_000));
    let why = "it ended a second ago".to_owned();
    seen(&mut fixture, attempt, ActivityKind::Limit { until, why });
    let Some(PauseReason::Quota { until, .. }) = &fixture.board.pause else {
        panic!("not paused")
    };
    assert_eq!(until.since(fixture.now), Span::seconds(30));
}
