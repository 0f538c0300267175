//! The views that have a name, in the order of choices, and the actions that lead there. Data only.

use crate::ui::action::Availability;
use crate::ui::action::view_name::ViewEntry;

pub(in crate::ui::action) const ROWS: &[ViewEntry] = &[
    ViewEntry::of("board", "Board"),
    ViewEntry::of("agents", "Agents"),
    ViewEntry::of("shell", "Shell"),
    ViewEntry::of("conductor", "Conductor"),
    ViewEntry::of("log", "Log")
        .offered(
            (
                "log",
                "What happened, the newest at the bottom; leads to what an agent's screen showed then.",
            ),
            &["events", "history", "watcher"],
            Availability::Always,
        )
        .with_command("dbs logs"),
    ViewEntry::of("watcher", "Watcher"),
    ViewEntry::of("task", "Task")
        .offered(
            (
                "task",
                "The task in full: what it asks for, why it stands where it stands, what was tried and written.",
            ),
            &["details", "description", "body", "attempts", "comments"],
            Availability::Task,
        )
        .with_command("dbs task show ID"),
    ViewEntry::of("inbox", "Inbox").offered(
        ("inbox", "All that needs you, oldest first; answered in place."),
        &["approvals", "questions", "permissions", "waiting"],
        Availability::Always,
    ),
    ViewEntry::of("metrics", "Metrics")
        .offered(
            (
                "metrics",
                "Figures: throughput, how long stages take, what came back, what agents use.",
            ),
            &["stats", "analytics", "throughput", "cpu", "memory"],
            Availability::Always,
        )
        .with_command("dbs metrics"),
    ViewEntry::of("sessions", "Sessions")
        .offered(
            (
                "sessions",
                "Your projects with a server: running, detached, or cut off; go to another.",
            ),
            &["projects", "switch", "servers", "attach"],
            Availability::Always,
        )
        .with_command("dbs sessions"),
    ViewEntry::of("history", "History"),
    ViewEntry::of("graph", "Dependencies").offered(
        (
            "dependencies",
            "What waits for what, how deep it goes, and the longest chain of work that is left.",
        ),
        &["tree", "critical path", "blocked", "order"],
        Availability::Always,
    ),
    ViewEntry::of("gates", "Gates").offered(
        (
            "gates",
            "The checks the engine ran, failed ones first: command, how it ended, how long, output.",
        ),
        &["checks", "tests", "evidence", "output"],
        Availability::Always,
    ),
    ViewEntry::of("diff", "Diff").offered(
        (
            "diff",
            "What the task changed: files and lines, what is not committed included.",
        ),
        &["changes", "patch", "review"],
        Availability::Task,
    ),
];
