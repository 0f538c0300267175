//! The settings of one invocation of Claude Code: the calls it may make unasked.

use serde_json::json;

/// Commands an agent may use without being asked: its own reports.
const OWN_COMMANDS: &[&str] = &["signal", "progress", "done", "task comment", "task show"];

/// The settings as JSON.
pub(super) fn text() -> String {
    let allow: Vec<String> = OWN_COMMANDS
        .iter()
        .map(|command| format!("Bash(dbs {command}:*)"))
        .collect();
    json!({ "permissions": { "allow": allow } }).to_string()
}
