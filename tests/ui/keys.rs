//! The effect of keys, place by place.

use std::sync::Arc;

use dbs::display::FirstTab;
use dbs::domain::{AttemptId, Command, NoticeLevel, Span, TaskId, TaskState};
use dbs::keymap::{Chord, KeyTable, Keymap, entries};
use dbs::term::keys::{Key, KeyInput, KeyKind, Modifiers};
use dbs::ui::{PaneContent, ProgramInput, ScreenId, UiInput, UiRequest, UiState};
use proptest::prelude::*;

use crate::fixture::{Dashboard, NOW};

const RAVEL: ScreenId = ScreenId::Attempt(AttemptId(11));

fn typed(key: Key, modifiers: Modifiers) -> UiRequest {
    UiRequest::SendInput(RAVEL, ProgramInput::Key(KeyInput::new(key, modifiers)))
}

fn told_focus(focused: bool) -> UiRequest {
    UiRequest::SendInput(RAVEL, ProgramInput::Focus(focused))
}

/// A client that types to the agent of dbs-4.
fn typing() -> Dashboard {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("g i");
    assert_eq!(dashboard.mode(), "TYPE");
    dashboard
}

#[test]
fn every_default_key_leads_to_its_action() {
    let keymap = Keymap::builtin().expect("keys");
    let mut lines = Vec::new();
    for place in KeyTable::ALL {
        for entry in entries() {
            for chord in keymap.keys(place, entry.action) {
                let key = chord.to_string();
                let read: Chord = key.parse().expect("it is read as it is written");
                assert_eq!(keymap.lookup(place, read), Some(entry.action), "{place:?} {key}");
                lines.push(format!("{:<8} {key:<8} {}", place.name(), entry.name));
            }
        }
    }
    assert_eq!(keymap.prefix(), "C-b".parse().expect("key"));
    // A key that changes its meaning shows up in the difference.
    insta::assert_snapshot!("default_keys", lines.join("\n"));
}

#[test]
fn the_prefix_twice_goes_to_the_program_once() {
    let mut dashboard = typing();
    assert_eq!(
        dashboard.press("C-b C-b"),
        [typed(Key::Char('b'), Modifiers::CONTROL)]
    );
    assert_eq!(dashboard.mode(), "TYPE");
}

#[test]
fn a_key_that_means_nothing_after_the_prefix_cancels_and_is_not_sent_on() {
    let mut dashboard = typing();
    assert_eq!(dashboard.press("C-b F9"), []);
    assert_eq!(dashboard.mode(), "TYPE");
    assert!(dashboard.text().contains("C-b F9 means nothing"));
    assert_eq!(dashboard.press("x"), [typed(Key::Char('x'), Modifiers::empty())]);
}

#[test]
fn prefix_and_escape_lead_from_typing_to_looking_and_escape_back_to_the_board() {
    let mut dashboard = typing();
    dashboard.press("C-b Esc");
    assert_eq!(dashboard.mode(), "LOOK");
    dashboard.press("Esc");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("[1 Main]"));
}

#[test]
fn control_c_reaches_the_program_in_type_and_stops_nothing_elsewhere() {
    let mut dashboard = typing();
    assert_eq!(
        dashboard.press("C-c"),
        [typed(Key::Char('c'), Modifiers::CONTROL)]
    );
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.press("C-c"), []);
    assert!(dashboard.text().contains("q leaves, agents go on"));
}

#[test]
fn releases_are_sent_on_while_typing_and_never_act_elsewhere() {
    let mut key = KeyInput::new(Key::Char('q'), Modifiers::empty());
    key.kind = KeyKind::Release;
    assert_eq!(Dashboard::full((80, 24)).key(key), []);
    assert_eq!(typing().key(key).len(), 1);
}

#[test]
fn when_the_program_ends_keys_typed_ahead_are_dropped_for_a_second() {
    let mut dashboard = typing();
    dashboard.screens.all.get_mut(&RAVEL).expect("screen").alive = false;
    assert_eq!(dashboard.press("q"), []);
    assert_eq!(dashboard.mode(), "LOOK");
    dashboard.now = NOW + Span(999);
    assert_eq!(dashboard.press("q"), []);
    dashboard.now = NOW + Span(1001);
    assert_eq!(dashboard.press("q"), [UiRequest::Detach]);
}

#[test]
fn the_prefix_is_ours_also_right_after_a_program_has_ended() {
    let mut dashboard = typing();
    dashboard.screens.all.get_mut(&RAVEL).expect("screen").alive = false;
    assert_eq!(dashboard.press("q"), []);
    assert_eq!(dashboard.press("C-b d"), [UiRequest::Detach]);
}

#[test]
fn a_key_after_the_prefix_is_ours_also_when_the_program_ended_between_the_two() {
    let mut dashboard = typing();
    dashboard.press("C-b");
    dashboard.screens.all.get_mut(&RAVEL).expect("screen").alive = false;
    dashboard.input(UiInput::Tick);
    assert_eq!(dashboard.press("d"), [UiRequest::Detach]);
}

#[test]
fn what_was_typed_ahead_behind_a_doubled_prefix_is_dropped_too() {
    for after in ["C-b", "F9"] {
        let mut dashboard = typing();
        dashboard.press("C-b");
        dashboard.screens.all.get_mut(&RAVEL).expect("screen").alive = false;
        assert_eq!(dashboard.press(after), []);
        assert_eq!(dashboard.press("q"), [], "{after}");
        dashboard.now = NOW + Span(1001);
        assert_eq!(dashboard.press("q"), [UiRequest::Detach], "{after}");
    }
}

#[test]
fn a_key_held_with_one_that_no_key_file_knows_means_nothing_and_reaches_programs() {
    for modifier in [Modifiers::SUPER, Modifiers::HYPER, Modifiers::META] {
        for key in ['q', 's', 'a', ':', '3'] {
            let mut dashboard = Dashboard::full((120, 40));
            let before = dashboard.text();
            assert_eq!(
                dashboard.key(KeyInput::new(Key::Char(key), modifier)),
                [],
                "{key}"
            );
            dashboard.rest();
            assert_eq!(dashboard.text(), before, "{key}");
        }
        let mut dashboard = typing();
        let held = KeyInput::new(Key::Char('b'), modifier | Modifiers::CONTROL);
        assert_eq!(dashboard.key(held).len(), 1);
        assert_eq!(dashboard.press("x"), [typed(Key::Char('x'), Modifiers::empty())]);
    }
}

#[test]
fn the_pane_of_an_ended_agent_keeps_the_focus_until_a_person_leaves_it() {
    let mut dashboard = typing();
    dashboard.press("C-b Esc");
    let attempt = dashboard.board.attempts.get_mut(&AttemptId(11)).expect("attempt");
    Arc::make_mut(attempt).state = dbs::domain::AttemptState::Settled(dbs::domain::Verdict::Passed);
    dashboard.change("dbs-4", |task| task.open_attempt = None);
    dashboard.input(UiInput::Tick);
    assert_eq!(dashboard.mode(), "LOOK");
    assert!(dashboard.text().contains("developer-ravel"));
}

#[test]
fn the_keys_after_the_prefix_are_shown_after_a_moment() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("C-b");
    assert!(!dashboard.text().contains("C-b and then ─"));
    dashboard.now = NOW + Span(300);
    assert!(
        dashboard.text().contains("C-b and then ─"),
        "{}",
        dashboard.text()
    );
}

#[test]
fn the_prefix_waits_for_as_long_as_it_takes() {
    let mut dashboard = typing();
    dashboard.press("C-b");
    dashboard.now = NOW + Span::minutes(60);
    dashboard.input(UiInput::Tick);
    assert_eq!(dashboard.press("Esc"), [told_focus(false)]);
    assert_eq!(dashboard.mode(), "LOOK");
}

#[test]
fn the_program_that_is_typed_to_has_the_focus_while_the_window_has_it() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("g");
    assert_eq!(dashboard.press("i"), [told_focus(true)]);
    assert_eq!(dashboard.input(UiInput::Focus(false)), [told_focus(false)]);
    assert_eq!(dashboard.input(UiInput::Focus(false)), []);
    assert_eq!(dashboard.input(UiInput::Focus(true)), [told_focus(true)]);
    // The prefix alone takes the focus from no program; the key after it may.
    assert_eq!(dashboard.press("C-b"), []);
    assert_eq!(dashboard.press("b"), [told_focus(false)]);
    assert_eq!(dashboard.input(UiInput::Focus(false)), []);
    // A program that is typed to while the window is unfocused gets the focus together with the window.
    dashboard.press("3 g");
    assert_eq!(dashboard.press("i"), []);
    assert_eq!(dashboard.input(UiInput::Focus(true)), [told_focus(true)]);
}

#[test]
fn the_keys_after_the_prefix_say_how_many_are_left_out_where_there_is_no_room() {
    for (size, left_out) in [((60, 15), true), ((80, 24), false), ((200, 60), false)] {
        let mut dashboard = Dashboard::full(size);
        dashboard.press("C-b");
        dashboard.now = NOW + Span(300);
        let text = dashboard.text();
        assert_eq!(text.contains("more, ? for all"), left_out, "{text}");
        for title in ["look", "board", "needs you", "palette"] {
            assert!(text.contains(title), "{title}\n{text}");
        }
    }
    let mut dashboard = Dashboard::full((60, 15));
    dashboard.press("C-b ?");
    assert!(dashboard.text().contains("Keys here"), "{}", dashboard.text());
}

#[test]
fn the_prefix_and_b_lead_from_typing_to_the_board() {
    let mut dashboard = typing();
    assert_eq!(dashboard.press("C-b b"), [told_focus(false)]);
    assert_eq!(dashboard.mode(), "NAV");
    assert!(
        dashboard.text().contains("[1 Main]"),
        "the tab is still that of the agent"
    );
    dashboard.press("2 i");
    dashboard.press("C-b b");
    assert!(dashboard.text().contains("[3 Board]"));
}

#[test]
fn whoever_begins_to_type_sees_the_terminal_as_it_is() {
    let mut dashboard = typing();
    dashboard.press("C-b [ C-b b");
    dashboard.press("g i");
    assert_eq!(dashboard.mode(), "TYPE");
    assert_eq!(dashboard.press("x"), [typed(Key::Char('x'), Modifiers::empty())]);
    dashboard.press("C-b [ C-b i");
    assert_eq!(dashboard.mode(), "TYPE");
}

#[test]
fn the_plain_key_for_leaving_goes_back_first_and_after_the_prefix_it_always_leaves() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3 G Enter");
    let text = dashboard.text();
    assert!(text.contains("q back") && !text.contains("q leave"), "{text}");
    assert_eq!(dashboard.press("q"), []);
    assert_eq!(dashboard.press("q"), [UiRequest::Detach]);
    dashboard.press("G Enter");
    assert_eq!(dashboard.press("C-b d"), [UiRequest::Detach]);
}

#[test]
fn a_digit_is_a_tab_at_once_and_loses_no_key_that_follows() {
    let mut dashboard = Dashboard::full((120, 40));
    for (keys, tab) in [("3 4", "[4 Log]"), ("1 2 5", "[5 Inbox]"), ("3", "[3 Board]")] {
        for key in keys.split(' ') {
            dashboard.key(key.parse::<Chord>().expect("key").event());
        }
        assert!(dashboard.text().contains(tab), "{keys}\n{}", dashboard.text());
    }
    dashboard.key("9".parse::<Chord>().expect("key").event());
    assert!(dashboard.text().contains("there is no tab 9") && dashboard.text().contains("[3 Board]"));
    let (mut quick, mut slow) = (Dashboard::full((120, 40)), Dashboard::full((120, 40)));
    for key in ["3", "j"] {
        quick.key(key.parse::<Chord>().expect("key").event());
        slow.press(key);
    }
    assert_eq!(quick.text(), slow.text(), "a tab and a step, not three steps");
    quick.press("0 4");
    assert!(quick.text().contains(" NAV  4 "), "{}", quick.text());
    quick.press("Esc");
    assert!(quick.text().contains("[3 Board]") && !quick.text().contains(" NAV  4 "));
}

/// A client with the keys of a preset.
fn with_preset(name: &str) -> Dashboard {
    let keymap = Keymap::with_overrides(&format!("preset = '{name}'")).expect("keys");
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.state = UiState::new((120, 40), Arc::new(keymap)).expect("state");
    for pane in dashboard.state.unopened_shells() {
        dashboard.state.shell_opened(pane, 1);
    }
    dashboard
}

#[test]
fn in_every_preset_one_gets_into_typing_out_of_it_and_away() {
    for (name, prefix) in [
        ("default", "C-b"),
        ("tmux", "C-b"),
        ("vim", "C-b"),
        ("emacs", "C-x"),
    ] {
        let mut dashboard = with_preset(name);
        dashboard.press("g i");
        assert_eq!(dashboard.mode(), "TYPE", "{name}");
        dashboard.press(&format!("{prefix} Esc"));
        assert_eq!(dashboard.mode(), "LOOK", "{name}");
        dashboard.press(&format!("{prefix} ["));
        assert_eq!(dashboard.mode(), "COPY", "{name}");
        dashboard.press("Esc Esc");
        assert_eq!(dashboard.mode(), "NAV", "{name}");
        dashboard.press("/ x");
        assert_eq!(dashboard.mode(), "FIND", "{name}");
        dashboard.press("Esc ?");
        assert_eq!(dashboard.mode(), "ASK", "{name}");
        dashboard.press("Esc");
        assert_eq!(
            dashboard.press(&format!("{prefix} d")),
            [UiRequest::Detach],
            "{name}"
        );
    }
}

#[test]
fn every_action_of_every_preset_is_reached_by_the_keys_it_says() {
    for name in ["default", "tmux", "vim", "emacs"] {
        let keymap = Keymap::with_overrides(&format!("preset = '{name}'")).expect("keys");
        for entry in entries() {
            let hint = keymap.hint(entry.action);
            let hint = hint.unwrap_or_else(|| panic!("{name}: {} has no key", entry.name));
            let chords: Vec<Chord> = hint
                .split(' ')
                .map(|key| key.parse().unwrap_or_else(|_| panic!("{name}: {hint}")))
                .collect();
            let found = match chords.as_slice() {
                [only] => KeyTable::ALL
                    .into_iter()
                    .any(|place| keymap.lookup(place, *only) == Some(entry.action)),
                [prefix, then] => {
                    *prefix == keymap.prefix()
                        && keymap.lookup(KeyTable::Prefixed, *then) == Some(entry.action)
                }
                _ => false,
            };
            assert!(found, "{name}: {hint} does not mean {}", entry.name);
        }
    }
}

#[test]
fn counts_repeat_movements_everywhere_but_in_typing() {
    let row = |dashboard: &Dashboard| dashboard.frame().1.cursor.map(|cursor| (cursor.x, cursor.y));
    for (counted, one_by_one) in [
        ("0 5 j", "j j j j j"),
        ("0 2 C-d", "C-d C-d"),
        ("0 1 0 j 0 3 k", "j j j j j j j j j j k k k"),
    ] {
        let (mut dashboard, mut other) = (Dashboard::full((200, 60)), Dashboard::full((200, 60)));
        dashboard.press("3");
        other.press("3");
        dashboard.press(counted);
        other.press(one_by_one);
        assert_eq!(dashboard.text(), other.text(), "{counted}");
        assert_eq!(row(&dashboard), row(&other), "{counted}");
    }
    let mut dashboard = typing();
    assert_eq!(
        dashboard.press("5 j"),
        [
            typed(Key::Char('5'), Modifiers::empty()),
            typed(Key::Char('j'), Modifiers::empty())
        ]
    );
}

#[test]
fn a_paste_is_typed_into_a_program_and_never_taken_as_keys() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.input(UiInput::Paste("qqq".to_owned())), []);
    assert!(dashboard.text().contains("a paste is never taken as keys"));
    let paste = ProgramInput::Paste("a\nb".to_owned());
    assert_eq!(
        typing().input(UiInput::Paste("a\nb".to_owned())),
        [UiRequest::SendInput(RAVEL, paste)]
    );
}

#[test]
fn hopping_to_the_next_that_needs_you_goes_on_typing_there() {
    let mut dashboard = typing();
    dashboard
        .model
        .attention
        .retain(|item| item.attempt == Some(AttemptId(13)));
    dashboard.press("C-b a");
    assert_eq!(dashboard.mode(), "TYPE");
    let Some(UiRequest::SendInput(screen, _)) = dashboard.press("2").pop() else {
        panic!("typed")
    };
    assert_eq!(screen, ScreenId::Attempt(AttemptId(13)));
}

#[test]
fn a_key_leads_from_anywhere_to_what_has_waited_longest_and_then_to_the_next() {
    for keys in ["3 G", "4", "6"] {
        let mut dashboard = Dashboard::full((120, 40));
        let waiting: Vec<String> = dashboard
            .model
            .attention
            .iter()
            .map(|item| item.task.to_string())
            .collect();
        let since: Vec<_> = dashboard.model.attention.iter().map(|item| item.since).collect();
        assert!(waiting.len() > 2 && since.is_sorted());
        dashboard.press(keys);
        dashboard.press("C-b Tab");
        assert_eq!(
            dashboard.press("y y"),
            [UiRequest::CopyToClipboard(waiting[0].clone())],
            "{keys}"
        );
        dashboard.press("C-b a");
        assert_eq!(
            dashboard.press("y y"),
            [UiRequest::CopyToClipboard(waiting[1].clone())],
            "{keys}"
        );
    }
}

#[test]
fn new_attention_takes_neither_the_focus_nor_the_mark_nor_the_keys() {
    let fail = |dashboard: &mut Dashboard| {
        let now = dashboard.now;
        dashboard.change("dbs-15", |task| {
            task.state = TaskState::Failed("x".to_owned());
            task.since = now;
        });
        dashboard.input(UiInput::Tick);
        assert!(dashboard.text().contains("NEEDS YOU 6"), "{}", dashboard.text());
    };
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("g j");
    let marked = dashboard.press("y y");
    let focus = |dashboard: &Dashboard| dashboard.frame().1.panes.into_iter().find(|pane| pane.focus);
    let before = focus(&dashboard).map(|pane| pane.area);
    fail(&mut dashboard);
    assert_eq!(focus(&dashboard).map(|pane| pane.area), before);
    assert_eq!(dashboard.press("y y"), marked);
    let mut dashboard = typing();
    dashboard.state.size = (200, 60);
    fail(&mut dashboard);
    assert_eq!(dashboard.press("x"), [typed(Key::Char('x'), Modifiers::empty())]);
}

#[test]
fn an_approval_is_given_with_one_key_where_one_is_asked_for() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.press("a"), []);
    assert!(dashboard.text().contains("dbs-4 does not wait for approval"));
    dashboard
        .model
        .attention
        .retain(|item| item.task == TaskId::from("dbs-16"));
    assert_eq!(
        dashboard.press("Tab a"),
        [UiRequest::Command(Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn a_reason_is_asked_for_in_one_line_and_escape_sends_nothing() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3 : @ d b s - 8 Enter");
    assert_eq!(dashboard.press("b n o Space t e s t Esc"), []);
    assert_eq!(dashboard.mode(), "NAV");
    let sent = dashboard.press("b n o Space t e s x Backspace t Enter");
    assert_eq!(
        sent,
        [UiRequest::Command(Command::Reject(
            "dbs-8".into(),
            "no test".to_owned()
        ))]
    );
}

#[test]
fn an_empty_line_is_not_sent() {
    let mut dashboard = Dashboard::full((80, 24));
    assert_eq!(dashboard.press("n Space Enter"), []);
    assert_eq!(dashboard.mode(), "ASK");
    let sent = dashboard.press("a Enter");
    assert!(
        matches!(sent.as_slice(), [UiRequest::NewTask(task)] if task.title == "a"),
        "{sent:?}"
    );
}

#[test]
fn stopping_an_agent_asks_names_it_and_takes_no_for_the_default() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("x");
    let text = dashboard.text();
    assert!(
        text.contains("Stop developer-ravel?") && text.contains("dbs-4"),
        "{text}"
    );
    assert_eq!(dashboard.press("Enter"), []);
    assert_eq!(
        dashboard.press("x y"),
        [UiRequest::Command(Command::Kill(AttemptId(11)))]
    );
}

#[test]
fn pausing_names_whom_it_stops_and_going_on_does_not_ask() {
    let mut dashboard = Dashboard::full((120, 40));
    assert_eq!(dashboard.press("P"), []);
    assert!(dashboard.text().contains("dbs-4  developer-ravel"));
    assert_eq!(dashboard.press("y"), [UiRequest::Command(Command::Pause)]);
    dashboard.model.pause = Some(dbs::domain::PauseReason::Operator {
        by: "ann".to_owned(),
        at: NOW,
    });
    assert_eq!(dashboard.press("P"), [UiRequest::Command(Command::Resume)]);
}

#[test]
fn a_parked_task_is_taken_up_again_with_the_key_that_parks() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("G k");
    let again = Command::Retry {
        task: "dbs-19".into(),
        stage: None,
        note: None,
    };
    assert_eq!(dashboard.press("p"), [UiRequest::Command(again)]);
}

#[test]
fn tasks_that_ended_are_counted_until_they_are_asked_for() {
    let mut dashboard = Dashboard::full((200, 60));
    assert!(!dashboard.text().contains("Old banner") && dashboard.text().contains("5 finished, . show"));
    dashboard.press(". G");
    assert!(dashboard.text().contains("Old banner"));
}

#[test]
fn splitting_offers_views_and_the_new_pane_has_the_focus() {
    let mut dashboard = Dashboard::full((200, 60));
    let requests = dashboard.press("3 C-b % Enter");
    let [UiRequest::OpenShell(pane)] = requests.as_slice() else {
        panic!("{requests:?}")
    };
    assert!(
        dashboard
            .frame()
            .1
            .panes
            .iter()
            .any(|area| area.pane == *pane && area.focus)
    );
    dashboard.state.shell_opened(*pane, 7);
    assert_eq!(dashboard.press("C-b x"), [UiRequest::CloseShell(7)]);
    assert_eq!(dashboard.frame().1.panes.len(), 1);
}

#[test]
fn keys_pressed_while_a_shell_opens_are_typed_into_it_and_never_reach_the_board() {
    let key = |c| ProgramInput::Key(KeyInput::new(Key::Char(c), Modifiers::empty()));
    let shell = ScreenId::Shell(7);
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("C-b c");
    assert_eq!(dashboard.mode(), "TYPE");
    // On the board these keys would release, pause and quit.
    assert_eq!(dashboard.press("w P q"), []);
    let pane = dashboard.state.unopened_shells()[0];
    dashboard.state.shell_opened(pane, 7);
    assert_eq!(dashboard.input(UiInput::Tick), [], "the shell does not run yet");
    dashboard.screens.put(shell, "$ ");
    let mut expected: Vec<UiRequest> = ['w', 'P', 'q']
        .map(|c| UiRequest::SendInput(shell, key(c)))
        .to_vec();
    expected.push(UiRequest::SendInput(shell, ProgramInput::Focus(true)));
    assert_eq!(dashboard.input(UiInput::Tick), expected);
    assert_eq!(dashboard.press("x"), [UiRequest::SendInput(shell, key('x'))]);
}

#[test]
fn keys_for_a_shell_that_cannot_be_opened_or_was_left_are_dropped() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("C-b c w");
    let pane = dashboard.state.unopened_shells()[0];
    dashboard.state.shell_not_opened(pane);
    assert_eq!(dashboard.input(UiInput::Tick), []);
    assert_eq!(dashboard.mode(), "NAV");
    // Keys of a person who has left the pane are not typed into the shell.
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("C-b c w");
    let pane = dashboard.state.unopened_shells()[0];
    dashboard.press("C-b b");
    dashboard.screens.put(ScreenId::Shell(7), "$ ");
    dashboard.state.shell_opened(pane, 7);
    assert_eq!(dashboard.input(UiInput::Tick), []);
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn closing_a_shell_that_runs_asks_first_and_closing_an_agents_pane_stops_nobody() {
    let mut dashboard = Dashboard::full((200, 60));
    dashboard.press("C-b c");
    let pane = dashboard.state.unopened_shells()[0];
    dashboard.screens.put(ScreenId::Shell(2), "$ ");
    dashboard.state.shell_opened(pane, 2);
    dashboard.input(UiInput::Tick);
    assert_eq!(dashboard.press("C-b x"), []);
    assert!(dashboard.text().contains("Close shell 2?"));
    let left = UiRequest::SendInput(ScreenId::Shell(2), ProgramInput::Focus(false));
    assert_eq!(dashboard.press("y"), [UiRequest::CloseShell(2), left]);
    dashboard.press("3 C-b % G");
    assert_eq!(dashboard.press("Enter C-b x"), []);
    assert!(
        dashboard
            .model
            .agents()
            .any(|row| row.attempt.id == AttemptId(18))
    );
}

#[test]
fn zoom_shows_one_pane_and_the_same_key_all_again() {
    let mut dashboard = Dashboard::classic((200, 60));
    let all = dashboard.frame().1.panes.len();
    assert_eq!(all, 4);
    dashboard.press("z");
    assert_eq!(dashboard.frame().1.panes.len(), 1);
    dashboard.press("C-b z");
    assert_eq!(dashboard.frame().1.panes.len(), all);
}

#[test]
fn the_focus_goes_where_the_arrow_points() {
    let mut dashboard = Dashboard::classic((200, 60));
    let focus = |dashboard: &Dashboard| {
        dashboard
            .frame()
            .1
            .panes
            .iter()
            .find(|area| area.focus)
            .map(|area| area.area.x)
    };
    let board = focus(&dashboard);
    dashboard.press("C-b Right");
    assert!(focus(&dashboard) > board);
    dashboard.press("C-b Left C-b Left");
    assert!(focus(&dashboard) < board);
    dashboard.press("C-b ;");
    assert_eq!(focus(&dashboard), board);
}

#[test]
fn a_line_between_panes_moves_and_stays_moved() {
    let mut dashboard = Dashboard::full((200, 60));
    let width = |dashboard: &Dashboard| {
        dashboard
            .frame()
            .1
            .panes
            .iter()
            .find(|area| area.focus)
            .map(|area| area.area.width)
    };
    let before = width(&dashboard);
    dashboard.press("> >");
    assert!(width(&dashboard) > before);
    dashboard.press("< <");
    assert_eq!(width(&dashboard), before);
}

#[test]
fn looking_back_scrolls_and_typing_returns_to_the_newest_line() {
    let mut dashboard = typing();
    let screen = dashboard.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines = (0..200).map(|number| format!("line {number}")).collect();
    dashboard.press("C-b Esc k k");
    assert!(dashboard.text().contains("2 lines back") && !dashboard.text().contains("line 199"));
    dashboard.press("i a");
    assert!(dashboard.text().contains("line 199"));
}

#[test]
fn a_toast_goes_away_by_itself() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard
        .state
        .show_toast(NOW, NoticeLevel::Success, "released dbs-20");
    assert!(dashboard.text().contains("released dbs-20"));
    dashboard.now = NOW + Span::seconds(7);
    assert!(!dashboard.text().contains("released dbs-20"));
    dashboard.now = NOW - Span::seconds(7);
    assert!(
        !dashboard.text().contains("released dbs-20"),
        "the clock was set back"
    );
}

#[test]
fn a_shell_that_is_not_open_yet_is_asked_for_at_the_start() {
    let mut state = UiState::builtin((80, 24)).expect("state");
    assert_eq!(dbs::ui::initial_requests(&state), []);
    state.set_first_tab(FirstTab::Classic).expect("built in");
    let requests = dbs::ui::initial_requests(&state);
    assert!(matches!(requests.as_slice(), [UiRequest::OpenShell(_)]));
    assert_eq!(PaneContent::Shell(Some(3)).screen(), Some(ScreenId::Shell(3)));
}

fn any_key() -> impl Strategy<Value = KeyInput> {
    let code = prop_oneof![
        any::<char>().prop_map(Key::Char),
        (1u8..=24).prop_map(Key::Function),
        prop::sample::select(vec![
            Key::Enter,
            Key::Escape,
            Key::Tab,
            Key::Backspace,
            Key::Delete,
            Key::Insert,
            Key::Up,
            Key::Down,
            Key::Left,
            Key::Right,
            Key::Home,
            Key::End,
            Key::PageUp,
            Key::PageDown,
            Key::Menu,
        ]),
    ];
    let modifiers = (0u8..64).prop_map(Modifiers::from_bits_truncate);
    (code, modifiers).prop_map(|(code, modifiers)| KeyInput::new(code, modifiers))
}

proptest! {
    #[test]
    fn in_type_every_key_but_the_prefix_is_the_programs(key in any_key()) {
        let prefix = key.key == Key::Char('b') && key.modifiers == Modifiers::CONTROL;
        let without_shift = key.modifiers - Modifiers::SHIFT == Modifiers::CONTROL;
        let shifted = matches!(key.key, Key::Char('b' | 'B')) && without_shift;
        prop_assume!(!prefix && !shifted);
        let mut dashboard = typing();
        let requests = dashboard.key(key);
        prop_assert_eq!(requests, vec![UiRequest::SendInput(RAVEL, ProgramInput::Key(key))]);
        prop_assert_eq!(dashboard.mode(), "TYPE");
    }
}
