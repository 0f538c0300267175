//! Searching lists and terminals, freezing a terminal, selecting, copying; numbers before movements.

use dbs::domain::{AttemptId, TaskId};
use dbs::term::keys::{Button, Modifiers, MouseInput, MouseKind};
use dbs::ui::{ProgramInput, ScreenId, ScrollbackLine, UiInput, UiRequest};

use crate::fixture::Dashboard;
use crate::screens::PROMPT;

const RAVEL: ScreenId = ScreenId::Attempt(AttemptId(11));

/// Looks at the agent of dbs-4, which has shown that many lines.
fn looking(lines: usize) -> Dashboard {
    let mut dashboard = Dashboard::full((120, 40));
    let screen = dashboard.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines = (0..lines).map(|n| format!("line {n} of it")).collect();
    dashboard.press("3");
    dashboard.press("g Enter");
    assert_eq!(dashboard.mode(), "LOOK");
    dashboard
}

fn copied(requests: &[UiRequest]) -> &str {
    let [UiRequest::CopyToClipboard(text), others @ ..] = requests else {
        unreachable!("{requests:?}");
    };
    // A client that was typing goes on typing, which the program may be told.
    let is_focus = |other: &UiRequest| matches!(other, UiRequest::SendInput(_, ProgramInput::Focus(true)));
    assert!(others.iter().all(is_focus), "{others:?}");
    text
}

#[test]
fn a_filter_narrows_the_list_while_it_is_typed_and_stays_as_a_chip() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    dashboard.press("/ m i g r");
    assert_eq!(dashboard.mode(), "FIND");
    let text = dashboard.text();
    assert!(text.contains("dbs-7") && !text.contains("dbs-5 "), "{text}");
    dashboard.press("Enter");
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("/migr 1 of 21"), "{}", dashboard.text());
    dashboard.press("Esc");
    assert!(dashboard.text().contains("dbs-5 "));
}

#[test]
fn in_a_filtered_list_n_goes_to_the_next_match_and_elsewhere_makes_a_task() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    dashboard.press("/ d b s - 1 Enter");
    let first = dashboard.text();
    assert_eq!(dashboard.press("n n N"), []);
    assert_eq!(dashboard.mode(), "NAV");
    assert_ne!(dashboard.text(), first);
    dashboard.press("Esc n");
    assert_eq!(dashboard.mode(), "ASK");
}

#[test]
fn a_filter_that_nothing_matches_says_so_and_how_to_get_out() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("3");
    dashboard.press("/ q q q");
    assert!(dashboard.text().contains("0 of 21 match `qqq`. Esc clears."));
    dashboard.press("Esc");
    assert!(!dashboard.text().contains("qqq"));
}

#[test]
fn what_is_selected_is_one_of_those_that_match() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("3");
    dashboard.press("/ R o u n d i n g Enter");
    assert_eq!(
        dashboard.press("a"),
        [UiRequest::Command(dbs::domain::Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn looking_for_text_holds_a_terminal_still_and_goes_from_match_to_match() {
    let mut dashboard = looking(500);
    dashboard.press("?");
    dashboard.press("Esc /");
    for key in "line 7 ".chars() {
        dashboard.press(
            if key == ' ' {
                "Space".to_owned()
            } else {
                key.to_string()
            }
            .as_str(),
        );
    }
    dashboard.press("Enter");
    assert_eq!(dashboard.mode(), "COPY");
    assert!(dashboard.text().contains("line 7 of it"), "{}", dashboard.text());
    assert_eq!(dashboard.press("n N v $ y").len(), 1);
    assert_eq!(dashboard.mode(), "LOOK");
}

#[test]
fn a_key_leads_from_prompt_to_prompt_and_holds_the_terminal_still() {
    let mut dashboard = looking(500);
    let screen = dashboard.screens.all.get_mut(&RAVEL).expect("screen");
    for (at, command) in [(100, "make"), (300, "make test"), (400, "git push")] {
        screen.lines[at] = format!("{PROMPT}{command}");
    }
    dashboard.press("{");
    assert_eq!(dashboard.mode(), "COPY");
    assert!(dashboard.text().contains("git push"));
    assert_eq!(copied(&dashboard.press("w v $ y")), "git push");
    assert_eq!(copied(&dashboard.press("{ 2 { y")), format!("{PROMPT}make"));
    dashboard.press("{ { { }");
    assert_eq!(copied(&dashboard.press("y")), format!("{PROMPT}make test"));
}

#[test]
fn beyond_the_last_prompts_the_key_says_so_and_older_lines_are_asked_for() {
    let mut dashboard = looking(500);
    let screen = dashboard.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines[300] = format!("{PROMPT}make test");
    dashboard.press("}");
    assert_eq!(
        dashboard.mode(),
        "LOOK",
        "without a match the terminal is not frozen"
    );
    assert!(dashboard.text().contains("there is no prompt below"));
    dashboard.press("{");
    let asked = dashboard.press("{");
    assert!(
        matches!(asked.as_slice(), [UiRequest::LoadOlderLines(id, _)] if *id == RAVEL),
        "{asked:?}"
    );
    assert_eq!(
        copied(&dashboard.press("y")),
        format!("{PROMPT}make test"),
        "the position stays"
    );
}

#[test]
fn without_marks_of_prompts_the_key_says_so() {
    let mut dashboard = looking(500);
    for key in ["{", "}", "C-b [ {", "}"] {
        assert_eq!(dashboard.press(key), []);
        assert!(dashboard.text().contains("no prompt is marked here"), "{key}");
    }
}

#[test]
fn text_is_selected_with_the_keys_of_vi_and_copied() {
    let mut dashboard = looking(500);
    dashboard.press("C-b [ g");
    assert_eq!(copied(&dashboard.press("w v e y")), "0 of");
    dashboard.press("C-b [ g");
    assert_eq!(copied(&dashboard.press("V j y")), "line 0 of it\nline 1 of it");
    dashboard.press("C-b [ g");
    assert_eq!(copied(&dashboard.press("C-v 2 j 3 l Enter")), "line\nline\nline");
    dashboard.press("C-b [ g");
    assert_eq!(copied(&dashboard.press("y")), "line 0 of it");
    assert!(dashboard.text().contains("copied 12 characters"));
}

#[test]
fn output_goes_on_while_a_terminal_is_held_still_and_is_not_seen() {
    let mut dashboard = looking(100);
    dashboard.press("C-b [");
    let before = dashboard.text();
    let screen = dashboard.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines.extend((0..50).map(|n| format!("new {n}")));
    assert_eq!(dashboard.text(), before);
    dashboard.press("q");
    assert!(dashboard.text().contains("new 49"));
}

#[test]
fn whoever_typed_goes_on_typing_afterwards_and_can_paste_what_was_copied() {
    let mut dashboard = looking(100);
    dashboard.press("i C-b [");
    assert_eq!(dashboard.mode(), "COPY");
    dashboard.press("g y");
    assert_eq!(dashboard.mode(), "TYPE");
    let pasted = ProgramInput::Paste("line 0 of it".to_owned());
    assert_eq!(dashboard.press("C-b ]"), [UiRequest::SendInput(RAVEL, pasted)]);
}

#[test]
fn at_the_beginning_older_lines_are_asked_for_once_and_come_before_the_others() {
    let mut dashboard = looking(100);
    dashboard.press("C-b [ g");
    let asked = dashboard.press("k");
    assert!(
        matches!(asked.as_slice(), [UiRequest::LoadOlderLines(id, _)] if *id == RAVEL),
        "{asked:?}"
    );
    assert_eq!(dashboard.press("k"), []);
    let older = ["the very first", "and the second"].map(ScrollbackLine::plain);
    let known = (0..100).map(|n| ScrollbackLine::plain(format!("line {n} of it")));
    dashboard
        .state
        .add_older_lines(dashboard.now, RAVEL, older.into_iter().chain(known).collect());
    assert_eq!(copied(&dashboard.press("g y")), "the very first");
    dashboard.press("C-b [ g");
}

#[test]
fn a_selection_over_the_limit_is_cut_and_says_so() {
    let mut dashboard = looking(10_000);
    dashboard.press("C-b [ g V G");
    let requests = dashboard.press("y");
    assert_eq!(copied(&requests).len(), 100 * 1024);
    assert!(dashboard.text().contains("only the first 100 KB"));
}

#[test]
fn the_mouse_selects_and_letting_go_copies() {
    let mut dashboard = looking(100);
    let area = dashboard
        .frame()
        .1
        .panes
        .iter()
        .find(|pane| pane.focus)
        .expect("pane")
        .area;
    let mouse = |kind, column, row| {
        UiInput::Mouse(MouseInput {
            kind,
            col: column,
            row,
            modifiers: Modifiers::empty(),
        })
    };
    dashboard.press("C-b [");
    dashboard.press("g q");
    dashboard.press("g");
    let (x, y) = (area.x, area.y + 2);
    dashboard.input(mouse(MouseKind::Press(Button::Left), x, y));
    dashboard.input(mouse(MouseKind::Motion(Some(Button::Left)), x + 3, y));
    assert_eq!(dashboard.mode(), "COPY");
    let requests = dashboard.input(mouse(MouseKind::Release(Button::Left), x + 3, y));
    assert_eq!(copied(&requests), "line");
}

#[test]
fn a_terminal_that_is_held_still_never_receives_a_key() {
    let mut dashboard = looking(100);
    dashboard.press("i C-b [");
    for key in "abcdefghijklmnoprstuwxz".chars() {
        let requests = dashboard.press(&key.to_string());
        assert!(
            !requests
                .iter()
                .any(|request| matches!(request, UiRequest::SendInput(..))),
            "{key}: {requests:?}"
        );
        if dashboard.mode() != "COPY" {
            dashboard.press("Esc");
            dashboard.press("C-b [");
        }
    }
}

#[test]
fn ten_thousand_tasks_are_filtered_between_two_frames() {
    let mut dashboard = Dashboard::full((120, 40));
    let like = dashboard
        .board
        .tasks
        .get(&TaskId::from("dbs-5"))
        .expect("task")
        .clone();
    for n in 0..10_000 {
        let mut task = like.as_ref().clone();
        task.id = format!("bulk-{n}").as_str().into();
        task.title = format!("Task number {n} about the thing that is wanted most");
        task.open_attempt = None;
        dashboard
            .board
            .tasks
            .insert(task.id.clone(), std::sync::Arc::new(task));
    }
    dashboard.model = dbs::read_model::ReadModel::of(&dashboard.board, dashboard.now);
    dashboard.press("3");
    dashboard.press("/ 9 9 9 9");
    assert!(dashboard.text().contains("bulk-9999"));
    assert!(dashboard.text().contains("FIND"));
}
