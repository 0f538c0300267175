//! Agents that cannot go on, because of a usage limit or a missing login: they are stopped, and their task is not blamed.

use dbs::domain::attempt::{AttemptState, StopCause};
use dbs::domain::event::EndCause;
use dbs::domain::{
    ActivityKind, AttemptId, Command, Effect, Event, FailureClass, HoldReason, ProcessExit, SignalKind, Span,
    TaskState, Timestamp, UsageLimit, Verdict, WaitReason,
};

use crate::fixture::{BoardFixture, draft};

fn seen(fixture: &mut BoardFixture, attempt: AttemptId, doing: ActivityKind) {
    let source = "hook".to_owned();
    fixture.happen(Event::Observed {
        attempt,
        doing,
        source,
    });
}

/// Returns the only usage limit on the board.
fn limit(fixture: &BoardFixture) -> UsageLimit {
    assert_eq!(fixture.board.limits.len(), 1, "{:?}", fixture.board.limits);
    fixture.board.limits.values().next().unwrap().clone()
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
    let seen_limit = ActivityKind::Limit {
        until: Some(until),
        why: "5-hour limit".to_owned(),
    };
    seen(&mut fixture, first, seen_limit);
    assert_eq!(fixture.board.pause, None, "other tools continue");
    assert_eq!(limit(&fixture).until, until);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Quota)
    );
    // Activity that the tool shows while it is ended does not change the cause.
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
    let state = &fixture.task("a").state;
    let is_asked =
        matches!(state, TaskState::Held(HoldReason::Refused(why)) if why.contains("Please run /login"));
    assert!(is_asked, "the task must wait for a person: {state:?}");
}

#[test]
fn what_an_agent_reported_before_it_could_not_go_on_counts() {
    let (mut fixture, first) = working();
    fixture.say(first, SignalKind::Done, "Worked.");
    seen(&mut fixture, first, logged_out());
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Running,
        "the agent may end by itself"
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
    let until = limit(&fixture).until;
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
    let until = limit(&fixture).until;
    assert_eq!(until.since(fixture.now), Span::seconds(30));
}

#[test]
fn a_limit_of_one_tool_lets_other_tools_start_and_ends_early_when_a_person_resumes() {
    let (mut fixture, first) = working();
    let until = Some(fixture.now + Span::minutes(90));
    let why = "limit".to_owned();
    seen(&mut fixture, first, ActivityKind::Limit { until, why });
    fixture.end_with(first, ProcessExit::Signal(15), None);
    fixture.settled(first);
    let mut other = draft("b", "kanban");
    other.agent.agent = Some("codex".to_owned());
    fixture.released(other);
    assert_eq!(fixture.word("b"), "active");
    let account = "the command of developer".to_owned();
    assert_eq!(fixture.task("a").why_not, Some(WaitReason::UsageLimit(account)));
    fixture.ask(Command::Resume).unwrap();
    assert_eq!(fixture.word("a"), "active");
    assert!(fixture.board.limits.is_empty());
}

#[test]
fn a_tool_that_cannot_report_has_done_its_work_when_it_ends_well() {
    let reported = || Some(EndCause::Reported);
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Code(0), reported());
    assert_eq!(fixture.attempt(first).state, AttemptState::Verifying);
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Code(1), reported());
    let state = &fixture.attempt(first).state;
    assert!(
        matches!(
            state,
            AttemptState::Settled(Verdict::Failed(FailureClass::Crash, _))
        ),
        "{state:?}"
    );
}

#[test]
fn the_end_of_a_tool_that_cannot_report_judges_no_work_of_others() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let review = fixture.open("a");
    fixture.start(review);
    fixture.end_with(review, ProcessExit::Code(0), Some(EndCause::Reported));
    let state = &fixture.attempt(review).state;
    assert!(
        matches!(
            state,
            AttemptState::Settled(Verdict::Failed(FailureClass::Crash, _))
        ),
        "{state:?}"
    );
}
