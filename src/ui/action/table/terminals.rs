//! The rows about terminals. Data only.

use super::row;
use crate::ui::action::{Action, Entry, Group, When};

pub(super) const ROWS: &[Entry] = &[
    row(
        Action::Type,
        "type",
        ("type here", "Send every key but the prefix to the terminal."),
        &["insert", "attach", "interact", "takeover"],
        (Group::Terminals, When::Terminal),
    ),
    row(
        Action::Look,
        "look",
        (
            "look",
            "Keep the keys and look at the terminal: scroll back and forth.",
        ),
        &["scroll", "copy mode", "detach keys", "read"],
        (Group::Terminals, When::Always),
    ),
    row(
        Action::NewShell,
        "new_shell",
        ("new shell", "A new tab with a shell."),
        &["terminal", "window", "command"],
        (Group::Terminals, When::Always),
    ),
    row(
        Action::ToggleTyping,
        "toggle_typing",
        (
            "type or look",
            "Send every key to the terminal, or keep them again.",
        ),
        &["toggle", "mode"],
        (Group::Terminals, When::Terminal),
    ),
    row(
        Action::OpenBeside,
        "open_beside",
        ("open beside", "Show the agent in a new pane beside this one."),
        &["split agent", "new pane"],
        (Group::Terminals, When::Agent),
    ),
    row(
        Action::ShellHere,
        "shell_here",
        ("shell there", "Open a shell where the agent of this task works."),
        &["worktree", "terminal", "command"],
        (Group::Terminals, When::Workplace),
    ),
    row(
        Action::FindEverywhere,
        "find_everywhere",
        (
            "find in all",
            "Search what all agents have shown, from their logs; Tab leads there from any other search, too.",
        ),
        &["search all", "history", "grep", "logs"],
        (Group::Terminals, When::Always),
    ),
];
