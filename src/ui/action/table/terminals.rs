//! The rows about terminals. Data only.

use super::row;
use crate::ui::action::{Action, ActionEntry, ActionGroup, Availability};

pub(super) const ROWS: &[ActionEntry] = &[
    row(
        Action::Type,
        "type",
        ("type here", "Send every key but the prefix to the terminal."),
        &["insert", "attach", "interact", "takeover"],
        (ActionGroup::Terminals, Availability::Terminal),
    ),
    row(
        Action::StopTyping,
        "look",
        (
            "look",
            "Keep the keys and look at the terminal: scroll back and forth.",
        ),
        &["scroll", "copy mode", "detach keys", "read"],
        (ActionGroup::Terminals, Availability::Always),
    ),
    row(
        Action::NewShell,
        "new_shell",
        ("new shell", "A new tab with a shell."),
        &["terminal", "window", "command"],
        (ActionGroup::Terminals, Availability::Always),
    ),
    row(
        Action::ToggleTyping,
        "toggle_typing",
        (
            "type or look",
            "Send every key to the terminal, or keep them again.",
        ),
        &["toggle", "mode"],
        (ActionGroup::Terminals, Availability::Terminal),
    ),
    row(
        Action::OpenBeside,
        "open_beside",
        ("open beside", "Show the agent in a new pane beside this one."),
        &["split agent", "new pane"],
        (ActionGroup::Terminals, Availability::Agent),
    ),
    row(
        Action::ShellHere,
        "shell_here",
        ("shell there", "Open a shell where the agent of this task works."),
        &["worktree", "terminal", "command"],
        (ActionGroup::Terminals, Availability::Workplace),
    ),
    row(
        Action::FindEverywhere,
        "find_everywhere",
        (
            "find in all",
            "Search what all agents have shown, from their logs; Tab leads there from any other search, too.",
        ),
        &["search all", "history", "grep", "logs"],
        (ActionGroup::Terminals, Availability::Always),
    ),
];
