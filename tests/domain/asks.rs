//! Asks of agents: each is answered once, by the first person who answers, and an answer never reaches another ask than the one read.

use dbs::domain::{
    ActivityKind, Ask, AskChannel, AskId, AskKind, AskRecord, AskReply, AttemptId, Command, Effect, Event,
    Inventory, PromptSources, SignalKind, Span,
};
use dbs::formats::prompt::PromptLibrary;
use proptest::prelude::*;

use crate::fixture::BoardFixture;

fn request(id: &str) -> Ask {
    Ask {
        id: id.into(),
        kind: AskKind::Permission,
        text: "Bash: make".to_owned(),
        options: Vec::new(),
        channel: AskChannel::Request,
    }
}

fn opened(attempt: AttemptId, ask: Ask) -> Event {
    Event::AskOpened {
        attempt,
        ask,
        rule: None,
    }
}

fn answer(attempt: AttemptId, ask: &str, reply: AskReply) -> Command {
    Command::AnswerAsk {
        attempt,
        ask: ask.into(),
        reply,
    }
}

/// Returns a board with one running agent.
fn running() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    (fixture, attempt)
}

fn seen(fixture: &mut BoardFixture, attempt: AttemptId, doing: ActivityKind) {
    fixture.happen(Event::Observed {
        attempt,
        doing,
        source: "osc 7501".to_owned(),
    });
}

#[test]
fn a_dialog_that_two_sources_name_in_their_own_words_is_one_ask() {
    let dialog = |text: &str| ActivityKind::Dialog(text.to_owned());
    let shown = || {
        let mut fixture = BoardFixture::developing("a");
        let attempt = fixture.open("a");
        fixture.start(attempt);
        fixture.see(attempt, dialog("Quick safety check"), "screen");
        (fixture, attempt)
    };
    let (mut fixture, attempt) = shown();
    fixture.wait(Span(200));
    seen(&mut fixture, attempt, dialog("trust this folder"));
    let asks = &fixture.attempt(attempt).asks;
    assert_eq!(asks.len(), 1);
    assert_eq!(asks[0].ask.text, "trust this folder");
    assert_eq!(
        fixture.notice_texts("dialog").len(),
        0,
        "the person was notified already"
    );
    // The next dialog is another ask, from the same source or at a later time.
    seen(&mut fixture, attempt, dialog("a new server"));
    assert_eq!(fixture.attempt(attempt).asks.len(), 2);
    let (mut fixture, attempt) = shown();
    fixture.wait(Span::seconds(3));
    seen(&mut fixture, attempt, dialog("a new server"));
    assert_eq!(fixture.attempt(attempt).asks.len(), 2);
}

/// Returns the ids of the asks that wait for a person.
fn waiting(fixture: &BoardFixture, attempt: AttemptId) -> Vec<AskId> {
    let attempt = &fixture.board.attempts[&attempt];
    attempt
        .open_asks(fixture.now)
        .map(|known| known.ask.id.clone())
        .collect()
}

#[test]
fn the_first_answer_counts_and_is_sent_once() {
    let (mut fixture, attempt) = running();
    fixture.happen(opened(attempt, request("k")));
    assert_eq!(waiting(&fixture, attempt), ["k".into()]);
    assert!(fixture.notice_kinds().contains(&"permission"));
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    assert!(fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
    assert!(waiting(&fixture, attempt).is_empty());
    let why = fixture
        .ask(answer(attempt, "k", AskReply::Deny(String::new())))
        .unwrap_err();
    assert!(why.contains("answered") && why.contains("already"), "{why}");
    assert!(!fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
}

#[test]
fn whoever_comes_back_for_a_reply_finds_the_one_that_was_given() {
    let (mut fixture, attempt) = running();
    fixture.happen(opened(attempt, request("k")));
    fixture.happen(opened(attempt, request("k")));
    assert_eq!(
        waiting(&fixture, attempt).len(),
        1,
        "an ask that is repeated stays one ask"
    );
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    fixture.happen(opened(attempt, request("k")));
    assert!(waiting(&fixture, attempt).is_empty());
    let given = fixture.board.attempts[&attempt].asks[0].answer.clone().unwrap();
    assert_eq!(given.reply, AskReply::Allow);
}

#[test]
fn an_answer_to_something_else_is_refused() {
    let (mut fixture, attempt) = running();
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    let first = waiting(&fixture, attempt);
    seen(&mut fixture, attempt, ActivityKind::Permission("rm".to_owned()));
    let second = waiting(&fixture, attempt);
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_ne!(first, second);
    let why = fixture
        .ask(answer(attempt, first[0].as_str(), AskReply::Allow))
        .unwrap_err();
    assert!(why.contains("something else"), "{why}");
    fixture
        .ask(answer(attempt, second[0].as_str(), AskReply::Allow))
        .unwrap();
}

#[test]
fn what_its_terminal_shows_and_its_tool_requests_is_one_ask() {
    for request_first in [true, false] {
        let (mut fixture, attempt) = running();
        let asks = ActivityKind::Permission("approve Bash: make".to_owned());
        if request_first {
            fixture.happen(opened(attempt, request("k")));
            seen(&mut fixture, attempt, asks);
        } else {
            seen(&mut fixture, attempt, asks);
            fixture.happen(opened(attempt, request("k")));
            assert!(
                !fixture.notice_kinds().contains(&"permission"),
                "the person was notified already"
            );
        }
        assert_eq!(waiting(&fixture, attempt), ["k".into()], "{request_first}");
    }
}

/// Moves the clock by `by` milliseconds.
fn set_clock(fixture: &mut BoardFixture, by: i64) {
    fixture.now = fixture.now.moved(by);
    fixture.happen(Event::ClockJumped { by });
}

#[test]
fn a_clock_that_is_set_back_hides_nothing_that_is_asked() {
    const HOUR: i64 = 3_600_000;
    let (mut fixture, attempt) = running();
    set_clock(&mut fixture, 9 * HOUR);
    fixture.happen(opened(attempt, request("k")));
    set_clock(&mut fixture, -HOUR);
    assert_eq!(
        fixture.attempt(attempt).asks[0].since,
        fixture.now,
        "the ask is as recent as before"
    );
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    set_clock(&mut fixture, -HOUR);
    assert_eq!(
        fixture.attempt(attempt).activity.since,
        fixture.now,
        "the activity is as recent as before"
    );
    fixture.happen(Event::AskWithdrawn {
        attempt,
        ask: "k".into(),
    });
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert!(
        waiting(&fixture, attempt).is_empty(),
        "the permission was answered in the terminal"
    );

    seen(&mut fixture, attempt, ActivityKind::Permission("rm".to_owned()));
    let ask = waiting(&fixture, attempt).remove(0);
    fixture
        .ask(answer(attempt, ask.as_str(), AskReply::Allow))
        .unwrap();
    set_clock(&mut fixture, HOUR);
    assert_eq!(
        waiting(&fixture, attempt),
        [],
        "the terminal slept with the machine"
    );
    let asked = fixture.attempt(attempt).asks.last().unwrap().since;
    assert_eq!(asked.moved(HOUR), fixture.now, "the ask waited through the sleep");
    set_clock(&mut fixture, -HOUR);
    fixture.wait(Span::seconds(10));
    assert_eq!(waiting(&fixture, attempt), [ask], "the typed keys had no effect");
}

#[test]
fn a_request_waits_for_its_answer_while_its_agent_goes_on_and_ends_its_turn() {
    let (mut fixture, attempt) = running();
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    fixture.wait(Span::seconds(1));
    fixture.happen(opened(attempt, request("k")));
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert_eq!(
        waiting(&fixture, attempt),
        ["k".into()],
        "the request waits while the model goes on"
    );
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    seen(&mut fixture, attempt, ActivityKind::Idle);
    assert_eq!(
        waiting(&fixture, attempt),
        ["k".into()],
        "the request waits after the end of the turn"
    );
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    assert!(fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
}

#[test]
fn the_answer_to_one_request_leaves_the_other_open() {
    let (mut fixture, attempt) = running();
    for id in ["k", "l"] {
        fixture.happen(opened(attempt, request(id)));
        seen(
            &mut fixture,
            attempt,
            ActivityKind::Permission(format!("make {id}")),
        );
    }
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert_eq!(waiting(&fixture, attempt), ["l".into()]);
    assert!(fixture.board.attempts[&attempt].asks[0].closed.is_some());
}

#[test]
fn asks_that_were_answered_are_over_with_the_next_work_though_nothing_was_shown() {
    let (mut fixture, attempt) = running();
    for number in 0..40 {
        let id = format!("k{number}");
        fixture.happen(opened(attempt, request(&id)));
        fixture.ask(answer(attempt, &id, AskReply::Allow)).unwrap();
        seen(&mut fixture, attempt, ActivityKind::Idle);
        seen(&mut fixture, attempt, ActivityKind::Working);
    }
}

#[test]
fn an_agent_that_goes_on_or_ends_asks_no_more() {
    let (mut fixture, attempt) = running();
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert!(
        waiting(&fixture, attempt).is_empty(),
        "the permission was answered in the terminal"
    );
    fixture.happen(opened(attempt, request("l")));
    fixture.happen(Event::AskWithdrawn {
        attempt,
        ask: "l".into(),
    });
    assert!(waiting(&fixture, attempt).is_empty(), "the request was withdrawn");
    fixture.happen(opened(attempt, request("m")));
    fixture.end(attempt);
    assert!(waiting(&fixture, attempt).is_empty(), "the process has ended");
    fixture.happen(opened(attempt, request("n")));
    assert!(
        fixture.board.attempts[&attempt]
            .asks
            .iter()
            .all(|known| known.ask.id != "n".into())
    );
}

#[test]
fn keys_that_were_lost_can_be_pressed_again_after_a_while() {
    let (mut fixture, attempt) = running();
    seen(&mut fixture, attempt, ActivityKind::Permission("make".to_owned()));
    let ask = waiting(&fixture, attempt).remove(0);
    let yes = || answer(attempt, ask.as_str(), AskReply::Allow);
    fixture.ask(yes()).unwrap();
    assert!(fixture.ask(yes()).is_err());
    fixture.wait(Span::seconds(10));
    assert_eq!(waiting(&fixture, attempt), std::slice::from_ref(&ask));
    fixture.ask(yes()).unwrap();
}

#[test]
fn a_rule_of_the_settings_answers_at_once_and_is_in_the_log() {
    let (mut fixture, attempt) = running();
    fixture.happen(Event::AskOpened {
        attempt,
        ask: request("k"),
        rule: Some(("roles.developer.permissions".to_owned(), AskReply::Allow)),
    });
    assert!(waiting(&fixture, attempt).is_empty());
    assert!(fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
    let kinds = fixture.notice_kinds();
    assert!(
        kinds.contains(&"answer") && !kinds.contains(&"permission"),
        "{kinds:?}"
    );
    fixture.happen(Event::Observed {
        attempt,
        doing: ActivityKind::Permission("Bash: make".to_owned()),
        source: "hook".to_owned(),
    });
    let kinds = fixture.notice_kinds();
    assert!(!kinds.contains(&"permission"), "{kinds:?}");
    assert!(waiting(&fixture, attempt).is_empty());
    let answer = fixture.board.attempts[&attempt].asks[0].answer.clone().unwrap();
    assert_eq!(answer.by, "roles.developer.permissions");
}

#[test]
fn a_question_takes_one_of_its_options_or_words() {
    let (mut fixture, attempt) = running();
    let ask = Ask {
        kind: AskKind::Question,
        options: vec!["SQLite".to_owned(), "Postgres".to_owned()],
        ..request("k")
    };
    let given = |words: &str| AskReply::from_words(&ask, words);
    assert_eq!(
        (given("2"), given("sqlite")),
        (Some(AskReply::Choose(1)), Some(AskReply::Choose(0)))
    );
    assert_eq!(given("neither"), Some(AskReply::Text("neither".to_owned())));
    assert_eq!((given("3"), given(" ")), (None, None), "there is no third option");
    fixture.happen(opened(attempt, ask));
    assert!(fixture.ask(answer(attempt, "k", AskReply::Allow)).is_err());
    assert!(fixture.ask(answer(attempt, "k", AskReply::Choose(2))).is_err());
    fixture.ask(Command::Answer("a".into(), "2".to_owned())).unwrap();
    let given = fixture.board.attempts[&attempt].asks[0].answer.clone().unwrap();
    assert_eq!(given.reply, AskReply::Choose(1));
    assert!(fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
}

#[test]
fn a_dialog_is_shown_and_only_its_terminal_answers_it() {
    let (mut fixture, attempt) = running();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Dialog("trust this folder".to_owned()),
    );
    let ask = waiting(&fixture, attempt).remove(0);
    let why = fixture
        .ask(answer(attempt, ask.as_str(), AskReply::Allow))
        .unwrap_err();
    assert!(why.contains("in its terminal"), "{why}");
}

#[test]
fn an_error_that_a_tool_reports_needs_somebody_until_it_goes_on_and_is_not_the_end_of_a_turn() {
    let (mut fixture, attempt) = running();
    let error = || ActivityKind::Error("API Error: 400".to_owned());
    seen(&mut fixture, attempt, error());
    assert_eq!(waiting(&fixture, attempt).len(), 1);
    let known = fixture.board.attempts[&attempt].asks.last().unwrap().ask.clone();
    assert_eq!(known.text, "reports an error: API Error: 400");
    assert!(
        fixture
            .lines()
            .iter()
            .any(|line| line.contains("reports an error: API Error: 400"))
    );
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert_eq!(waiting(&fixture, attempt), []);
    fixture.say(attempt, SignalKind::Done, "finished");
    seen(&mut fixture, attempt, error());
    assert_eq!(
        waiting(&fixture, attempt),
        [],
        "the agent has already reported its result"
    );
}

#[test]
fn what_was_asked_in_words_waits_until_it_is_answered() {
    let (mut fixture, attempt) = running();
    fixture.say(attempt, SignalKind::Question, "tabs or spaces?");
    seen(&mut fixture, attempt, ActivityKind::Working);
    assert_eq!(waiting(&fixture, attempt).len(), 1);
    fixture
        .ask(Command::Answer("a".into(), "spaces".to_owned()))
        .unwrap();
    assert!(waiting(&fixture, attempt).is_empty());
}

#[test]
fn the_time_limit_of_an_agent_stands_still_while_it_waits_for_a_person() {
    let (mut fixture, attempt) = running();
    fixture.wait(Span::seconds(600));
    fixture.happen(opened(attempt, request("k")));
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Permission("Bash: make".to_owned()),
    );
    for _ in 0..10 {
        fixture.wait(Span::seconds(3000));
        assert!(fixture.is_running(attempt), "the agent waits for a person");
    }
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    let left = fixture.now + Span::seconds(3000);
    assert_eq!(fixture.board.next_deadline(), Some(left));
    seen(&mut fixture, attempt, ActivityKind::Working);
    fixture.wait(Span::seconds(3000));
    assert!(!fixture.is_running(attempt), "the agent's own time is over");
}

#[test]
fn an_agent_that_works_on_after_its_question_has_its_usual_time() {
    let (mut fixture, attempt) = running();
    fixture.say(attempt, SignalKind::Question, "tabs or spaces?");
    seen(&mut fixture, attempt, ActivityKind::Working);
    fixture.wait(Span::seconds(3600));
    assert!(!fixture.is_running(attempt));
}

#[test]
fn an_agent_that_reported_its_end_is_not_left_because_of_what_it_asked() {
    let (mut fixture, attempt) = running();
    fixture.happen(opened(attempt, request("k")));
    fixture.wait(Span::seconds(1800));
    fixture.say(attempt, SignalKind::Done, "");
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    fixture.wait(Span::seconds(60));
    assert!(!fixture.is_running(attempt));
}

#[test]
fn an_answer_that_did_not_arrive_is_said_and_asked_again() {
    let (mut fixture, attempt) = running();
    fixture.happen(opened(attempt, request("k")));
    fixture.ask(answer(attempt, "k", AskReply::Allow)).unwrap();
    fixture.happen(Event::AnswerLost {
        attempt,
        ask: "k".into(),
        problem: "its terminal is not here".to_owned(),
    });
    assert!(
        fixture
            .lines()
            .iter()
            .any(|text| text.contains("did not get the answer"))
    );
    assert_eq!(waiting(&fixture, attempt), ["k".into()]);
}

#[test]
fn an_answer_that_did_not_arrive_is_said_although_the_agent_asks_something_else_by_now() {
    let (mut fixture, attempt) = running();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Permission("Bash: make".to_owned()),
    );
    let ask = waiting(&fixture, attempt).remove(0);
    fixture
        .ask(answer(attempt, ask.as_str(), AskReply::Allow))
        .unwrap();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Dialog("Use the key?".to_owned()),
    );
    let next = waiting(&fixture, attempt);
    fixture.happen(Event::AnswerLost {
        attempt,
        ask,
        problem: "it asks something else by now".to_owned(),
    });
    let said = fixture.lines();
    assert!(
        said.iter().any(|text| text.contains("did not get the answer")),
        "{said:?}"
    );
    assert_eq!(waiting(&fixture, attempt), next);
}

#[test]
fn a_flood_of_asks_is_bounded() {
    let (mut fixture, attempt) = running();
    for number in 0..200 {
        let ask = Ask {
            text: "x".repeat(20_000),
            options: vec!["y".repeat(20_000); 100],
            ..request(&number.to_string())
        };
        fixture.happen(opened(attempt, ask));
    }
    let asks = &fixture.board.attempts[&attempt].asks;
    assert_eq!(asks.len(), 16);
    let longest = asks.iter().map(|known| known.ask.text.len()).max();
    assert_eq!(longest, Some(8 * 1024));
    for number in 0..200 {
        seen(
            &mut fixture,
            attempt,
            ActivityKind::Permission(number.to_string()),
        );
        seen(&mut fixture, attempt, ActivityKind::Working);
    }
    assert!(fixture.board.attempts[&attempt].asks.len() <= 33);
}

#[test]
fn an_answer_in_words_is_over_once_it_was_typed_and_asked_again_when_nobody_knows_whether_it_was() {
    let (mut fixture, attempt) = running();
    let answer = || Command::Answer("a".into(), "spaces".to_owned());
    fixture.say(attempt, SignalKind::Question, "tabs or spaces?");
    let ask = waiting(&fixture, attempt).remove(0);
    fixture.ask(answer()).unwrap();
    assert!(fixture.effects.contains(&Effect::Answer(attempt, ask.clone())));
    let mut inventory = Inventory::default();
    inventory.running.insert(attempt);
    fixture.happen(Event::Woke(inventory.clone()));
    assert_eq!(
        waiting(&fixture, attempt),
        std::slice::from_ref(&ask),
        "the answer may not have been typed"
    );
    let told = fixture.lines();
    assert!(
        told.iter().any(|text| text.contains("look at its terminal")),
        "{told:?}"
    );
    fixture.ask(answer()).unwrap();
    let ask_typed = ask.clone();
    fixture.happen(Event::AnswerTyped {
        attempt,
        ask: ask_typed,
    });
    fixture.happen(Event::Woke(inventory));
    assert!(waiting(&fixture, attempt).is_empty());
    assert!(
        fixture
            .ask(self::answer(attempt, ask.as_str(), AskReply::Allow))
            .is_err()
    );
}

/// Returns the effects of the last event that type or deliver something.
fn sent(fixture: &BoardFixture) -> Vec<&Effect> {
    let effects = fixture.effects.iter();
    effects
        .filter(|effect| matches!(effect, Effect::Tell(..) | Effect::Answer(..)))
        .collect()
}

fn words(text: &str) -> Command {
    Command::Answer("a".into(), text.to_owned())
}

#[test]
fn a_text_is_no_answer_to_a_permission_whatever_else_was_asked() {
    for on_screen in [true, false] {
        for asks_in_words in [true, false] {
            let (mut fixture, attempt) = running();
            if asks_in_words {
                fixture.say(attempt, SignalKind::Question, "tabs or spaces?");
            }
            if on_screen {
                seen(
                    &mut fixture,
                    attempt,
                    ActivityKind::Permission("rm -rf build".to_owned()),
                );
            } else {
                fixture.happen(opened(attempt, request("k")));
            }
            for text in ["no, never", "yes", "1", "4. No"] {
                let why = fixture.ask(words(text)).unwrap_err();
                assert!(
                    why.contains("`dbs approve a`") && why.contains("`dbs reject a WHY`"),
                    "{why}"
                );
                assert!(sent(&fixture).is_empty(), "{text} {:?}", fixture.effects);
            }
        }
    }
}

#[test]
fn a_question_in_words_is_not_answered_into_a_menu_that_stands_before_it() {
    let (mut fixture, attempt) = running();
    fixture.say(attempt, SignalKind::Question, "tabs or spaces?");
    let asked = waiting(&fixture, attempt).remove(0);
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Permission("rm -rf build".to_owned()),
    );
    let tabs = || answer(attempt, asked.as_str(), AskReply::Text("tabs".to_owned()));
    assert!(fixture.ask(tabs()).is_err());
    assert!(sent(&fixture).is_empty(), "{:?}", fixture.effects);
    let permission = waiting(&fixture, attempt).pop().unwrap();
    fixture
        .ask(answer(attempt, permission.as_str(), AskReply::Allow))
        .unwrap();
    assert!(
        fixture.ask(tabs()).is_err(),
        "the menu may still be on the screen"
    );
    assert!(fixture.ask(words("tabs")).is_err());
    seen(&mut fixture, attempt, ActivityKind::Working);
    fixture.ask(words("tabs")).unwrap();
    assert_eq!(sent(&fixture), [&Effect::Answer(attempt, asked)]);
}

#[test]
fn a_dialog_takes_an_entry_that_its_screen_shows_and_no_other_words() {
    let (mut fixture, attempt) = running();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Dialog("trust this folder".to_owned()),
    );
    let why = fixture.ask(words("yes")).unwrap_err();
    assert!(why.contains("in its terminal"), "{why}");
    let options = ["No, exit", "Yes, I trust this folder"]
        .map(str::to_owned)
        .to_vec();
    fixture.happen(Event::MenuSeen { attempt, options });
    for text in ["3", "ok", "y", "I trust it", "no, never"] {
        let why = fixture.ask(words(text)).unwrap_err();
        assert!(why.contains("1 No, exit; 2 Yes, I trust this folder"), "{why}");
        assert!(sent(&fixture).is_empty(), "{text}");
    }
    fixture.ask(words("yes")).unwrap();
    let ask = fixture.board.attempts[&attempt].asks[0].clone();
    assert_eq!(ask.given().map(|given| &given.reply), Some(&AskReply::Choose(1)));
    assert_eq!(sent(&fixture), [&Effect::Answer(attempt, ask.ask.id)]);
    assert!(
        fixture
            .lines()
            .iter()
            .any(|line| line.contains("chose Yes, I trust this folder")),
        "{:?}",
        fixture.lines()
    );
}

#[test]
fn an_error_that_a_tool_reports_is_no_menu_and_takes_a_text() {
    let (mut fixture, attempt) = running();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Error("API Error: 400".to_owned()),
    );
    fixture.ask(words("go on")).unwrap();
    assert_eq!(sent(&fixture), [&Effect::Tell(attempt, "go on".to_owned())]);
    assert_eq!(waiting(&fixture, attempt), []);
}

#[test]
fn a_text_for_an_agent_is_in_the_log_and_so_is_that_it_was_not_typed() {
    let (mut fixture, attempt) = running();
    seen(&mut fixture, attempt, ActivityKind::Working);
    fixture.ask(words("use the copy")).unwrap();
    assert!(fixture.notice_kinds().contains(&"answer"));
    fixture.happen(Event::TextLost {
        attempt,
        text: "use the copy".to_owned(),
        problem: "its screen shows a menu".to_owned(),
    });
    let told = fixture.lines();
    assert!(
        told.iter()
            .any(|line| line.contains("did not get the text \"use the copy\"")),
        "{told:?}"
    );
    assert!(fixture.comments("a").contains("its screen shows a menu"));
}

fn any_ask() -> impl Strategy<Value = Ask> {
    let kind = prop::sample::select(
        &[
            AskKind::Permission,
            AskKind::Question,
            AskKind::Plan,
            AskKind::Dialog,
        ][..],
    );
    let channel = prop::sample::select(
        &[
            AskChannel::Keys,
            AskChannel::Request,
            AskChannel::Line,
            AskChannel::Terminal,
        ][..],
    );
    let label = prop::sample::select(
        &[
            "Yes",
            "No",
            "Yes, and always",
            "No, exit",
            "1",
            "2",
            "Type something.",
            "SQLite",
        ][..],
    );
    let options = prop::collection::vec(label.prop_map(str::to_owned), 0..5);
    (kind, channel, options).prop_map(|(kind, channel, options)| Ask {
        kind,
        channel,
        options,
        ..request("k")
    })
}

fn any_words() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,2}\\.?",
        prop::sample::select(
            &[
                "yes",
                "No",
                "no, never",
                "sqlite",
                "Yes, and always",
                "type",
                "exit"
            ][..]
        )
        .prop_map(str::to_owned),
        "[a-zA-Z0-9 ,.]{1,12}",
    ]
}

proptest! {
    #[test]
    fn no_words_of_a_person_choose_what_they_do_not_name(asks in prop::collection::vec(any_ask(), 0..4), text in any_words()) {
        let (mut fixture, attempt) = running();
        for (number, ask) in (0..).zip(asks) {
            let ask = Ask { id: AskId::new(format!("k{number}")), ..ask };
            fixture.happen(opened(attempt, ask));
        }
        let Ok(_) = fixture.ask(words(&text)) else {
            prop_assert!(sent(&fixture).is_empty());
            return Ok(());
        };
        let row = fixture.attempt(attempt);
        let answered = row.asks.iter().find_map(|known| Some((&known.ask, &known.given()?.reply)));
        let is_in_the_way = |known: &AskRecord| {
            known.ask.channel != AskChannel::Line && known.closed.is_none() && known.answer.is_none()
        };
        let in_the_way = row.asks.iter().any(is_in_the_way);
        match answered {
            Some((ask, AskReply::Choose(at))) => {
                let (text, label) = (text.trim().to_lowercase(), ask.options[*at].to_lowercase());
                let number = text.trim_end_matches('.').parse::<usize>().ok();
                prop_assert!(number == Some(at + 1) || label.starts_with(&text), "{text:?} chose {label:?}");
            }
            Some((ask, AskReply::Text(_))) => {
                let is_typed = matches!(ask.channel, AskChannel::Line | AskChannel::Keys);
                prop_assert!(ask.kind == AskKind::Question && !(is_typed && in_the_way), "{ask:?}");
            }
            Some((ask, reply)) => prop_assert!(false, "{reply:?} was made of {text:?} for {ask:?}"),
            None => prop_assert!(!in_the_way, "{:?}", row.asks),
        }
    }
}

#[test]
fn the_next_agent_is_told_the_question_that_blocked_a_task_and_its_answer() {
    let (mut fixture, attempt) = running();
    fixture.say(attempt, SignalKind::Block, "CSV or JSON?");
    fixture.end(attempt);
    fixture.happen(Event::WorkspaceSettled {
        attempt,
        problem: None,
        kept: None,
        files: Vec::new(),
    });
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: None,
            note: Some("JSON, as the other exports".to_owned()),
        })
        .unwrap();
    let next = fixture.open("a");
    let (board, task) = (&fixture.board, &fixture.board.tasks[&"a".into()]);
    let sources = PromptSources {
        tasks: &board.tasks,
        attempts: &board.attempts,
        workflows: &board.workflows,
        settings: &board.settings,
        base: board.base_of(task),
        options: board.options_of(&task.id),
    };
    let facts = sources.facts(task, Some(&board.attempts[&next]), None).unwrap();
    let prompt = PromptLibrary::read(&[]).unwrap().render(&facts, "dbs").unwrap();
    for part in [
        "The question was: CSV or JSON?",
        "ada answers: JSON, as the other exports",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

/// Returns two questions in one ask, which can only be answered in the agent's terminal.
fn two_questions(id: &str) -> Ask {
    Ask {
        kind: AskKind::Question,
        text: "Which database? Which port?".to_owned(),
        channel: AskChannel::Terminal,
        ..request(id)
    }
}

#[test]
fn a_part_of_what_a_request_asks_is_no_other_ask() {
    let first = || ActivityKind::Question("Which database?".to_owned());
    for is_seen_first in [true, false] {
        let (mut fixture, attempt) = running();
        if is_seen_first {
            seen(&mut fixture, attempt, first());
        }
        fixture.happen(opened(attempt, two_questions("k")));
        for doing in [first(), ActivityKind::Permission(String::new()), first()] {
            seen(&mut fixture, attempt, doing);
            assert_eq!(waiting(&fixture, attempt), ["k".into()]);
        }
        let words = Command::Answer("a".into(), "Postgres".to_owned());
        let why = fixture.ask(words).unwrap_err();
        assert!(why.contains("in its terminal"), "{why}");
        seen(&mut fixture, attempt, ActivityKind::Working);
        assert!(waiting(&fixture, attempt).is_empty());
    }
}

#[test]
fn what_is_asked_without_a_text_later_is_the_same_ask() {
    let (mut fixture, attempt) = running();
    seen(
        &mut fixture,
        attempt,
        ActivityKind::Permission("Bash: make".to_owned()),
    );
    let before = waiting(&fixture, attempt);
    seen(&mut fixture, attempt, ActivityKind::Permission(String::new()));
    assert_eq!(waiting(&fixture, attempt), before);
}

#[test]
fn a_question_is_declined_and_a_dialog_is_not() {
    let no = || AskReply::Deny("decide yourself".to_owned());
    for channel in [AskChannel::Request, AskChannel::Terminal] {
        let (mut fixture, attempt) = running();
        fixture.happen(opened(
            attempt,
            Ask {
                channel,
                ..two_questions("k")
            },
        ));
        fixture.ask(answer(attempt, "k", no())).unwrap();
        assert!(fixture.effects.contains(&Effect::Answer(attempt, "k".into())));
    }
    for (doing, is_declined) in [
        (ActivityKind::Question("Which port?".to_owned()), true),
        (ActivityKind::Dialog("trust this folder".to_owned()), false),
    ] {
        let (mut fixture, attempt) = running();
        seen(&mut fixture, attempt, doing);
        let ask = waiting(&fixture, attempt).remove(0);
        let declined = fixture.ask(answer(attempt, ask.as_str(), no()));
        assert_eq!(declined.is_ok(), is_declined, "{declined:?}");
    }
}

#[test]
fn a_person_is_asked_what_follows_when_a_turn_ends_at_a_no_without_words() {
    for (why, is_lost, is_asked) in [
        ("", false, true),
        ("use make", false, false),
        ("use make", true, true),
    ] {
        let (mut fixture, attempt) = running();
        seen(
            &mut fixture,
            attempt,
            ActivityKind::Permission("Bash: ninja".to_owned()),
        );
        let ask = waiting(&fixture, attempt).remove(0);
        fixture
            .ask(answer(attempt, ask.as_str(), AskReply::Deny(why.to_owned())))
            .unwrap();
        if is_lost {
            let problem = "it shows a menu".to_owned();
            fixture.happen(Event::AnswerLost {
                attempt,
                ask,
                problem,
            });
        }
        for _ in 0..2 {
            seen(&mut fixture, attempt, ActivityKind::Idle);
            let asks = &fixture.attempt(attempt).asks;
            let question = asks
                .iter()
                .filter(|known| known.ask.text.contains("Bash: ninja; what should it do?"));
            assert_eq!(question.count(), usize::from(is_asked), "{asks:?}");
            seen(&mut fixture, attempt, ActivityKind::Working);
        }
    }
}

#[test]
fn a_suspended_program_is_continued_by_the_answer_and_its_time_limit_stands_still() {
    for with_request in [false, true] {
        let (mut fixture, attempt) = running();
        if with_request {
            fixture.happen(opened(attempt, request("k")));
        }
        seen(&mut fixture, attempt, ActivityKind::Suspended);
        let ask = waiting(&fixture, attempt).pop().unwrap();
        let known = fixture
            .attempt(attempt)
            .asks
            .iter()
            .find(|known| known.ask.id == ask)
            .unwrap();
        assert!(
            known.ask.is_suspension() && known.ask.only_yes() == Some(0),
            "{known:?}"
        );
        fixture.wait(Span::minutes(120));
        assert!(fixture.is_running(attempt));
        fixture
            .ask(answer(attempt, ask.as_str(), AskReply::Choose(0)))
            .unwrap();
        assert!(fixture.effects.contains(&Effect::Answer(attempt, ask.clone())));
        seen(&mut fixture, attempt, ActivityKind::Working);
        assert!(!waiting(&fixture, attempt).contains(&ask));
    }
}

#[test]
fn a_person_is_called_once_for_the_same_dialog_of_several_agents() {
    let (mut fixture, first) = running();
    fixture.released(crate::fixture::draft("b", "kanban"));
    let second = fixture.open("b");
    fixture.start(second);
    for (attempt, is_called) in [(first, true), (second, false)] {
        seen(
            &mut fixture,
            attempt,
            ActivityKind::Dialog("trust this folder".to_owned()),
        );
        assert_eq!(fixture.notice_kinds().contains(&"dialog"), is_called);
        assert_eq!(waiting(&fixture, attempt).len(), 1);
    }
}

#[test]
fn an_ask_that_was_seen_without_a_text_gets_the_one_that_is_seen_later() {
    let (mut fixture, attempt) = running();
    for text in ["", "Bash: make"] {
        seen(&mut fixture, attempt, ActivityKind::Permission(text.to_owned()));
        let asks = &fixture.attempt(attempt).asks;
        assert_eq!((asks.len(), asks[0].ask.text.as_str()), (1, text));
    }
}
