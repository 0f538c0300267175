//! The mouse: first focus, then act; the wheel.

use dbs::display::MouseCapture;
use dbs::domain::{AttemptId, Span, TaskId};
use dbs::term::keys::{Button, Modifiers, MouseInput, MouseKind};
use dbs::ui::{ClickTarget, LogLine, MouseReporting, ProgramInput, ScreenId, UiInput, UiRequest};
use ratatui::layout::Rect;

use crate::fixture::Dashboard;

fn event(kind: MouseKind, (column, row): (u16, u16)) -> UiInput {
    UiInput::Mouse(MouseInput {
        kind,
        col: column,
        row,
        modifiers: Modifiers::empty(),
    })
}

pub(crate) fn click(dashboard: &mut Dashboard, hit: &ClickTarget) -> Vec<UiRequest> {
    let area = place(dashboard, hit);
    dashboard.input(event(MouseKind::Press(Button::Left), (area.x + 1, area.y)))
}

fn place(dashboard: &Dashboard, hit: &ClickTarget) -> Rect {
    let hits = dashboard.frame().1.hits;
    hits.into_iter().find(|(_, other)| other == hit).expect("drawn").0
}

fn row(dashboard: &Dashboard, wanted: &str) -> ClickTarget {
    let hits = dashboard.frame().1.hits;
    let found = hits
        .into_iter()
        .find(|(_, hit)| matches!(hit, ClickTarget::Task(_, task) if *task == TaskId::from(wanted)));
    found.expect("row").1
}

#[test]
fn the_first_click_selects_and_the_second_opens() {
    let mut dashboard = Dashboard::full((200, 60));
    let hit = row(&dashboard, "dbs-7");
    click(&mut dashboard, &hit);
    assert_eq!(dashboard.mode(), "NAV");
    assert!(dashboard.text().contains("dbs-7  Database migration"));
    click(&mut dashboard, &hit);
    assert_eq!(dashboard.mode(), "LOOK");
    assert!(dashboard.text().contains("Do you want to proceed?"));
}

#[test]
fn a_click_on_a_terminal_focuses_and_the_next_one_types() {
    let mut dashboard = Dashboard::classic((200, 60));
    let panes = dashboard.frame().1.panes;
    let shell = panes
        .iter()
        .find(|pane| pane.screen == Some(ScreenId::Shell(1)))
        .expect("shell");
    let at = (shell.area.x + 3, shell.area.y + 1);
    dashboard.input(event(MouseKind::Press(Button::Left), at));
    assert_eq!(dashboard.mode(), "LOOK");
    dashboard.input(event(MouseKind::Press(Button::Left), at));
    assert_eq!(dashboard.mode(), "TYPE");
}

/// The columns and the row where these words are drawn first from the top.
fn drawn(dashboard: &Dashboard, words: &str) -> Rect {
    let (buffer, _) = dashboard.frame();
    let (width, height) = (buffer.area.width, buffer.area.height);
    let rest = |x: u16, y: u16| (x..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let mut cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let (x, y) = cells
        .find(|(x, y)| rest(*x, *y).starts_with(words))
        .expect("drawn");
    Rect::new(x, y, u16::try_from(words.len()).expect("short"), 1)
}

#[test]
fn tabs_and_the_strip_can_be_clicked() {
    let mut dashboard = Dashboard::full((120, 40));
    for name in ["3 Board", "2 Agents", "6 Stats", "1 Main", "5 Inbox", "4 Log"] {
        for column in [0, name.len() - 1] {
            let area = drawn(&dashboard, name);
            let at = (area.x + u16::try_from(column).expect("short"), area.y);
            dashboard.input(event(DOWN, at));
            assert!(
                dashboard.text().contains(&format!("[{name}]")),
                "{name}\n{}",
                dashboard.text()
            );
            dashboard.press(if name == "1 Main" { "2" } else { "1" });
        }
    }
    // The row below the tabs leads to the item it names, wherever it is clicked.
    for words in ["NEEDS YOU 1", "go there"] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard
            .model
            .attention
            .retain(|item| item.attempt == Some(AttemptId(13)));
        dashboard.press("6");
        assert!(!dashboard.text().contains("Do you want to proceed?"));
        let area = drawn(&dashboard, words);
        assert_eq!(area.y, 1);
        dashboard.input(event(DOWN, (area.x, area.y)));
        assert!(dashboard.text().contains("Do you want to proceed?"), "{words}");
    }
}

#[test]
fn the_wheel_scrolls_what_is_under_it_without_moving_the_focus() {
    let mut dashboard = Dashboard::classic((200, 60));
    let screen = dashboard.screens.all.get_mut(&ScreenId::Shell(1)).expect("shell");
    screen.lines = (0..100).map(|number| format!("line {number}")).collect();
    let panes = dashboard.frame().1.panes;
    let shell = panes
        .iter()
        .find(|pane| pane.screen == Some(ScreenId::Shell(1)))
        .expect("shell")
        .area;
    dashboard.input(event(MouseKind::WheelUp, (shell.x, shell.y)));
    assert!(dashboard.text().contains("3 lines back"));
    assert_eq!(dashboard.mode(), "NAV");
}

#[test]
fn the_wheel_and_clicks_go_to_a_program_that_asked_for_the_mouse() {
    let mut dashboard = Dashboard::full((120, 40));
    let id = ScreenId::Attempt(AttemptId(11));
    dashboard.screens.all.get_mut(&id).expect("screen").wants = MouseReporting {
        reports: true,
        wheel_keys: false,
    };
    dashboard.press("g i");
    let area = dashboard
        .frame()
        .1
        .panes
        .iter()
        .find(|pane| pane.focus)
        .expect("pane")
        .area;
    let sent = dashboard.input(event(MouseKind::WheelUp, (area.x + 4, area.y + 2)));
    let [UiRequest::SendInput(to, ProgramInput::Mouse(MouseInput { kind, col, row, .. }))] = sent.as_slice()
    else {
        panic!("{sent:?}")
    };
    assert_eq!((*to, *kind, *col, *row), (id, MouseKind::WheelUp, 4, 2));
    let sent = dashboard.input(event(MouseKind::Press(Button::Left), (area.x, area.y)));
    assert_eq!(sent.len(), 1);
}

fn with(kind: MouseKind, (column, row): (u16, u16), modifiers: Modifiers) -> UiInput {
    UiInput::Mouse(MouseInput {
        kind,
        col: column,
        row,
        modifiers,
    })
}

const DOWN: MouseKind = MouseKind::Press(Button::Left);
const DRAG: MouseKind = MouseKind::Motion(Some(Button::Left));
const UP: MouseKind = MouseKind::Release(Button::Left);

fn focused(dashboard: &Dashboard) -> Rect {
    let panes = dashboard.frame().1.panes;
    panes.iter().find(|pane| pane.focus).expect("focus").area
}

#[test]
fn a_line_between_panes_is_dragged_and_stays_where_it_was_let_go() {
    // The line at the right of the board, or the one below it where the board has none at its right.
    let ends = [
        ((200, 60), (1, 0), Rect::right as fn(Rect) -> u16),
        ((120, 40), (0, 1), Rect::bottom),
    ];
    for (size, (right, down), end) in ends {
        let mut dashboard = Dashboard::full(size);
        let before = focused(&dashboard);
        let line = if right == 1 {
            (before.right(), before.y + 5)
        } else {
            (before.x + 30, before.bottom())
        };
        let moved = |by: u16| (line.0 + right * by, line.1 + down * by);
        let back = (line.0 - right * 3, line.1 - down * 3);
        dashboard.input(event(DOWN, line));
        assert_eq!(
            dashboard.mode(),
            "NAV",
            "the click does not act on the pane inside"
        );
        dashboard.input(event(DRAG, moved(4)));
        assert_eq!(end(focused(&dashboard)), end(before) + 4);
        dashboard.input(event(DRAG, back));
        dashboard.input(event(UP, back));
        dashboard.input(event(DRAG, moved(9)));
        assert_eq!(end(focused(&dashboard)), end(before) - 3);
        assert_eq!(dashboard.mode(), "NAV");
        dashboard.input(event(DOWN, back));
        dashboard.input(event(UP, back));
        assert_ne!(
            end(focused(&dashboard)),
            end(before) - 3,
            "a click without a drag does not resize"
        );
    }
}

#[test]
fn dragging_where_there_is_no_line_or_where_the_tab_arranges_itself_moves_nothing() {
    let mut dashboard = Dashboard::full((200, 60));
    for (keys, at) in [("1", (0, 10)), ("2", (60, 10)), ("1 z", (60, 10))] {
        dashboard.press(keys);
        let before = dashboard.frame().1.panes;
        dashboard.input(event(DOWN, at));
        dashboard.input(event(DRAG, (at.0 + 20, at.1)));
        dashboard.input(event(UP, (at.0 + 20, at.1)));
        dashboard.press("Esc Esc");
        dashboard.press(keys);
        let after = dashboard.frame().1.panes;
        assert_eq!(before.len(), after.len(), "{keys}");
        for (one, other) in before.iter().zip(&after) {
            assert_eq!(one.area, other.area, "{keys}");
        }
    }
}

#[test]
fn a_click_on_a_hint_presses_its_key() {
    let mut dashboard = Dashboard::full((120, 40));
    let hint = |key: &str| ClickTarget::Keys(key.split(' ').map(|key| key.parse().expect("key")).collect());
    click(&mut dashboard, &hint("?"));
    assert_eq!(dashboard.mode(), "ASK");
    click(&mut dashboard, &hint("Esc"));
    assert_eq!(dashboard.mode(), "NAV");
    dashboard.press("x");
    assert_eq!(
        click(&mut dashboard, &hint("y")),
        [UiRequest::Command(dbs::domain::Command::Kill(AttemptId(11)))]
    );
    dashboard.press("3 g i");
    assert_eq!(dashboard.mode(), "TYPE");
    let left = UiRequest::SendInput(ScreenId::Attempt(AttemptId(11)), ProgramInput::Focus(false));
    assert_eq!(click(&mut dashboard, &hint("C-b Esc")), [left]);
    assert_eq!(dashboard.mode(), "LOOK");
}

#[test]
fn with_shift_the_outer_terminal_selects_and_nothing_happens_here() {
    let mut dashboard = Dashboard::full((200, 60));
    let area = focused(&dashboard);
    let before = dashboard.text();
    for (kind, by) in [(DOWN, 2), (DRAG, 9), (UP, 9)] {
        let at = (area.x + by, area.y + 2);
        assert_eq!(dashboard.input(with(kind, at, Modifiers::SHIFT)), []);
    }
    assert_eq!(dashboard.text(), before);
}

#[test]
fn in_text_that_is_held_still_a_click_goes_there_and_a_second_one_copies_the_word() {
    let mut dashboard = Dashboard::full((120, 40));
    let screen = ScreenId::Attempt(AttemptId(11));
    dashboard.screens.all.get_mut(&screen).expect("screen").lines =
        (0..100).map(|number| format!("some line {number}")).collect();
    dashboard.press("3 g Enter C-b [ g");
    assert_eq!(dashboard.mode(), "COPY");
    let area = focused(&dashboard);
    let at = (area.x + 6, area.y + 3);
    for _ in 0..2 {
        assert_eq!(dashboard.mode(), "COPY");
        dashboard.input(event(DOWN, at));
    }
    let requests = dashboard.input(event(UP, at));
    assert_eq!(requests, [UiRequest::CopyToClipboard("line".to_owned())]);
    assert_eq!(dashboard.mode(), "LOOK");
}

#[test]
fn the_wheel_moves_through_whatever_lies_over_the_panes() {
    let mut dashboard = Dashboard::full((80, 24));
    dashboard.press("?");
    let before = dashboard.frame().0;
    dashboard.input(event(MouseKind::WheelDown, (20, 10)));
    assert_ne!(dashboard.frame().0, before);
    dashboard.input(event(MouseKind::WheelUp, (20, 10)));
    assert_eq!(dashboard.frame().0, before);
}

#[test]
fn two_clicks_on_a_row_open_it_as_enter_does() {
    let mut clicked = Dashboard::full((200, 60));
    clicked.press("3");
    let hit = row(&clicked, "dbs-5");
    click(&mut clicked, &hit);
    click(&mut clicked, &hit);
    let by_mouse = clicked.text();
    let mut other = Dashboard::full((200, 60));
    other.press("3");
    let hit = row(&other, "dbs-5");
    click(&mut other, &hit);
    other.press("Enter");
    assert_eq!(other.text(), by_mouse);
}

#[test]
fn of_the_mouse_only_the_wheel_or_nothing_at_all_is_heeded_when_that_is_set() {
    for (heeded, scrolls) in [(MouseCapture::Scroll, true), (MouseCapture::Off, false)] {
        let mut dashboard = Dashboard::classic((200, 60));
        dashboard.state.mouse = heeded;
        let screen = dashboard.screens.all.get_mut(&ScreenId::Shell(1)).expect("shell");
        screen.lines = (0..100).map(|number| format!("line {number}")).collect();
        let before = focused(&dashboard);
        click(&mut dashboard, &ClickTarget::Tab(2));
        assert!(!dashboard.text().contains("[3 Board]"), "{heeded:?}");
        let panes = dashboard.frame().1.panes;
        let shell = panes.iter().find(|pane| pane.screen == Some(ScreenId::Shell(1)));
        let at = shell.map(|pane| (pane.area.x, pane.area.y)).expect("shell");
        dashboard.input(event(DOWN, at));
        assert_eq!(
            (focused(&dashboard), dashboard.mode()),
            (before, "NAV".into()),
            "{heeded:?}"
        );
        dashboard.input(event(MouseKind::WheelUp, at));
        assert_eq!(dashboard.text().contains("3 lines back"), scrolls, "{heeded:?}");
    }
}

#[test]
fn a_program_that_asked_gets_its_clicks_also_when_only_the_wheel_is_ours() {
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.state.mouse = MouseCapture::Scroll;
    let id = ScreenId::Attempt(AttemptId(11));
    dashboard.screens.all.get_mut(&id).expect("screen").wants = MouseReporting {
        reports: true,
        wheel_keys: false,
    };
    dashboard.press("g i");
    let area = focused(&dashboard);
    for kind in [DOWN, DRAG, UP, MouseKind::WheelUp] {
        assert_eq!(
            dashboard.input(event(kind, (area.x, area.y))).len(),
            1,
            "{kind:?}"
        );
    }
}

/// A client that types to a program with mouse reporting, with the terminal and its area.
fn typing_with_mouse() -> (Dashboard, ScreenId, Rect) {
    let mut dashboard = Dashboard::full((200, 60));
    let id = ScreenId::Attempt(AttemptId(11));
    let screen = dashboard.screens.all.get_mut(&id).expect("screen");
    screen.lines = (0..200).map(|number| format!("line {number}")).collect();
    screen.wants = MouseReporting {
        reports: true,
        wheel_keys: true,
    };
    dashboard.press("g i");
    assert_eq!(dashboard.mode(), "TYPE");
    let area = focused(&dashboard);
    (dashboard, id, area)
}

#[test]
fn a_program_that_received_a_press_receives_its_release_wherever_that_is() {
    let (mut dashboard, id, area) = typing_with_mouse();
    let inside = (area.x + 4, area.y + 2);
    let outside = (0, 0);
    assert_eq!(dashboard.input(event(DOWN, inside)).len(), 1);
    for (kind, wished) in [
        (DRAG, MouseKind::Motion(Some(Button::Left))),
        (UP, MouseKind::Release(Button::Left)),
    ] {
        let sent = dashboard.input(event(kind, outside));
        let [UiRequest::SendInput(to, ProgramInput::Mouse(input))] = sent.as_slice() else {
            panic!("{kind:?}: {sent:?}")
        };
        assert_eq!((*to, input.kind, input.col, input.row), (id, wished, 0, 0));
    }
    // The program no longer holds the mouse.
    assert_eq!(dashboard.input(event(DRAG, outside)), []);
    assert_eq!(dashboard.input(event(UP, outside)), []);
}

#[test]
fn the_wheel_moves_through_what_was_shown_before_whatever_its_program_asked_for() {
    let (mut dashboard, _, area) = typing_with_mouse();
    let at = (area.x + 4, area.y + 2);
    dashboard.press("C-b Esc k k");
    assert!(dashboard.text().contains("2 lines back"), "{}", dashboard.text());
    assert_eq!(dashboard.input(event(MouseKind::WheelUp, at)), []);
    assert!(dashboard.text().contains("5 lines back"), "{}", dashboard.text());
    for _ in 0..2 {
        assert_eq!(dashboard.input(event(MouseKind::WheelDown, at)), []);
    }
    // At the newest line the wheel belongs to the program again.
    assert_eq!(dashboard.input(event(MouseKind::WheelUp, at)).len(), 1);
    dashboard.press("C-b [");
    let before = dashboard.text();
    assert_eq!(dashboard.input(event(MouseKind::WheelUp, at)), []);
    assert_ne!(dashboard.text(), before);
}

#[test]
fn the_wheel_is_a_programs_keys_only_while_it_is_typed_to() {
    let mut dashboard = Dashboard::full((200, 60));
    let id = ScreenId::Attempt(AttemptId(11));
    let screen = dashboard.screens.all.get_mut(&id).expect("screen");
    screen.lines = (0..200).map(|number| format!("line {number}")).collect();
    screen.wants = MouseReporting {
        reports: false,
        wheel_keys: true,
    };
    dashboard.press("g Enter");
    assert_eq!(dashboard.mode(), "LOOK");
    let area = focused(&dashboard);
    let at = (area.x + 4, area.y + 2);
    assert_eq!(dashboard.input(event(MouseKind::WheelUp, at)), []);
    assert!(dashboard.text().contains("3 lines back"), "{}", dashboard.text());
    dashboard.press("i");
    assert_eq!(dashboard.input(event(MouseKind::WheelUp, at)).len(), 1);
}

/// Clicks twice where the first row of that sort is drawn; returns the screen before, between and after the clicks.
fn two_clicks(dashboard: &mut Dashboard, wanted: fn(&ClickTarget) -> bool) -> [String; 3] {
    let hits = dashboard.frame().1.hits;
    let (area, _) = hits.iter().rfind(|(_, hit)| wanted(hit)).expect("a row");
    let at = (area.x + 1, area.y);
    let mut seen = vec![dashboard.text()];
    for _ in 0..2 {
        dashboard.input(event(DOWN, at));
        dashboard.input(event(UP, at));
        seen.push(dashboard.text());
    }
    seen.try_into().expect("three")
}

#[test]
fn on_rows_of_every_sort_the_first_click_marks_and_the_second_opens() {
    // An agent in the list of agents.
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("2 C-b Left");
    let [_, first, second] = two_clicks(&mut dashboard, |hit| {
        matches!(hit, ClickTarget::Agent(_, AttemptId(12)))
    });
    assert!(!first.contains("LOOKING"), "{first}");
    assert!(second.contains("LOOKING"), "{second}");
    // A line of the log.
    let mut dashboard = Dashboard::full((120, 40));
    dashboard.press("4");
    let [before, first, second] = two_clicks(&mut dashboard, |hit| matches!(hit, ClickTarget::Row(..)));
    let title = |text: &str| {
        text.lines()
            .nth(2)
            .map(|line| line.get(..24).unwrap_or(line).to_owned())
    };
    assert_eq!(title(&before), title(&first), "{first}");
    assert_ne!(title(&first), title(&second), "{second}");
    // A row of a choice, of the palette and of the help.
    for keys in ["C-b w", ": t a b", "? t a b Space"] {
        let mut dashboard = Dashboard::full((120, 40));
        dashboard.press(keys);
        let [_, first, second] = two_clicks(&mut dashboard, |hit| *hit == ClickTarget::MenuItem(1));
        let status = |text: &str| text.lines().last().map(str::to_owned).expect("status");
        assert!(status(&first).contains("ASK"), "{keys}\n{first}");
        assert!(!status(&second).contains("ASK"), "{keys}\n{second}");
    }
    // An answer to a question of the first start.
    let mut dashboard = Dashboard::empty((120, 40));
    dashboard.state.show_welcome(dbs::ui::DetectedPrograms::default());
    let [_, first, second] = two_clicks(&mut dashboard, |hit| *hit == ClickTarget::MenuItem(1));
    assert!(first.contains("First start, 1 of 5"), "{first}");
    assert!(second.contains("First start, 2 of 5"), "{second}");
}

/// A log that is longer than the screen, with the place of its uppermost line and the text of that line.
fn long_log() -> (Dashboard, (u16, u16), String) {
    let mut dashboard = Dashboard::full((80, 15));
    let few = dashboard.log.clone();
    let last = few.last().expect("a line").seq;
    for round in 1..10 {
        let more = few.iter().cloned().map(|line| LogLine {
            seq: line.seq + round * last,
            ..line
        });
        dashboard.log.extend(more);
    }
    for line in &mut dashboard.log {
        line.notice.text = format!("number {}", line.seq);
    }
    dashboard.press("4");
    let (at, seq) = uppermost(&dashboard);
    (dashboard, at, format!("number {seq}"))
}

fn uppermost(dashboard: &Dashboard) -> ((u16, u16), u64) {
    let hits = dashboard.frame().1.hits;
    let marks = hits.iter().filter_map(|(area, hit)| match hit {
        ClickTarget::Row(_, mark) => Some(((area.x + 1, area.y), *mark)),
        _ => None,
    });
    marks.min_by_key(|((_, y), _)| *y).expect("a line")
}

#[test]
fn the_second_click_means_what_the_first_marked_also_where_the_list_moved_below_the_mouse() {
    let marked = |dashboard: &mut Dashboard| {
        dashboard.press("y");
        let text = dashboard.text();
        dashboard.press("Esc");
        text
    };
    let (mut dashboard, at, text) = long_log();
    dashboard.input(event(DOWN, at));
    assert_ne!(
        format!("number {}", uppermost(&dashboard).1),
        text,
        "the list has moved"
    );
    assert!(marked(&mut dashboard).contains(&text));
    // Within a second a click at the same place means the same line; later it means the line that is there then.
    for (later, same) in [(Span(999), true), (Span::seconds(1), false)] {
        let (mut dashboard, at, text) = long_log();
        dashboard.input(event(DOWN, at));
        dashboard.now = dashboard.now + later;
        dashboard.input(event(DOWN, at));
        dashboard.press("Esc");
        assert_eq!(
            marked(&mut dashboard).contains(&text),
            same,
            "{}",
            dashboard.text()
        );
    }
}
