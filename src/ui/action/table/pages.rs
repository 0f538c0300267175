//! The views that have a name, in the order of choices, and the actions that lead there. Data only.

use crate::ui::action::When;
use crate::ui::action::page::PageRow;

pub(in crate::ui::action) const ROWS: &[PageRow] = &[
    PageRow::of("board", "Board"),
    PageRow::of("agents", "Agents"),
    PageRow::of("shell", "Shell"),
    PageRow::of("conductor", "Conductor"),
    PageRow::of("log", "Log")
        .offered(
            (
                "log",
                "What happened, the newest at the bottom; leads to what an agent's screen showed then.",
            ),
            &["events", "history", "watcher"],
            When::Always,
        )
        .told_by("dbs logs"),
    PageRow::of("watcher", "Watcher"),
    PageRow::of("task", "Task")
        .offered(
            (
                "task",
                "The task in full: what it asks for, why it stands where it stands, what was tried and written.",
            ),
            &["details", "description", "body", "attempts", "comments"],
            When::Task,
        )
        .told_by("dbs task show ID"),
    PageRow::of("inbox", "Inbox").offered(
        ("inbox", "All that needs you, oldest first; answered in place."),
        &["approvals", "questions", "permissions", "waiting"],
        When::Always,
    ),
    PageRow::of("metrics", "Metrics")
        .offered(
            (
                "metrics",
                "Figures: throughput, how long stages take, what came back, what agents use.",
            ),
            &["stats", "analytics", "throughput", "cpu", "memory"],
            When::Always,
        )
        .told_by("dbs metrics"),
    PageRow::of("sessions", "Sessions")
        .offered(
            (
                "sessions",
                "Your projects with a server: running, detached, or cut off; go to another.",
            ),
            &["projects", "switch", "servers", "attach"],
            When::Always,
        )
        .told_by("dbs sessions"),
    PageRow::of("history", "History"),
    PageRow::of("graph", "Dependencies").offered(
        (
            "dependencies",
            "What waits for what, how deep it goes, and the longest chain of work that is left.",
        ),
        &["tree", "critical path", "blocked", "order"],
        When::Always,
    ),
    PageRow::of("gates", "Gates").offered(
        (
            "gates",
            "The checks the engine ran, failed ones first: command, how it ended, how long, output.",
        ),
        &["checks", "tests", "evidence", "output"],
        When::Always,
    ),
    PageRow::of("diff", "Diff").offered(
        (
            "diff",
            "What the task changed: files and lines, what is not committed included.",
        ),
        &["changes", "patch", "review"],
        When::Task,
    ),
];
