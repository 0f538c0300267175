//! Settings about how a person is called.

use crate::config::schema::{SPAN, SettingSpec, used};
use crate::config::value::ValueKind;

/// Them, in the order of the documentation.
pub(super) const NOTIFY: &[SettingSpec] = &[
    used(
        "notify.when",
        ValueKind::Choice(&["away", "always", "never"]),
        Some("away"),
        "When you are called about what needs you: while your terminal says that you look elsewhere, or none is attached; always; or never.",
        "A11",
    ),
    used(
        "notify.way",
        ValueKind::Choice(&["auto", "osc9", "osc777", "bell", "none"]),
        Some("auto"),
        "How it shows a notification; `auto`: as the terminal is known to understand, else only the bell.",
        "A11",
    ),
    used(
        "notify.bell",
        ValueKind::Switch,
        Some("true"),
        "Whether the bell rings with it.",
        "A11",
    ),
    used(
        "notify.pause",
        SPAN,
        Some("5"),
        "Least time between two calls; what happens meanwhile is told together.",
        "A11",
    ),
    used(
        "notify.quiet",
        ValueKind::Hours,
        None,
        "Hours of the day in which nobody is called; what still waits at their end is told then, together.",
        "A11",
    ),
    used(
        "notify.command",
        ValueKind::Words,
        None,
        "A program the server calls you by, also when nothing is attached; gets one line as its last argument.",
        "A11",
    ),
    used(
        "notify.url",
        ValueKind::Address,
        None,
        "Where the server posts what it calls you for, also when nothing is attached.",
        "A11",
    ),
    used(
        "notify.format",
        ValueKind::Choice(&["json", "ntfy"]),
        Some("json"),
        "What is posted: a JSON document, or a line with a title for a topic of an ntfy server.",
        "A11, P53",
    ),
    used(
        "notify.secret",
        ValueKind::Secret,
        None,
        "What posts are signed with (`X-Dbs-Signature`).",
        "A11",
    ),
    used(
        "notify.token",
        ValueKind::Secret,
        None,
        "What proves that the server may post there (`Authorization: Bearer`).",
        "A11",
    ),
    used(
        "notify.title",
        ValueKind::Switch,
        Some("true"),
        "Whether the window's title says how many things need you.",
        "A11",
    ),
    used(
        "notify.progress",
        ValueKind::Switch,
        Some("true"),
        "Whether a terminal that is known to show it is told how far the work is.",
        "A15",
    ),
    used(
        "notify.through_tmux",
        ValueKind::Switch,
        Some("false"),
        "Whether notifications are passed through tmux to the terminal around it (its `allow-passthrough` must be on, too).",
        "A11",
    ),
];
