//! Agents whose turn is over and that neither report nor ask: a person is asked.

use dbs::domain::{
    ActivityKind, Ask, AskChannel, AskKind, AskReply, AttemptId, AttemptState, Command, Event, SignalKind,
    Span,
};

use crate::fixture::BoardFixture;

const WAIT: Span = Span::seconds(30);

/// Returns a board with one agent that its tool reports as idle.
fn idle() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.see(attempt, ActivityKind::Working, "title");
    fixture.see(attempt, ActivityKind::Idle, "title");
    (fixture, attempt)
}

fn open_asks(fixture: &BoardFixture, attempt: AttemptId) -> Vec<String> {
    let asks = fixture.attempt(attempt).asks.iter();
    asks.filter(|known| known.closed.is_none())
        .map(|known| known.ask.text.clone())
        .collect()
}

#[test]
fn a_person_is_asked_about_an_agent_that_stands_still_until_it_works_again() {
    let (mut fixture, attempt) = idle();
    fixture.wait(Span(WAIT.0 - 1));
    assert_eq!(open_asks(&fixture, attempt), Vec::<String>::new());
    fixture.wait(Span(1));
    let asks = open_asks(&fixture, attempt);
    assert!(
        asks.len() == 1 && asks[0].contains("has not reported"),
        "{asks:?}"
    );
    assert!(fixture.notice_kinds().contains(&"question"));
    fixture.wait(Span::minutes(5));
    assert_eq!(open_asks(&fixture, attempt).len(), 1, "once");
    fixture.see(attempt, ActivityKind::Working, "title");
    assert_eq!(open_asks(&fixture, attempt), Vec::<String>::new());
    assert_eq!(fixture.attempt(attempt).state, AttemptState::Running);
    fixture.see(attempt, ActivityKind::Idle, "title");
    fixture.wait(WAIT);
    assert_eq!(open_asks(&fixture, attempt).len(), 1);
}

#[test]
fn an_agent_that_has_reported_or_waits_for_an_answer_does_not_stand_still() {
    let (mut fixture, attempt) = idle();
    fixture.say(attempt, SignalKind::Question, "which one?");
    fixture.wait(Span::minutes(2));
    assert_eq!(open_asks(&fixture, attempt), ["which one?"]);
    let (mut fixture, attempt) = idle();
    fixture.say(attempt, SignalKind::Done, "built");
    fixture.wait(Span::minutes(2));
    assert_eq!(open_asks(&fixture, attempt), Vec::<String>::new());
    let (mut fixture, attempt) = idle();
    fixture.see(attempt, ActivityKind::Background("make".to_owned()), "title");
    fixture.wait(Span::minutes(2));
    assert_eq!(open_asks(&fixture, attempt), Vec::<String>::new());
}

#[test]
fn an_agent_whose_request_is_answered_after_its_turn_stands_still_from_then_on() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.happen(Event::AskOpened {
        attempt,
        ask: Ask {
            id: "k".into(),
            kind: AskKind::Permission,
            text: "Bash: make".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Request,
        },
        rule: None,
    });
    fixture.see(attempt, ActivityKind::Idle, "title");
    fixture.wait(Span::minutes(2));
    assert_eq!(open_asks(&fixture, attempt), ["Bash: make"]);
    let yes = Command::AnswerAsk {
        attempt,
        ask: "k".into(),
        reply: AskReply::Allow,
    };
    fixture.ask(yes).unwrap();
    fixture.wait(Span(WAIT.0 - 1));
    assert_eq!(fixture.attempt(attempt).asks.len(), 1);
    fixture.wait(Span(1));
    let last = fixture.attempt(attempt).asks.last().unwrap().ask.text.clone();
    assert!(last.contains("has not reported"), "{last}");
}

#[test]
fn an_agent_whose_tool_says_nothing_of_its_turns_is_not_asked_about() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.say(attempt, SignalKind::Claim, "");
    fixture.wait(Span::minutes(5));
    assert_eq!(open_asks(&fixture, attempt), Vec::<String>::new());
}

#[test]
fn an_agent_that_asks_something_else_does_not_stand_still() {
    let (mut fixture, attempt) = idle();
    fixture.wait(WAIT);
    fixture.see(
        attempt,
        ActivityKind::Dialog("trust this folder".to_owned()),
        "screen",
    );
    assert_eq!(open_asks(&fixture, attempt), ["trust this folder"]);
    let (mut fixture, attempt) = idle();
    fixture.wait(WAIT);
    fixture.happen(Event::AskOpened {
        attempt,
        ask: Ask {
            id: "toolu_1".into(),
            kind: AskKind::Permission,
            text: "Bash: make".to_owned(),
            options: Vec::new(),
            channel: AskChannel::Request,
        },
        rule: None,
    });
    assert_eq!(open_asks(&fixture, attempt), ["Bash: make"]);
}

#[test]
fn a_person_is_not_asked_again_about_an_agent_that_works_although_the_answer_is_reported_lost() {
    for (doing, still_asked) in [(ActivityKind::Working, 0), (ActivityKind::Idle, 1)] {
        let (mut fixture, attempt) = idle();
        fixture.wait(WAIT);
        let ask = fixture.attempt(attempt).asks[0].ask.id.clone();
        fixture
            .ask(Command::Answer("a".into(), "go on".to_owned()))
            .unwrap();
        fixture.see(attempt, doing, "title");
        let problem = "it stands in the line of its input".to_owned();
        fixture.happen(Event::AnswerLost {
            attempt,
            ask,
            problem,
        });
        assert_eq!(open_asks(&fixture, attempt).len(), still_asked);
    }
}
