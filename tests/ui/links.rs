//! Opening links: the whole target is shown first, only web links are opened, and over a remote connection the link is copied.

use dbs::display::PastePreview;
use dbs::domain::AttemptId;
use dbs::term::keys::{Button, Modifiers, MouseInput, MouseKind};
use dbs::ui::{ClientLocation, ProgramInput, ScreenId, UiInput, UiRequest};

use crate::fixture::Dashboard;

const RAVEL: ScreenId = ScreenId::Attempt(AttemptId(11));
const TARGET: &str = "https://example.org/build/17";

/// Looks at an agent that has shown that text.
fn looking(text: &str) -> Dashboard {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.screens.agent(11, text);
    dashboard.press("3");
    dashboard.press("g Enter");
    assert_eq!(dashboard.mode(), "LOOK");
    dashboard
}

fn opened() -> [UiRequest; 1] {
    [UiRequest::OpenLink(TARGET.to_owned())]
}

#[test]
fn the_only_link_on_a_screen_is_shown_and_opened_after_a_yes() {
    let mut dashboard = looking(&format!("see {TARGET}. Then go on\n"));
    assert_eq!(dashboard.press("U"), []);
    assert_eq!(dashboard.mode(), "ASK");
    assert!(dashboard.text().contains(TARGET) && dashboard.text().contains("Open this link?"));
    assert_eq!(dashboard.press("Enter"), [], "without the word the answer is no");
    assert_eq!(dashboard.press("U y"), opened());
}

#[test]
fn of_several_links_one_is_chosen_the_last_one_first() {
    let mut dashboard = looking(&format!("{TARGET}\nhttp://example.org/other\n{TARGET}\n"));
    dashboard.press("U");
    assert!(dashboard.text().contains("Open which link?"));
    assert_eq!(dashboard.press("Enter y"), opened());
    assert_eq!(
        dashboard.press("U j Enter y"),
        [UiRequest::OpenLink("http://example.org/other".to_owned())]
    );
}

#[test]
fn the_link_under_the_cursor_of_a_terminal_held_still_is_meant() {
    let mut dashboard = looking(&format!("http://example.org/other\nand {TARGET}\n"));
    dashboard.press("C-b [ g j 4 l");
    assert_eq!(dashboard.press("o y"), opened());
    assert_eq!(
        dashboard.press("v l o"),
        [],
        "with a selection the key goes to its other end"
    );
    assert_eq!(dashboard.mode(), "COPY");
}

#[test]
fn control_and_a_click_mean_the_link_there() {
    let mut dashboard = looking(&format!("  {TARGET}\n"));
    let frame = dashboard.frame().1;
    let area = frame.panes.iter().find(|pane| pane.focus).expect("pane").area;
    let mut click = |column| {
        let event = MouseInput {
            kind: MouseKind::Press(Button::Left),
            col: column,
            row: area.y,
            modifiers: Modifiers::CONTROL,
        };
        dashboard.input(UiInput::Mouse(event));
        let asked = dashboard.mode() == "ASK";
        (asked, dashboard.press("y"))
    };
    assert_eq!(click(area.x + 2), (true, opened().to_vec()));
    assert!(!click(area.x).0);
}

#[test]
fn over_a_connection_a_link_is_copied_instead() {
    let mut dashboard = looking(TARGET);
    dashboard.state.location = ClientLocation::Remote;
    dashboard.press("U");
    assert!(dashboard.text().contains("Copy this link?"));
    assert_eq!(
        dashboard.press("y"),
        [UiRequest::CopyToClipboard(TARGET.to_owned())]
    );
}

#[test]
fn a_host_that_only_looks_like_another_is_pointed_out() {
    let mut dashboard = looking("http://ex\u{430}mple.org/");
    dashboard.press("U");
    assert!(dashboard.text().contains("letters that look like others"));
    let mut dashboard = looking("https://example.org@evil.test/");
    dashboard.press("U");
    assert!(dashboard.text().contains("not where it leads"));
}

#[test]
fn a_screen_without_links_says_so() {
    let mut dashboard = looking("file:///etc/passwd and javascript:alert(1)\n");
    assert_eq!(dashboard.press("U"), []);
    assert!(dashboard.text().contains("there is none on this screen"));
}

#[test]
fn lines_that_a_program_would_take_for_enter_are_shown_before_they_are_pasted() {
    let text = || "make clean\nmake install".to_owned();
    let sent = || [UiRequest::SendInput(RAVEL, ProgramInput::Paste(text()))];
    let mut dashboard = looking("$ ");
    dashboard.press("i");
    dashboard
        .screens
        .all
        .get_mut(&RAVEL)
        .expect("screen")
        .marks_pastes = false;
    assert_eq!(dashboard.input(UiInput::Paste(text())), []);
    assert!(
        dashboard.text().contains("takes every line end as Enter"),
        "{}",
        dashboard.text()
    );
    assert_eq!(dashboard.press("y"), sent());
    dashboard
        .screens
        .all
        .get_mut(&RAVEL)
        .expect("screen")
        .marks_pastes = true;
    assert_eq!(dashboard.input(UiInput::Paste(text())), sent());
    dashboard
        .screens
        .all
        .get_mut(&RAVEL)
        .expect("screen")
        .marks_pastes = false;
    dashboard.state.pastes = PastePreview::Never;
    assert_eq!(dashboard.input(UiInput::Paste(text())), sent());
}

#[test]
fn inside_a_multiplexer_with_the_same_prefix_the_hint_is_shown_once() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard
        .state
        .hint_prefix_in_multiplexer(dashboard.now, Some("tmux"));
    assert!(dashboard.text().contains("tmux takes C-b for itself"));
    let kept = dashboard.state.save_arrangement();
    let mut again = Dashboard::full((120, 40));
    assert!(again.state.restore_arrangement(kept, &|_| true));
    again.state.hint_prefix_in_multiplexer(again.now, Some("tmux"));
    assert!(!again.text().contains("inside tmux"));
    let mut other = Dashboard::full((120, 40));
    other.state.hint_prefix_in_multiplexer(other.now, Some("screen"));
    assert!(
        !other.text().contains("inside screen"),
        "screen has another prefix"
    );
}
