//! The rows about the program itself. Data only.

use super::row;
use crate::ui::action::{Action, ActionEntry, ActionGroup, Availability};

pub(super) const ROWS: &[ActionEntry] = &[
    row(
        Action::Palette,
        "palette",
        (
            "palette",
            "Find any action, task or pane by a few letters and run it, or go there.",
        ),
        &["command", "search", "menu", "everything"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::Help,
        "help",
        (
            "help",
            "What you see, what the keys do here, and all keys; type to search, Enter runs.",
        ),
        &["keys", "manual", "what"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::Demo,
        "demo",
        (
            "demo",
            "Play the demo: scripted agents in a throw-away repository, no account, no network. You come back here.",
        ),
        &["try", "example", "tour", "first"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::Detach,
        "leave",
        (
            "leave",
            "Leave the screen. The server and the agents go on. Its plain key goes back first, out of what was opened in a pane.",
        ),
        &["quit", "exit", "detach"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::Redraw,
        "redraw",
        ("redraw", "Draw everything anew."),
        &["refresh", "clear"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::ChooseTheme,
        "theme",
        (
            "theme",
            "Choose how the screen looks; each theme is shown while it is marked.",
        ),
        &["colours", "colors", "dark", "light", "contrast", "looks"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::RenameSession,
        "rename_session",
        (
            "rename session",
            "Give the session another name: in the top bar, in the list of sessions, for `dbs attach`.",
        ),
        &["title", "name", "project"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::Interrupt,
        "interrupt",
        (
            "interrupt",
            "Never stops anything: says how to leave and how to stop.",
        ),
        &["ctrl-c", "cancel"],
        (ActionGroup::Program, Availability::Always),
    ),
    row(
        Action::StopServer,
        "stop_server",
        (
            "stop server",
            "Stop the server; asks first. Agents go on and are found again at the next start.",
        ),
        &["shutdown", "kill server"],
        (ActionGroup::Program, Availability::Always),
    ),
];
