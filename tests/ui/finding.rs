//! Searching lists and terminals, holding a terminal still, selecting, copying; numbers before movements.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use dbs::domain::{AttemptId, TaskId};
use dbs::ui::{ProgramInput, ScreenId, ScrollbackLine, UiInput, UiRequest};

use crate::fixture::Desk;

const RAVEL: ScreenId = ScreenId::Attempt(AttemptId(11));

/// Looks at the agent of dbs-4, which has shown so many lines.
fn looking(lines: usize) -> Desk {
    let mut desk = Desk::full((120, 40));
    let screen = desk.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines = (0..lines).map(|n| format!("line {n} of it")).collect();
    desk.press("3");
    desk.press("g Enter");
    assert_eq!(desk.mode(), "LOOK");
    desk
}

fn copied(requests: &[UiRequest]) -> &str {
    let [UiRequest::CopyToClipboard(text)] = requests else {
        unreachable!("{requests:?}");
    };
    text
}

#[test]
fn a_filter_narrows_the_list_while_it_is_typed_and_stays_as_a_chip() {
    let mut desk = Desk::full((120, 40));
    desk.press("3");
    desk.press("/ m i g r");
    assert_eq!(desk.mode(), "FIND");
    let text = desk.text();
    assert!(text.contains("dbs-7") && !text.contains("dbs-5 "), "{text}");
    desk.press("Enter");
    assert_eq!(desk.mode(), "NAV");
    assert!(desk.text().contains("/migr 1 of 21"), "{}", desk.text());
    desk.press("Esc");
    assert!(desk.text().contains("dbs-5 "));
}

#[test]
fn in_a_filtered_list_n_goes_to_the_next_match_and_elsewhere_makes_a_task() {
    let mut desk = Desk::full((120, 40));
    desk.press("3");
    desk.press("/ d b s - 1 Enter");
    let first = desk.text();
    assert_eq!(desk.press("n n N"), []);
    assert_eq!(desk.mode(), "NAV");
    assert_ne!(desk.text(), first);
    desk.press("Esc n");
    assert_eq!(desk.mode(), "ASK");
}

#[test]
fn a_filter_that_nothing_matches_says_so_and_how_to_get_out() {
    let mut desk = Desk::full((80, 24));
    desk.press("3");
    desk.press("/ q q q");
    assert!(desk.text().contains("0 of 21 match `qqq`. Esc clears."));
    desk.press("Esc");
    assert!(!desk.text().contains("qqq"));
}

#[test]
fn what_is_selected_is_one_of_those_that_match() {
    let mut desk = Desk::full((120, 40));
    desk.press("3");
    desk.press("/ R o u n d i n g Enter");
    assert_eq!(
        desk.press("a"),
        [UiRequest::Command(dbs::domain::Command::Approve("dbs-16".into()))]
    );
}

#[test]
fn a_number_before_a_movement_repeats_it_and_alone_it_is_a_tab() {
    let mut desk = Desk::full((120, 40));
    desk.press("j j j");
    let three = desk.text();
    let mut other = Desk::full((120, 40));
    other.press("3 j");
    assert_eq!(other.text(), three);
    other.press("3");
    assert!(other.text().contains("[3 Board]"));
    other.press("1 z");
    assert!(other.text().contains("[1 Main]"));
}

#[test]
fn looking_for_text_holds_a_terminal_still_and_goes_from_match_to_match() {
    let mut desk = looking(500);
    desk.press("?");
    desk.press("Esc /");
    for key in "line 7 ".chars() {
        desk.press(
            if key == ' ' {
                "Space".to_owned()
            } else {
                key.to_string()
            }
            .as_str(),
        );
    }
    desk.press("Enter");
    assert_eq!(desk.mode(), "COPY");
    assert!(desk.text().contains("line 7 of it"), "{}", desk.text());
    assert_eq!(desk.press("n N v $ y").len(), 1);
    assert_eq!(desk.mode(), "LOOK");
}

#[test]
fn text_is_selected_with_the_keys_of_vi_and_copied() {
    let mut desk = looking(500);
    desk.press("C-b [ g");
    assert_eq!(copied(&desk.press("w v e y")), "0 of");
    desk.press("C-b [ g");
    assert_eq!(copied(&desk.press("V j y")), "line 0 of it\nline 1 of it");
    desk.press("C-b [ g");
    assert_eq!(copied(&desk.press("C-v 2 j 3 l Enter")), "line\nline\nline");
    desk.press("C-b [ g");
    assert_eq!(copied(&desk.press("y")), "line 0 of it");
    assert!(desk.text().contains("copied 12 characters"));
}

#[test]
fn output_goes_on_while_a_terminal_is_held_still_and_is_not_seen() {
    let mut desk = looking(100);
    desk.press("C-b [");
    let before = desk.text();
    let screen = desk.screens.all.get_mut(&RAVEL).expect("screen");
    screen.lines.extend((0..50).map(|n| format!("new {n}")));
    assert_eq!(desk.text(), before);
    desk.press("q");
    assert!(desk.text().contains("new 49"));
}

#[test]
fn whoever_typed_goes_on_typing_afterwards_and_can_paste_what_was_copied() {
    let mut desk = looking(100);
    desk.press("i C-b [");
    assert_eq!(desk.mode(), "COPY");
    desk.press("g y");
    assert_eq!(desk.mode(), "TYPE");
    let pasted = ProgramInput::Paste("line 0 of it".to_owned());
    assert_eq!(desk.press("C-b ]"), [UiRequest::SendInput(RAVEL, pasted)]);
}

#[test]
fn at_the_beginning_older_lines_are_asked_for_once_and_come_before_the_others() {
    let mut desk = looking(100);
    desk.press("C-b [ g");
    let asked = desk.press("k");
    assert!(
        matches!(asked.as_slice(), [UiRequest::LoadOlderLines(id, _)] if *id == RAVEL),
        "{asked:?}"
    );
    assert_eq!(desk.press("k"), []);
    let older = ["the very first", "and the second"].map(ScrollbackLine::plain);
    let known = (0..100).map(|n| ScrollbackLine::plain(format!("line {n} of it")));
    desk.state
        .add_older_lines(desk.now, RAVEL, older.into_iter().chain(known).collect());
    assert_eq!(copied(&desk.press("g y")), "the very first");
    desk.press("C-b [ g");
}

#[test]
fn a_selection_over_the_limit_is_cut_and_says_so() {
    let mut desk = looking(10_000);
    desk.press("C-b [ g V G");
    let requests = desk.press("y");
    assert_eq!(copied(&requests).len(), 100 * 1024);
    assert!(desk.text().contains("only the first 100 KB"));
}

#[test]
fn the_mouse_selects_and_letting_go_copies() {
    let mut desk = looking(100);
    let area = desk
        .frame()
        .1
        .panes
        .iter()
        .find(|pane| pane.focus)
        .expect("pane")
        .area;
    let mouse = |kind, column, row| {
        UiInput::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        })
    };
    desk.press("C-b [");
    desk.press("g q");
    desk.press("g");
    let (x, y) = (area.x, area.y + 2);
    desk.input(mouse(MouseEventKind::Down(MouseButton::Left), x, y));
    desk.input(mouse(MouseEventKind::Drag(MouseButton::Left), x + 3, y));
    assert_eq!(desk.mode(), "COPY");
    let requests = desk.input(mouse(MouseEventKind::Up(MouseButton::Left), x + 3, y));
    assert_eq!(copied(&requests), "line");
}

#[test]
fn a_terminal_that_is_held_still_never_receives_a_key() {
    let mut desk = looking(100);
    desk.press("i C-b [");
    for key in "abcdefghijklmnoprstuwxz".chars() {
        let requests = desk.press(&key.to_string());
        assert!(
            !requests
                .iter()
                .any(|request| matches!(request, UiRequest::SendInput(..))),
            "{key}: {requests:?}"
        );
        if desk.mode() != "COPY" {
            desk.press("Esc");
            desk.press("C-b [");
        }
    }
}

#[test]
fn ten_thousand_tasks_are_filtered_between_two_frames() {
    let mut desk = Desk::full((120, 40));
    let like = desk
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
        desk.board
            .tasks
            .insert(task.id.clone(), std::sync::Arc::new(task));
    }
    desk.model = dbs::read_model::ReadModel::of(&desk.board, desk.now);
    desk.press("3");
    desk.press("/ 9 9 9 9");
    assert!(desk.text().contains("bulk-9999"));
    assert!(desk.text().contains("FIND"));
}
