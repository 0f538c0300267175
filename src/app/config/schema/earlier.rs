//! Settings of earlier programs: known and kept, without effect.

use super::{Key, SPAN, Status};
use crate::app::config::value::Kind;

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

/// Them, in the order of the documentation.
pub(super) const EARLIER: &[Key] = &[
    kept("timeout", SPAN, "P51"),
    kept("max_retries", Kind::Count { least: 0, most: 999 }, "P51"),
    kept("model", Kind::Text, "P51"),
    kept("output", Kind::Choice(&["terminal", "file", "both"]), "P51"),
    kept("interactive", Kind::Switch, "P51"),
    kept("strict_compliance", Kind::Switch, "P51"),
    kept("notifications.enabled", Kind::Switch, "P51"),
    kept(
        "notifications.provider",
        Kind::Choice(&["none", "desktop", "ntfy"]),
        "P51",
    ),
    kept("notifications.ntfy_server", Kind::Text, "P51"),
    kept("notifications.ntfy_topic", Kind::Text, "P51"),
    kept("notifications.ntfy.server", Kind::Text, "P51"),
    kept("notifications.ntfy.topic", Kind::Text, "P51"),
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
