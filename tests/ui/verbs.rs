//! Every verb for a task, an agent or the run has a key, an entry in the palette and in the help, and a command in a shell. Destructive
//! verbs first name what they affect; the others can be undone.

use clap::Parser as _;
use dbs::cli::commands::command_line::CliArgs;
use dbs::domain::{Command, Span, TaskId};
use dbs::keymap::{Action, KeyTable, Keymap, entries};
use dbs::ui::{ClickTarget, UiRequest};

use crate::fixture::{Dashboard, NOW, allow};
use crate::mouse::click;

/// Each verb in common words, with its action, its key and the beginning of its command.
const VERBS: [(&str, Action, &str, &str); 21] = [
    ("approve", Action::Approve, "a", "dbs approve"),
    ("deny", Action::Deny, "N", "dbs reject"),
    ("reject", Action::Reject, "b", "dbs reject"),
    ("skip", Action::Skip, "s", "dbs skip"),
    ("retry", Action::Retry, "r", "dbs retry"),
    ("retry with note", Action::RetryWithNote, "R", "dbs retry"),
    ("answer", Action::Answer, "t", "dbs answer"),
    ("pause task", Action::TogglePark, "p", "dbs task park"),
    ("pause all", Action::TogglePause, "P", "dbs pause"),
    ("stop agent", Action::StopAgent, "x", "dbs kill-agent"),
    ("stop turn", Action::StopTurn, "E", "dbs interrupt"),
    ("headless", Action::SwitchMode, "H", "dbs mode"),
    ("takeover", Action::Type, "i", "dbs attach"),
    ("park", Action::TogglePark, "p", "dbs task park"),
    ("release", Action::Release, "w", "dbs task release"),
    ("raise priority", Action::RaisePriority, "+", "dbs task update"),
    ("lower priority", Action::LowerPriority, "-", "dbs task update"),
    ("edit", Action::EditTask, "e", "dbs task edit"),
    ("new task", Action::NewTask, "n", "dbs task create"),
    ("run plan", Action::RunPlan, "@", "dbs run"),
    ("design", Action::Design, "*", "dbs design"),
];

fn words(command: &str) -> Vec<String> {
    let known = |word: &str| match word {
        "ID" => "dbs-4".to_owned(),
        "TEXT" => "because of that".to_owned(),
        word => word.to_owned(),
    };
    command.split(' ').map(known).collect()
}

fn typed(dashboard: &mut Dashboard, text: &str) {
    for letter in text.chars() {
        let key = if letter == ' ' {
            "Space".to_owned()
        } else {
            letter.to_string()
        };
        dashboard.press(&key);
    }
}

/// The beginning of a sentence, short enough for one line.
fn first_words(text: &str) -> &str {
    text.get(..20).unwrap_or(text)
}

#[test]
fn every_verb_has_a_key_a_place_in_palette_and_help_and_a_command() {
    let keymap = Keymap::builtin().expect("keys");
    for (said, action, key, command) in VERBS {
        let chords = keymap.keys(KeyTable::Nav, action);
        assert!(
            chords.iter().any(|chord| chord.to_string() == key),
            "{said}: {chords:?}"
        );
        let entry = entries().find(|entry| entry.action == action).expect(said);
        for (opener, shown) in [(":", entry.title), ("?", first_words(entry.help))] {
            let mut dashboard = Dashboard::full((200, 60));
            dashboard.press(opener);
            typed(&mut dashboard, said);
            let text = dashboard.text();
            assert!(text.contains(shown), "`{said}` after {opener} is {shown}\n{text}");
        }
        let line = action.command_line().expect(said);
        assert!(line.starts_with(command), "{said}: {line}");
    }
}

#[test]
fn every_command_that_is_named_for_an_action_can_be_run_like_that() {
    for entry in entries() {
        if let Some(line) = entry.action.command_line() {
            let parsed = CliArgs::try_parse_from(words(line));
            assert!(parsed.is_ok(), "{}: {line}", entry.name);
        }
    }
}

#[test]
fn what_stops_or_takes_away_names_it_first_and_does_nothing_on_enter() {
    let agents = ["dbs-4", "developer-ravel"];
    for (keys, named) in [
        ("g x", &agents[..]),
        ("g s", &agents),
        ("P", &agents),
        ("g m", &["dbs-4"]),
        ("g X", &["dbs-4", "refs/dbs/attic"]),
    ] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press("3");
        assert_eq!(dashboard.press(keys), [], "{keys} asks first");
        assert_eq!(dashboard.mode(), "ASK", "{keys}");
        for name in named {
            assert!(
                dashboard.text().contains(name),
                "{keys} names {name}\n{}",
                dashboard.text()
            );
        }
        assert_eq!(dashboard.press("Enter"), [], "{keys} Enter");
    }
}

#[test]
fn what_can_be_undone_is_for_ten_seconds_and_not_longer() {
    for keys in ["G w", "g -", "G j +"] {
        for (later, back) in [(9, true), (10, false)] {
            let mut dashboard = Dashboard::full((96, 40));
            dashboard.press("3");
            let done = dashboard.press(keys);
            assert!(
                matches!(done.as_slice(), [UiRequest::Command(_)]),
                "{keys}: {done:?}"
            );
            dashboard.now = NOW + Span::seconds(later);
            let undone = dashboard.press("u");
            assert_eq!(!undone.is_empty(), back, "{keys} after {later}s: {undone:?}");
        }
    }
}

#[test]
fn an_offer_in_the_inbox_and_a_hint_in_the_last_row_are_clicked_like_keys() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("5");
    dashboard.press("j j");
    let act = |action| ClickTarget::Action(action);
    let approved = UiRequest::Command(Command::Approve(TaskId::from("dbs-16")));
    assert_eq!(click(&mut dashboard, &act(Action::Approve)), [approved]);
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    dashboard.press("g");
    let hint = |key: &str| ClickTarget::Keys(vec![key.parse().expect("key")]);
    click(&mut dashboard, &hint("n"));
    assert_eq!(dashboard.mode(), "ASK");
    dashboard.press("Esc");
    click(&mut dashboard, &hint("?"));
    assert!(dashboard.text().contains("What you see"));
}

#[test]
fn a_permission_is_given_by_a_click() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("5");
    dashboard.press("g j j j");
    let requests = click(&mut dashboard, &ClickTarget::Action(Action::Approve));
    let wanted = [UiRequest::Command(allow(13, "npm run migrate"))];
    assert_eq!(requests, wanted, "{}", dashboard.text());
}

#[test]
fn every_view_is_reached_by_its_key_also_for_a_task_somebody_works_on() {
    let mut dashboard = Dashboard::full((60, 15));
    dashboard.press("3");
    dashboard.press("g V");
    let text = dashboard.text();
    assert!(
        text.contains("Task dbs-4") && text.contains("developer-ravel"),
        "{text}"
    );
    assert_eq!(dashboard.mode(), "NAV");
    dashboard.press("Esc");
    assert!(dashboard.text().contains("Board"));
}

#[test]
fn an_agent_is_let_go_on_the_other_way_by_a_key_and_the_board_decides_which_that_is() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(
        dashboard.press("g H"),
        [UiRequest::Command(Command::SetMode(TaskId::from("dbs-4"), None))]
    );
}
