//! Agents whose turn fails, as after an overload: they are told to go on after a wait. That costs no try, and after a limit a person is
//! asked.

use dbs::domain::{
    ActivityKind, AttemptId, AttemptState, Effect, Event, SignalKind, Span, Timestamp, Tokens, Usage,
};

use crate::fixture::BoardFixture;

/// Returns the wait after the first failure in the settings of these tests.
fn first_wait(fixture: &BoardFixture) -> Span {
    fixture.board.settings.infra_backoff
}

fn working() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    (fixture, first)
}

fn see(fixture: &mut BoardFixture, attempt: AttemptId, doing: ActivityKind) {
    fixture.happen(Event::Observed {
        attempt,
        doing,
        source: "hook".to_owned(),
    });
}

/// Lets the agent work and fail its turn.
fn fail(fixture: &mut BoardFixture, attempt: AttemptId) {
    see(fixture, attempt, ActivityKind::Working);
    see(
        fixture,
        attempt,
        ActivityKind::Failed("API Error: 529 Overloaded".to_owned()),
    );
}

/// Returns when the agent is told to go on.
fn goes_on_at(fixture: &BoardFixture, attempt: AttemptId) -> Option<Timestamp> {
    fixture.attempt(attempt).goes_on_at()
}

/// Waits until something is due; returns true if the agent is told to go on then.
fn is_told(fixture: &mut BoardFixture, attempt: AttemptId) -> bool {
    fixture.wait_until_due();
    let told =
        |effect: &Effect| matches!(effect, Effect::Tell(to, line) if *to == attempt && line.contains("529"));
    fixture.effects.iter().any(told)
}

fn writes(fixture: &mut BoardFixture, attempt: AttemptId, output: u64) {
    fixture.happen(Event::UsageReported {
        attempt,
        usage: Usage {
            tokens: Tokens {
                output,
                ..Tokens::default()
            },
            cost: None,
        },
        context: None,
    });
}

/// Fails until a person is asked; returns how often the agent was told to go on before.
fn fails_until_asked(fixture: &mut BoardFixture, attempt: AttemptId) -> usize {
    for told in 0..100 {
        fail(fixture, attempt);
        if goes_on_at(fixture, attempt).is_none() {
            return told;
        }
        assert!(is_told(fixture, attempt));
    }
    panic!("no person is asked after 100 failures");
}

fn asks(fixture: &BoardFixture, attempt: AttemptId) -> Vec<String> {
    let open = fixture.attempt(attempt).open_asks(fixture.now);
    open.map(|known| known.ask.text.clone()).collect()
}

#[test]
fn an_agent_whose_turn_failed_is_told_to_go_on_after_waits_that_grow_and_no_try_is_used_up() {
    let (mut fixture, first) = working();
    let wait = first_wait(&fixture);
    let deadline = fixture.attempt(first).deadline.unwrap();
    fail(&mut fixture, first);
    assert_eq!(goes_on_at(&fixture, first), Some(fixture.now + wait));
    assert_eq!(
        fixture.attempt(first).deadline,
        Some(deadline + wait),
        "the wait is added to the time limit"
    );
    assert!(fixture.lines().iter().any(|line| line.contains("529")));
    assert!(is_told(&mut fixture, first));
    fail(&mut fixture, first);
    assert_eq!(
        goes_on_at(&fixture, first),
        Some(fixture.now + wait.scaled(2, Span::minutes(5)))
    );
    assert!(is_told(&mut fixture, first));
    assert_eq!(fixture.attempt(first).state, AttemptState::Running);
    assert!(fixture.task("a").failures.is_empty());
    assert_eq!(fixture.task("a").troubles, 0);
}

#[test]
fn an_agent_that_goes_on_by_itself_is_told_nothing() {
    for doing in [ActivityKind::Working, ActivityKind::Idle] {
        let (mut fixture, first) = working();
        fail(&mut fixture, first);
        see(&mut fixture, first, doing);
        assert_eq!(goes_on_at(&fixture, first), None);
        assert!(!is_told(&mut fixture, first));
    }
}

#[test]
fn an_agent_of_which_nothing_is_seen_after_it_was_told_is_told_again() {
    let (mut fixture, first) = working();
    fail(&mut fixture, first);
    assert!(is_told(&mut fixture, first));
    assert!(is_told(&mut fixture, first));
}

#[test]
fn after_twelve_times_a_person_is_asked_and_their_answer_begins_the_row_anew() {
    let (mut fixture, first) = working();
    assert_eq!(fails_until_asked(&mut fixture, first), 12);
    let asked = asks(&fixture, first);
    assert!(asked.len() == 1 && asked[0].contains("529"), "{asked:?}");
    see(&mut fixture, first, ActivityKind::Working);
    assert_eq!(
        asks(&fixture, first),
        Vec::<String>::new(),
        "the ask is answered in the agent's terminal"
    );
    assert_eq!(fails_until_asked(&mut fixture, first), 12);
    assert_eq!(asks(&fixture, first).len(), 1);
}

#[test]
fn where_nothing_is_seen_of_an_agent_a_person_is_asked_in_the_end_too() {
    let (mut fixture, first) = working();
    fail(&mut fixture, first);
    let told = (0..100).take_while(|_| is_told(&mut fixture, first)).count();
    assert_eq!(told, 12);
    assert_eq!(asks(&fixture, first).len(), 1);
}

#[test]
fn what_its_model_wrote_and_what_it_reported_begin_the_row_anew() {
    let (mut fixture, first) = working();
    let wait = first_wait(&fixture);
    fail(&mut fixture, first);
    is_told(&mut fixture, first);
    writes(&mut fixture, first, 100);
    fail(&mut fixture, first);
    assert_eq!(goes_on_at(&fixture, first), Some(fixture.now + wait));
    is_told(&mut fixture, first);
    fixture.say(first, SignalKind::Progress, "half");
    fail(&mut fixture, first);
    assert_eq!(goes_on_at(&fixture, first), Some(fixture.now + wait));
    is_told(&mut fixture, first);
    fail(&mut fixture, first);
    assert_eq!(
        goes_on_at(&fixture, first),
        Some(fixture.now + wait.scaled(2, Span::minutes(5)))
    );
}

#[test]
fn an_agent_that_has_reported_its_end_or_is_stopped_is_not_told_to_go_on() {
    let (mut fixture, first) = working();
    fixture.say(first, SignalKind::Done, "Worked.");
    fail(&mut fixture, first);
    assert_eq!(goes_on_at(&fixture, first), None);
    let (mut fixture, first) = working();
    fail(&mut fixture, first);
    fixture.ask(dbs::domain::Command::Pause).unwrap();
    assert_eq!(goes_on_at(&fixture, first), None);
    assert!(!is_told(&mut fixture, first));
}

#[test]
fn the_wait_moves_with_the_clock() {
    let (mut fixture, first) = working();
    fail(&mut fixture, first);
    let before = goes_on_at(&fixture, first).unwrap();
    fixture.happen(Event::ClockJumped { by: 60_000 });
    assert_eq!(goes_on_at(&fixture, first), Some(before + Span(60_000)));
}
