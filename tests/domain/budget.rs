//! Usage of agents is counted once, and budgets limit it.

use dbs::domain::batch::PauseReason;
use dbs::domain::{
    AttemptId, AttemptState, Budgets, Command, ContextFill, Cost, Event, HoldReason, Span, StopCause,
    TaskState, Timestamp, Tokens, Usage,
};

use crate::fixture::BoardFixture;

const DOLLAR: u64 = 1_000_000;

fn used(cents: u64) -> Usage {
    Usage {
        tokens: Tokens::default(),
        cost: Some(Cost(cents * DOLLAR / 100)),
    }
}

fn report(fixture: &mut BoardFixture, attempt: AttemptId, cents: u64) {
    fixture.happen(Event::UsageReported {
        attempt,
        usage: used(cents),
        context: None,
    });
}

/// Returns a board with one running agent and these budgets, in dollars.
fn running(task: Option<u64>, day: Option<u64>) -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let dollars = |dollars: Option<u64>| dollars.map(|dollars| Cost(dollars * DOLLAR));
    let mut settings = (*fixture.board.settings).clone();
    settings.budgets = Budgets {
        task: dollars(task),
        day: dollars(day),
    };
    fixture.happen(Event::configured(settings));
    let attempt = fixture.open("a");
    fixture.start(attempt);
    (fixture, attempt)
}

fn spent(fixture: &BoardFixture) -> Cost {
    fixture.board.tasks[&"a".into()].spent()
}

#[test]
fn totals_replace_each_other_and_one_that_came_late_changes_nothing() {
    let (mut fixture, attempt) = running(None, None);
    report(&mut fixture, attempt, 10);
    report(&mut fixture, attempt, 25);
    report(&mut fixture, attempt, 15);
    assert_eq!(spent(&fixture), Cost(DOLLAR / 4));
    let row = &fixture.board.attempts[&attempt];
    assert_eq!(row.usage.own().cost, Some(Cost(DOLLAR / 4)));
    fixture.happen(Event::UsageReported {
        attempt,
        usage: Usage::default(),
        context: Some(ContextFill {
            used: 50_000,
            window: Some(200_000),
            tool_calls: None,
        }),
    });
    let row = &fixture.board.attempts[&attempt];
    assert_eq!(row.usage.context.and_then(ContextFill::percent), Some(25));
    assert_eq!(
        row.usage.own().cost,
        Some(Cost(DOLLAR / 4)),
        "figures that are not reported are kept"
    );
}

#[test]
fn a_task_warns_once_and_its_agent_is_stopped_when_its_budget_is_used_up() {
    let (mut fixture, attempt) = running(Some(1), None);
    report(&mut fixture, attempt, 79);
    assert!(!fixture.notice_kinds().contains(&"budget"));
    report(&mut fixture, attempt, 80);
    assert!(fixture.notice_kinds().contains(&"budget"));
    report(&mut fixture, attempt, 99);
    assert!(
        !fixture.notice_kinds().contains(&"budget"),
        "the warning is given once"
    );
    report(&mut fixture, attempt, 101);
    let state = &fixture.board.attempts[&attempt].state;
    assert_eq!(*state, AttemptState::Stopping(StopCause::Budget));
    fixture.end(attempt);
    let held = TaskState::Held(HoldReason::Budget {
        spent: Cost(DOLLAR * 101 / 100),
        budget: Cost(DOLLAR),
    });
    assert_eq!(fixture.board.tasks[&"a".into()].state, held);
}

#[test]
fn a_person_who_retries_grants_a_task_its_budget_again() {
    let (mut fixture, attempt) = running(Some(1), None);
    report(&mut fixture, attempt, 150);
    fixture.end(attempt);
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: None,
            note: None,
        })
        .unwrap();
    let next = fixture.open("a");
    assert_ne!(next, attempt);
    fixture.start(next);
    report(&mut fixture, next, 60);
    assert_eq!(fixture.board.attempts[&next].state, AttemptState::Running);
    assert_eq!(
        spent(&fixture),
        Cost(DOLLAR * 210 / 100),
        "all costs stay counted"
    );
    report(&mut fixture, next, 100);
    let state = &fixture.board.attempts[&next].state;
    assert_eq!(*state, AttemptState::Stopping(StopCause::Budget));
}

#[test]
fn a_day_whose_budget_is_used_up_ends_with_the_day() {
    let (mut fixture, attempt) = running(None, Some(2));
    report(&mut fixture, attempt, 199);
    assert_eq!(fixture.board.pause, None);
    report(&mut fixture, attempt, 200);
    let Some(PauseReason::Quota { until, why }) = fixture.board.pause.clone() else {
        panic!("{:?}", fixture.board.pause);
    };
    let day = 24 * 60 * 60 * 1000;
    assert_eq!(until, Timestamp(fixture.now.0 / day * day + day));
    assert!(why.contains("$2.00") && why.contains("budget.day"), "{why}");
    let state = &fixture.board.attempts[&attempt].state;
    assert_eq!(*state, AttemptState::Stopping(StopCause::Quota));
    fixture.end(attempt);
    fixture.wait(Span(until.0 - fixture.now.0));
    assert_eq!(fixture.board.pause, None);
    let next = fixture.open("a");
    fixture.start(next);
    report(&mut fixture, next, 100);
    assert_eq!(fixture.board.pause, None, "costs of yesterday do not count");
}
