//! Asks of agents, answered from the screen: the keys for an answer come first, and none of them chooses what the person did not name.

use std::sync::Arc;

use dbs::domain::attempt::{Activity, ActivityKind};
use dbs::domain::{AskChannel, AskReply, AttemptId, Command, HoldReason, Span, TaskState};
use dbs::read_model::ReadModel;
use dbs::ui::{UiInput, UiRequest};

use crate::fixture::{Dashboard, NOW, asked};

/// Goes to the agent of `dbs-7`, which is agent 13 and asks for a permission.
fn at_its_agent(size: (u16, u16)) -> Dashboard {
    let mut dashboard = Dashboard::full(size);
    dashboard.press(":");
    dashboard.input(UiInput::Paste("@dbs-7".to_owned()));
    dashboard.press("Enter");
    dashboard.press("Enter");
    dashboard
}

/// Lets agent 13 show a dialog with these entries.
fn shows_dialog(dashboard: &mut Dashboard, entries: &[&str]) {
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(13)).expect("attempt");
    let attempt = Arc::make_mut(attempt);
    let doing = ActivityKind::Dialog("trust this folder".to_owned());
    attempt.asks = asked(&doing, NOW - Span::seconds(9));
    attempt.asks[0].ask.channel = AskChannel::Terminal;
    attempt.asks[0].ask.options = entries.iter().map(|entry| (*entry).to_owned()).collect();
    attempt.activity = Activity {
        doing,
        source: "osc 7501".to_owned(),
        since: NOW - Span::seconds(9),
    };
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
}

#[test]
fn where_an_agent_asks_for_a_permission_allow_and_deny_come_first_at_every_width() {
    for width in [60, 80, 120, 200] {
        let dashboard = at_its_agent((width, 24));
        assert_eq!(dashboard.mode(), "LOOK", "{}", dashboard.text());
        let row = dashboard.last_row();
        assert!(row.starts_with(" LOOK   a allow  N deny"), "{width}: {row}");
        assert!(!row.contains("t answer"), "{width}: {row}");
    }
}

#[test]
fn a_text_for_an_agent_that_asks_for_a_permission_is_the_reason_for_a_no() {
    let mut dashboard = at_its_agent((120, 40));
    assert_eq!(dashboard.press("t"), []);
    let asked = dashboard.text();
    for part in [
        "npm run migrate",
        "A text is the reason for a no",
        "press Esc, then a",
    ] {
        assert!(asked.contains(part), "{part}: {asked}");
    }
    // Typed as fast as a person types, or pasted: no letter of the text acts as a key.
    dashboard.press("n o , Space a l w a y s Space N");
    let [UiRequest::Command(Command::AnswerAsk { attempt, reply, .. })] = &dashboard.press("Enter")[..]
    else {
        panic!("nothing was answered: {}", dashboard.text());
    };
    assert_eq!(*attempt, AttemptId(13));
    assert_eq!(*reply, AskReply::Deny("no, always N".to_owned()));
}

#[test]
fn a_yes_that_is_typed_as_the_reason_for_a_no_sends_nothing() {
    for yes in ["y", "yes", "OK", "Allow"] {
        let mut dashboard = at_its_agent((120, 40));
        dashboard.press("t");
        dashboard.input(UiInput::Paste(yes.to_owned()));
        assert_eq!(dashboard.press("Enter"), [], "{yes}");
        let said = dashboard.text();
        assert!(
            said.contains("reads as a yes, and nothing was sent: a allows it"),
            "{said}"
        );
    }
}

#[test]
fn what_is_typed_on_after_a_key_that_opened_no_prompt_is_no_key() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.change("dbs-21", |task| task.state = TaskState::Backlog);
    dashboard.press(":");
    dashboard.input(UiInput::Paste("@dbs-21".to_owned()));
    dashboard.press("Enter");
    // No agent works on it, so nothing can be sent back; `w` would release it.
    for refused in ["b", "R"] {
        assert_eq!(dashboard.press(refused), [], "{refused}");
        let before = dashboard.mode();
        assert_eq!(dashboard.press("w a n Space r X Enter"), [], "{refused}");
        assert_eq!(dashboard.mode(), before, "{}", dashboard.text());
        dashboard.now = dashboard.now + Span::seconds(2);
    }
    dashboard.press("n");
    assert!(dashboard.text().contains("New task"), "{}", dashboard.text());
}

#[test]
fn where_an_agent_asks_a_question_answering_comes_first() {
    let mut dashboard = at_its_agent((120, 40));
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(13)).expect("attempt");
    let question = ActivityKind::Question("tabs or spaces?".to_owned());
    Arc::make_mut(attempt).asks = asked(&question, NOW);
    dashboard.model = ReadModel::of(&dashboard.board, NOW);
    assert!(
        dashboard.last_row().starts_with(" LOOK   t answer  i type here"),
        "{}",
        dashboard.last_row()
    );
}

#[test]
fn the_yes_of_a_dialog_is_chosen_after_a_question_that_names_it() {
    let mut dashboard = at_its_agent((120, 40));
    shows_dialog(&mut dashboard, &["No, exit", "Yes, I trust this folder"]);
    assert!(
        dashboard.last_row().starts_with(" LOOK   a yes  "),
        "{}",
        dashboard.last_row()
    );
    assert_eq!(dashboard.press("a"), []);
    let asked = dashboard.text();
    for part in [
        "Choose \"Yes, I trust this folder\"?",
        "trust this folder",
        "1 No, exit; 2 Yes",
    ] {
        assert!(asked.contains(part), "{part}\n{asked}");
    }
    assert_eq!(dashboard.press("Enter"), [], "Enter does not mean yes");
    dashboard.press("a");
    let chosen = Command::AnswerAsk {
        attempt: AttemptId(13),
        ask: "trust this folder".into(),
        reply: AskReply::Choose(1),
    };
    assert_eq!(dashboard.press("y"), [UiRequest::Command(chosen)]);
}

#[test]
fn a_dialog_without_a_known_yes_is_answered_in_its_terminal_and_a_says_so() {
    for entries in [&[][..], &["Dark", "Light"], &["Yes", "Yes, always"]] {
        let mut dashboard = at_its_agent((120, 40));
        shows_dialog(&mut dashboard, entries);
        assert_eq!(dashboard.press("a"), [], "{entries:?}");
        assert_ne!(dashboard.mode(), "ASK", "{entries:?}");
        let said = dashboard.text();
        assert!(
            said.contains("is answered in its terminal: i"),
            "{entries:?} {said}"
        );
    }
}

#[test]
fn the_entries_of_a_dialog_are_shown_where_it_is_answered() {
    let mut dashboard = at_its_agent((120, 40));
    shows_dialog(&mut dashboard, &["Dark", "Light"]);
    dashboard.press("t");
    assert!(
        dashboard.text().contains("One of: 1 Dark; 2 Light"),
        "{}",
        dashboard.text()
    );
    let sent = dashboard.press("2 Enter");
    assert_eq!(
        sent,
        [UiRequest::Command(Command::Answer(
            "dbs-7".into(),
            "2".to_owned()
        ))]
    );
}

#[test]
fn skipping_a_task_with_an_agent_at_work_asks_first_and_one_without_does_not() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.press("s"), []);
    let asked = dashboard.text();
    assert!(
        asked.contains("Skip dbs-4?") && asked.contains("developer-ravel"),
        "{asked}"
    );
    assert_eq!(dashboard.press("Enter"), []);
    dashboard.press("s");
    let skip = |task: &str| UiRequest::Command(Command::Skip(task.into()));
    assert_eq!(dashboard.press("y"), [skip("dbs-4")]);
    dashboard.press(":");
    dashboard.input(UiInput::Paste("skip dbs-20".to_owned()));
    assert_eq!(dashboard.press("Enter"), [skip("dbs-20")]);
}

#[test]
fn the_key_that_puts_away_the_summary_does_nothing_else() {
    for key in ["Space", "s", "j", "Enter", "Esc", "q"] {
        let mut dashboard = Dashboard::full((120, 40));
        let before = dashboard.text();
        let left = dashboard.now - Span::minutes(30);
        dashboard.state.set_away_since(Some(left), dashboard.now);
        assert_ne!(dashboard.text(), before);
        assert_eq!(dashboard.press(key), [], "{key}");
        assert_eq!(dashboard.text(), before, "{key}");
    }
    let mut dashboard = Dashboard::full((120, 40));
    let left = dashboard.now - Span::minutes(30);
    dashboard.state.set_away_since(Some(left), dashboard.now);
    assert_eq!(
        dashboard.press("C-b d"),
        [UiRequest::Detach],
        "the prefix waits for its key"
    );
}

#[test]
fn enter_in_the_body_of_a_task_is_a_line_and_what_is_typed_on_is_no_key_of_ours() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("n");
    dashboard.input(UiInput::Paste("Title".to_owned()));
    assert_eq!(dashboard.press("Tab o n e Enter Enter Backspace t w o"), []);
    assert_eq!(dashboard.mode(), "ASK");
    assert!(
        dashboard.last_row().contains("C-s create"),
        "{}",
        dashboard.last_row()
    );
    assert!(dashboard.text().contains("2 lines … two"), "{}", dashboard.text());
    let mut sent = Vec::new();
    for key in ["C-s", "s", "x", "o", "q"] {
        let chord = key.parse::<dbs::keymap::Chord>().expect("key");
        sent.extend(dashboard.input(UiInput::Key(chord.event())));
    }
    assert!(
        matches!(sent.as_slice(), [UiRequest::NewTask(task)] if task.body == "one\ntwo"),
        "{sent:?}"
    );
    dashboard.rest();
    assert_eq!(dashboard.mode(), "NAV");
    dashboard.press("s");
    assert_eq!(dashboard.mode(), "ASK", "keys act again a moment later");
}

#[test]
fn a_question_that_blocks_a_task_is_answered_before_it_is_retried() {
    let mut dashboard = Dashboard::full((160, 40));
    dashboard.change("dbs-17", |task| {
        task.state = TaskState::Held(HoldReason::Blocked("CSV or JSON?".to_owned()));
    });
    dashboard.press("3 :");
    dashboard.input(UiInput::Paste("@dbs-17".to_owned()));
    dashboard.press("Enter");
    let row = dashboard.last_row();
    let place = |hint: &str| row.find(hint).unwrap_or_else(|| panic!("{hint}: {row}"));
    assert!(place("R answer and retry") < place("r retry"), "{row}");
    dashboard.press("R");
    assert!(
        dashboard.text().contains("dbs-17 asks: CSV or JSON?"),
        "{}",
        dashboard.text()
    );
    dashboard.input(UiInput::Paste("JSON".to_owned()));
    let retry = Command::Retry {
        task: "dbs-17".into(),
        stage: None,
        note: Some("JSON".to_owned()),
    };
    assert_eq!(dashboard.press("Enter"), [UiRequest::Command(retry)]);
}

#[test]
fn the_key_that_opened_a_search_may_be_typed_into_it() {
    for (open, typed) in [("?", "/theme"), (":", ":theme")] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(open);
        dashboard.input(UiInput::Paste(typed.to_owned()));
        let found = dashboard.text();
        assert!(found.contains("Choose how the screen looks"), "{found}");
    }
}
