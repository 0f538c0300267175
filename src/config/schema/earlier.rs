//! Settings of earlier programs: known and kept; few of them have an effect.

use crate::config::schema::{Key, SPAN, Status};
use crate::config::value::Kind;

const fn kept(name: &'static str, kind: Kind, row: &'static str) -> Key {
    Key {
        name,
        kind,
        default: None,
        doc: "Known from earlier programs; kept as it is, without effect in this version.",
        row,
        status: Status::Kept,
    }
}

const fn earlier(name: &'static str, kind: Kind, doc: &'static str, row: &'static str) -> Key {
    Key {
        name,
        kind,
        default: None,
        doc,
        row,
        status: Status::Earlier,
    }
}

const SERVER: &str = "Of earlier programs: the ntfy server; not set: https://ntfy.sh.";
const TOPIC: &str = "Of earlier programs: the topic there.";

/// Them, in the order of the documentation.
pub(super) const EARLIER: &[Key] = &[
    kept("timeout", SPAN, "P51"),
    kept("max_retries", Kind::Count { least: 0, most: 999 }, "P51"),
    kept("model", Kind::Text, "P51"),
    kept("output", Kind::Choice(&["terminal", "file", "both"]), "P51"),
    kept("interactive", Kind::Switch, "P51"),
    kept("strict_compliance", Kind::Switch, "P51"),
    earlier(
        "notifications.enabled",
        Kind::Switch,
        "`false`: none of the other `notifications.*` is heeded.",
        "P51",
    ),
    earlier(
        "notifications.provider",
        Kind::Choice(&["none", "desktop", "ntfy"]),
        "Of earlier programs. `desktop`: this system's program for notifications, unless `notify.command` is set; `ntfy`: the topic below, unless `notify.url` is.",
        "P51, P52",
    ),
    earlier("notifications.ntfy_server", Kind::Address, SERVER, "P51, P53"),
    earlier("notifications.ntfy_topic", Kind::Text, TOPIC, "P51, P53"),
    earlier("notifications.ntfy.server", Kind::Address, SERVER, "P51, P53"),
    earlier("notifications.ntfy.topic", Kind::Text, TOPIC, "P51, P53"),
    kept("role_models.<role>", Kind::Text, "4.6"),
    kept("role_efforts.<role>", Kind::Text, "4.6"),
    kept("autonomy", Kind::Text, "4.6"),
    kept("monitor_interval", SPAN, "4.6"),
    kept("notify_conductor", Kind::Switch, "4.6"),
    kept("quota_check", Kind::Text, "4.6"),
    kept("quota_command", Kind::Text, "4.6"),
    kept("quota_margin", Kind::Text, "4.6"),
    kept("docs_path", Kind::Text, "4.6"),
    kept("project_type", Kind::Text, "4.6"),
    kept("test_command", Kind::Text, "4.6"),
    kept("agent_provider", Kind::Text, "4.6"),
    kept("conductor_session_id", Kind::Text, "4.6"),
    kept("pause_reason", Kind::Text, "4.6"),
    kept("paused_until", Kind::Text, "4.6"),
    kept("context_threshold", Kind::Decimal, "C17"),
    kept(
        "tool_call_threshold",
        Kind::Count {
            least: 0,
            most: 100_000,
        },
        "C17",
    ),
    kept("max_restarts", Kind::Count { least: 0, most: 999 }, "C17"),
    kept("auto_commit", Kind::Switch, "C17"),
    kept("commit_on_failure", Kind::Switch, "C17"),
    kept("commit_message_template", Kind::Text, "C17"),
    kept("learnings", Kind::Switch, "4.4"),
    kept("sandbox_mode", Kind::Choice(&["none", "devcontainer"]), "4.4"),
    kept("plan_generation_model", Kind::Text, "4.4"),
    kept("plan_generation_timeout", SPAN, "4.4"),
    kept("github.enabled", Kind::Switch, "4.4"),
    kept("github.auto_close", Kind::Switch, "4.4"),
    kept("github.create_labels_if_missing", Kind::Switch, "4.4"),
    kept("github.dry_run", Kind::Switch, "4.4"),
    kept("github.labels.<label>", Kind::Text, "4.4"),
    kept("jira.enabled", Kind::Switch, "4.4"),
    kept("jira.url", Kind::Text, "4.4"),
    kept("jira.dry_run", Kind::Switch, "4.4"),
    kept("jira.transitions.<event>", Kind::Text, "4.4"),
];
