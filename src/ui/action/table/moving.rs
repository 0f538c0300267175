//! The rows about moving. Data only.

use super::row;
use crate::ui::action::{Action, Entry, Group, When};
use crate::ui::pane::Direction;

pub(super) const ROWS: &[Entry] = &[
    row(
        Action::Step(Direction::Up),
        "up",
        ("up", "One step up; in a terminal or text, one line back."),
        &["previous", "scroll"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Step(Direction::Down),
        "down",
        ("down", "One step down; in a terminal or text, one line on."),
        &["next", "scroll"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Step(Direction::Left),
        "left",
        ("left", "The column to the left, or the pane there."),
        &["column"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Step(Direction::Right),
        "right",
        ("right", "The column to the right, or the pane there."),
        &["column"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::First,
        "first",
        ("top", "To the first row, or the oldest line."),
        &["home", "begin"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Last,
        "last",
        ("end", "To the last row, or the newest line, and follow it."),
        &["end", "bottom", "follow"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::PageUp,
        "page_up",
        ("page up", "One page back."),
        &["scroll"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::PageDown,
        "page_down",
        ("page down", "One page on."),
        &["scroll"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::NextPane,
        "next_pane",
        ("next pane", "The next pane of this tab."),
        &["cycle", "other"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::PreviousPane,
        "previous_pane",
        ("previous pane", "The previous pane of this tab."),
        &["cycle"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::LastPane,
        "last_pane",
        ("last pane", "Back to the pane that had the focus before."),
        &["toggle"],
        (Group::Moving, When::Panes),
    ),
    row(
        Action::Focus(Direction::Left),
        "focus_left",
        ("pane left", "The pane to the left."),
        &["select"],
        (Group::Moving, When::Panes),
    ),
    row(
        Action::Focus(Direction::Right),
        "focus_right",
        ("pane right", "The pane to the right."),
        &["select"],
        (Group::Moving, When::Panes),
    ),
    row(
        Action::Focus(Direction::Up),
        "focus_up",
        ("pane up", "The pane above."),
        &["select"],
        (Group::Moving, When::Panes),
    ),
    row(
        Action::Focus(Direction::Down),
        "focus_down",
        ("pane down", "The pane below."),
        &["select"],
        (Group::Moving, When::Panes),
    ),
    row(
        Action::Open,
        "open",
        (
            "open",
            "Look inside: a task's agent or its details; on a terminal, begin to type.",
        ),
        &["enter", "drill", "attach", "view"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Back,
        "back",
        ("back", "One level out. Never quits."),
        &["escape", "close", "return"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::Board,
        "board",
        ("board", "To the board."),
        &["kanban", "tasks", "home"],
        (Group::Moving, When::Always),
    ),
    row(
        Action::NeedsYou,
        "needs_you",
        (
            "needs you",
            "To what has waited longest for you; while typing you go on typing, there.",
        ),
        &["attention", "inbox", "next", "hop"],
        (Group::Moving, When::Attention),
    ),
];
