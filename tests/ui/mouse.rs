//! The mouse: first focus, then act; the wheel.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use dbs::domain::{AttemptId, TaskId};
use dbs::term::keys::{MouseInput, MouseKind};
use dbs::ui::{Hit, Input, Request, ScreenId, Typed, Wants};
use ratatui::layout::Rect;

use crate::fixture::Desk;

fn event(kind: MouseEventKind, (column, row): (u16, u16)) -> Input {
    Input::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    })
}

pub(crate) fn click(desk: &mut Desk, hit: &Hit) -> Vec<Request> {
    let area = place(desk, hit);
    desk.input(event(
        MouseEventKind::Down(MouseButton::Left),
        (area.x + 1, area.y),
    ))
}

fn place(desk: &Desk, hit: &Hit) -> Rect {
    let hits = desk.frame().1.hits;
    hits.into_iter().find(|(_, other)| other == hit).expect("drawn").0
}

fn row(desk: &Desk, wanted: &str) -> Hit {
    let hits = desk.frame().1.hits;
    let found = hits
        .into_iter()
        .find(|(_, hit)| matches!(hit, Hit::Task(_, task) if *task == TaskId::from(wanted)));
    found.expect("row").1
}

#[test]
fn the_first_click_selects_and_the_second_opens() {
    let mut desk = Desk::full((200, 60));
    let hit = row(&desk, "dbs-7");
    click(&mut desk, &hit);
    assert_eq!(desk.mode(), "NAV");
    assert!(desk.text().contains("dbs-7  Database migration"));
    click(&mut desk, &hit);
    assert_eq!(desk.mode(), "LOOK");
    assert!(desk.text().contains("Do you want to proceed?"));
}

#[test]
fn a_click_on_a_terminal_focuses_and_the_next_one_types() {
    let mut desk = Desk::full((200, 60));
    let panes = desk.frame().1.panes;
    let shell = panes
        .iter()
        .find(|pane| pane.screen == Some(ScreenId::Shell(1)))
        .expect("shell");
    let at = (shell.area.x + 3, shell.area.y + 1);
    desk.input(event(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!(desk.mode(), "LOOK");
    desk.input(event(MouseEventKind::Down(MouseButton::Left), at));
    assert_eq!(desk.mode(), "TYPE");
}

#[test]
fn tabs_and_the_strip_can_be_clicked() {
    let mut desk = Desk::full((120, 40));
    click(&mut desk, &Hit::Tab(2));
    assert!(desk.text().contains("[3 Board]"));
    desk.model
        .attention
        .retain(|item| item.attempt == Some(AttemptId(13)));
    click(&mut desk, &Hit::Strip);
    assert!(desk.text().contains("Do you want to proceed?"));
}

#[test]
fn the_wheel_scrolls_what_is_under_it_without_moving_the_focus() {
    let mut desk = Desk::full((200, 60));
    let screen = desk.screens.all.get_mut(&ScreenId::Shell(1)).expect("shell");
    screen.lines = (0..100).map(|number| format!("line {number}")).collect();
    let panes = desk.frame().1.panes;
    let shell = panes
        .iter()
        .find(|pane| pane.screen == Some(ScreenId::Shell(1)))
        .expect("shell")
        .area;
    desk.input(event(MouseEventKind::ScrollUp, (shell.x, shell.y)));
    assert!(desk.text().contains("3 lines back"));
    assert_eq!(desk.mode(), "NAV");
}

#[test]
fn the_wheel_and_clicks_go_to_a_program_that_asked_for_the_mouse() {
    let mut desk = Desk::full((120, 40));
    let id = ScreenId::Attempt(AttemptId(11));
    desk.screens.all.get_mut(&id).expect("screen").wants = Wants {
        mouse: true,
        wheel_keys: false,
    };
    desk.press("g i");
    let area = desk
        .frame()
        .1
        .panes
        .iter()
        .find(|pane| pane.focus)
        .expect("pane")
        .area;
    let sent = desk.input(event(MouseEventKind::ScrollUp, (area.x + 4, area.y + 2)));
    let [Request::TypeInto(to, Typed::Mouse(MouseInput { kind, col, row, .. }))] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    assert_eq!((*to, *kind, *col, *row), (id, MouseKind::WheelUp, 4, 2));
    let sent = desk.input(event(MouseEventKind::Down(MouseButton::Left), (area.x, area.y)));
    assert_eq!(sent.len(), 1);
}
