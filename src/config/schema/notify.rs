//! Settings about how a person is called.

use crate::config::schema::{Key, SPAN, used};
use crate::config::value::Kind;

/// Them, in the order of the documentation.
pub(super) const NOTIFY: &[Key] = &[
    used(
        "notify.when",
        Kind::Choice(&["away", "always", "never"]),
        Some("away"),
        "When you are called about what needs you: while your terminal says that you look elsewhere, or none is attached; always; or never.",
        "A11",
    ),
    used(
        "notify.way",
        Kind::Choice(&["auto", "osc9", "osc777", "bell", "none"]),
        Some("auto"),
        "How it shows a notification; `auto`: as the terminal is known to understand, else only the bell.",
        "A11",
    ),
    used(
        "notify.bell",
        Kind::Switch,
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
        Kind::Hours,
        None,
        "Hours of the day in which nobody is called; what still waits at their end is told then, together.",
        "A11",
    ),
    used(
        "notify.command",
        Kind::Words,
        None,
        "A program the server calls you by, also when nothing is attached; gets one line as its last argument.",
        "A11",
    ),
    used(
        "notify.url",
        Kind::Address,
        None,
        "Where the server posts what it calls you for, also when nothing is attached.",
        "A11",
    ),
    used(
        "notify.format",
        Kind::Choice(&["json", "ntfy"]),
        Some("json"),
        "What is posted: a JSON document, or a line with a title for a topic of an ntfy server.",
        "A11, P53",
    ),
    used(
        "notify.secret",
        Kind::Secret,
        None,
        "What posts are signed with (`X-Dbs-Signature`).",
        "A11",
    ),
    used(
        "notify.token",
        Kind::Secret,
        None,
        "What proves that the server may post there (`Authorization: Bearer`).",
        "A11",
    ),
    used(
        "notify.title",
        Kind::Switch,
        Some("true"),
        "Whether the window's title says how many things need you.",
        "A11",
    ),
    used(
        "notify.progress",
        Kind::Switch,
        Some("true"),
        "Whether a terminal that is known to show it is told how far the work is.",
        "A15",
    ),
    used(
        "notify.through_tmux",
        Kind::Switch,
        Some("false"),
        "Whether notifications are passed through tmux to the terminal around it (its `allow-passthrough` must be on, too).",
        "A11",
    ),
];
