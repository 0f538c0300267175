//! The settings of one invocation of Claude Code: hooks that call this program, and the calls it may make unasked.

use std::path::Path;

use serde_json::{Value, json};

use crate::adapters::agents::hook::REPORTS;

/// Events whose reply the tool waits for.
const REPLIED: &[&str] = &["PermissionRequest", "Stop"];

/// Commands an agent may use without being asked: its own reports.
const OWN_COMMANDS: &[&str] = &["signal", "progress", "done", "task comment", "task show"];

/// Seconds the tool waits for a hook: a person may take a day to answer.
const HOOK_TIMEOUT: u32 = 86_400;
/// Seconds it waits for one that only reports; a call gives up long before.
const REPORT_TIMEOUT: u32 = 5;

/// The settings as JSON.
pub(super) fn text(program: &Path) -> String {
    let program = program.to_string_lossy();
    let hook = |timeout: u32| {
        json!([{ "hooks": [{
            "type": "command",
            "command": program,
            // With arguments of its own no shell is involved.
            "args": ["hook"],
            "timeout": timeout,
        }] }])
    };
    let replied = REPLIED.iter().map(|event| (*event, HOOK_TIMEOUT));
    let reports = REPORTS.iter().map(|event| (*event, REPORT_TIMEOUT));
    let hooks: serde_json::Map<String, Value> = replied
        .chain(reports)
        .map(|(event, timeout)| (event.to_owned(), hook(timeout)))
        .collect();
    let settings = json!({
        "hooks": hooks,
        "statusLine": { "type": "command", "command": format!("{} statusline", shell_words::quote(&program)) },
        "permissions": { "allow": own_commands() },
    });
    settings.to_string()
}

/// Returns the settings of a run that reports its events and figures over its standard output.
pub(super) fn without_programs() -> String {
    json!({ "permissions": { "allow": own_commands() } }).to_string()
}

fn own_commands() -> Vec<String> {
    let commands = OWN_COMMANDS.iter();
    commands.map(|command| format!("Bash(dbs {command}:*)")).collect()
}
