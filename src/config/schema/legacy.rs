//! Settings of earlier programs: known and kept; few of them have an effect.

use crate::config::row::{FEW_OR_NONE, SPAN, earlier, kept, renamed, settings, unset};
use crate::config::setting::SettingTrust::{Harmless, Sends, Steers};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::value::ValueKind;

const SERVER: &str = "Of earlier programs: the ntfy server; not set: https://ntfy.sh.";
const TOPIC: &str = "Of earlier programs: the topic there.";

settings! { LEGACY
    MODEL: Option<String> = unset(ValueKind::Text), earlier("model", Steers, "P51",
        "Of earlier programs: `roles.default.model` where the agent of `default` is Claude, unless that is set.");
    INTERACTIVE: Option<bool> = unset(ValueKind::Switch), earlier("interactive", Harmless, "P51, P56",
        "Of earlier programs: `dbs run` at a terminal is as with `--interactive`, unless `--headless` or `--detach` is given.");
    OUTPUT: Option<String> = unset(ValueKind::Choice(&["terminal", "file", "both"])), earlier("output", Harmless, "P51",
        "Of earlier programs: where a `dbs run` that waits sends the agents' output, unless `--output` is given.");
    MAX_RETRIES: Option<u32> = unset(FEW_OR_NONE), earlier("max_retries", Harmless, "P51, P21",
        "Of earlier programs: how often a phase of a plan is tried again after failures of one kind; `limits.phased.*` take precedence.");
    NOTIFICATIONS_ENABLED: Option<bool> = unset(ValueKind::Switch), earlier("notifications.enabled", Harmless, "P51",
        "`false`: all other `notifications.*` are ignored.");
    NOTIFICATIONS_PROVIDER: Option<String> = unset(ValueKind::Choice(&["none", "desktop", "ntfy"])), earlier("notifications.provider", Sends, "P51, P52",
        "Of earlier programs. `desktop`: this system's program for notifications, unless `notify.command` is set; `ntfy`: the topic below, unless `notify.url` is.");
    NOTIFICATIONS_NTFY_SERVER: Option<String> = unset(ValueKind::Address), earlier("notifications.ntfy_server", Sends, "P51, P53", SERVER);
    NOTIFICATIONS_NTFY_TOPIC: Option<String> = unset(ValueKind::Text), earlier("notifications.ntfy_topic", Sends, "P51, P53", TOPIC);
    NESTED_NTFY_SERVER: Option<String> = unset(ValueKind::Address), earlier("notifications.ntfy.server", Sends, "P51, P53", SERVER);
    NESTED_NTFY_TOPIC: Option<String> = unset(ValueKind::Text), earlier("notifications.ntfy.topic", Sends, "P51, P53", TOPIC);
}

/// Declares the settings of earlier programs that have another key now.
macro_rules! renamed_settings {
    ($($name:literal: $kind:expr, $trust:expr, now $key:literal;)+) => {
        /// Settings that now have another key, in the order of the documentation.
        pub(in crate::config) static RENAMED: &[SettingSpec] = &[
            $(renamed($name, $kind, $trust, concat!("Of earlier programs: `", $key, "`, unless that is set."))),+
        ];
    };
}

renamed_settings! {
    "timeout": ValueKind::Seconds { least: 1 }, Harmless, now "agent_timeout";
    "context_threshold": ValueKind::Decimal, Steers, now "context.threshold";
    "tool_call_threshold": ValueKind::Count { least: 1, most: 100_000 }, Steers, now "context.tool_calls";
    "max_restarts": ValueKind::Count { least: 0, most: 99 }, Steers, now "context.restarts";
    "auto_commit": ValueKind::Switch, Harmless, now "commit.auto";
    "commit_message_template": ValueKind::CommitTemplate, Harmless, now "commit.message";
    "strict_compliance": ValueKind::Switch, Harmless, now "compliance.strict";
}

/// Settings without an effect, in the order of the documentation.
pub(in crate::config) static KEPT: &[SettingSpec] = &[
    kept("role_models.<role>", ValueKind::Text),
    kept("role_efforts.<role>", ValueKind::Text),
    kept("autonomy", ValueKind::Text),
    kept("monitor_interval", SPAN),
    kept("notify_conductor", ValueKind::Switch),
    kept("quota_check", ValueKind::Text),
    kept("quota_command", ValueKind::Text),
    kept("quota_margin", ValueKind::Text),
    kept("docs_path", ValueKind::Text),
    kept("project_type", ValueKind::Text),
    kept("test_command", ValueKind::Text),
    kept("agent_provider", ValueKind::Text),
    kept("conductor_session_id", ValueKind::Text),
    kept("pause_reason", ValueKind::Text),
    kept("paused_until", ValueKind::Text),
    kept("commit_on_failure", ValueKind::Switch),
    kept("learnings", ValueKind::Switch),
    kept("sandbox_mode", ValueKind::Choice(&["none", "devcontainer"])),
    kept("plan_generation_model", ValueKind::Text),
    kept("plan_generation_timeout", SPAN),
    kept("github.enabled", ValueKind::Switch),
    kept("github.auto_close", ValueKind::Switch),
    kept("github.create_labels_if_missing", ValueKind::Switch),
    kept("github.dry_run", ValueKind::Switch),
    kept("github.labels.<label>", ValueKind::Text),
    kept("jira.enabled", ValueKind::Switch),
    kept("jira.url", ValueKind::Text),
    kept("jira.dry_run", ValueKind::Switch),
    kept("jira.transitions.<event>", ValueKind::Text),
];
