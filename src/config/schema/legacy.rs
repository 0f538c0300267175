//! Settings of earlier programs: known and kept; few of them have an effect.

use crate::config::row::{FEW_OR_NONE, SPAN, earlier, kept, settings, unset};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::value::ValueKind;

const SERVER: &str = "Of earlier programs: the ntfy server; not set: https://ntfy.sh.";
const TOPIC: &str = "Of earlier programs: the topic there.";

settings! { LEGACY
    NOTIFICATIONS_ENABLED: Option<bool> = unset(ValueKind::Switch), earlier("notifications.enabled", "P51",
        "`false`: none of the other `notifications.*` is heeded.");
    NOTIFICATIONS_PROVIDER: Option<String> = unset(ValueKind::Choice(&["none", "desktop", "ntfy"])), earlier("notifications.provider", "P51, P52",
        "Of earlier programs. `desktop`: this system's program for notifications, unless `notify.command` is set; `ntfy`: the topic below, unless `notify.url` is.");
    NOTIFICATIONS_NTFY_SERVER: Option<String> = unset(ValueKind::Address), earlier("notifications.ntfy_server", "P51, P53", SERVER);
    NOTIFICATIONS_NTFY_TOPIC: Option<String> = unset(ValueKind::Text), earlier("notifications.ntfy_topic", "P51, P53", TOPIC);
    NESTED_NTFY_SERVER: Option<String> = unset(ValueKind::Address), earlier("notifications.ntfy.server", "P51, P53", SERVER);
    NESTED_NTFY_TOPIC: Option<String> = unset(ValueKind::Text), earlier("notifications.ntfy.topic", "P51, P53", TOPIC);
}

/// Those without an effect, in the order of the documentation.
pub(in crate::config) static KEPT: &[SettingSpec] = &[
    kept("timeout", SPAN, "P51"),
    kept("max_retries", FEW_OR_NONE, "P51"),
    kept("model", ValueKind::Text, "P51"),
    kept("output", ValueKind::Choice(&["terminal", "file", "both"]), "P51"),
    kept("interactive", ValueKind::Switch, "P51"),
    kept("strict_compliance", ValueKind::Switch, "P51"),
    kept("role_models.<role>", ValueKind::Text, "4.6"),
    kept("role_efforts.<role>", ValueKind::Text, "4.6"),
    kept("autonomy", ValueKind::Text, "4.6"),
    kept("monitor_interval", SPAN, "4.6"),
    kept("notify_conductor", ValueKind::Switch, "4.6"),
    kept("quota_check", ValueKind::Text, "4.6"),
    kept("quota_command", ValueKind::Text, "4.6"),
    kept("quota_margin", ValueKind::Text, "4.6"),
    kept("docs_path", ValueKind::Text, "4.6"),
    kept("project_type", ValueKind::Text, "4.6"),
    kept("test_command", ValueKind::Text, "4.6"),
    kept("agent_provider", ValueKind::Text, "4.6"),
    kept("conductor_session_id", ValueKind::Text, "4.6"),
    kept("pause_reason", ValueKind::Text, "4.6"),
    kept("paused_until", ValueKind::Text, "4.6"),
    kept("context_threshold", ValueKind::Decimal, "C17"),
    kept(
        "tool_call_threshold",
        ValueKind::Count {
            least: 0,
            most: 100_000,
        },
        "C17",
    ),
    kept("max_restarts", FEW_OR_NONE, "C17"),
    kept("auto_commit", ValueKind::Switch, "C17"),
    kept("commit_on_failure", ValueKind::Switch, "C17"),
    kept("commit_message_template", ValueKind::Text, "C17"),
    kept("learnings", ValueKind::Switch, "4.4"),
    kept(
        "sandbox_mode",
        ValueKind::Choice(&["none", "devcontainer"]),
        "4.4",
    ),
    kept("plan_generation_model", ValueKind::Text, "4.4"),
    kept("plan_generation_timeout", SPAN, "4.4"),
    kept("github.enabled", ValueKind::Switch, "4.4"),
    kept("github.auto_close", ValueKind::Switch, "4.4"),
    kept("github.create_labels_if_missing", ValueKind::Switch, "4.4"),
    kept("github.dry_run", ValueKind::Switch, "4.4"),
    kept("github.labels.<label>", ValueKind::Text, "4.4"),
    kept("jira.enabled", ValueKind::Switch, "4.4"),
    kept("jira.url", ValueKind::Text, "4.4"),
    kept("jira.dry_run", ValueKind::Switch, "4.4"),
    kept("jira.transitions.<event>", ValueKind::Text, "4.4"),
];
