//! The settings of one invocation of Claude Code: hooks that call this program, and the calls it may make unasked.

use std::path::Path;

use serde_json::{Value, json};

use crate::adapters::agents::hook::REPORTS;
use crate::formats::permissions::{PermissionRule, denials};

/// Events whose reply the tool waits for.
const REPLIED: &[&str] = &["PermissionRequest", "Stop"];

/// Commands an agent may use without being asked: its own reports.
const OWN_COMMANDS: &[&str] = &["signal", "progress", "done", "task comment", "task show"];

/// Tools that no role has: a worktree of the tool's own would take the work to a branch that no stage looks at.
const OWN_WORKTREES: [&str; 2] = ["EnterWorktree", "ExitWorktree"];

/// Seconds the tool waits for a hook: a person may take a day to answer.
const HOOK_TIMEOUT: u32 = 86_400;
/// Seconds it waits for one that only reports; a call gives up long before.
const REPORT_TIMEOUT: u32 = 5;

/// The settings as JSON.
pub(super) fn text(program: &Path, rules: &[PermissionRule]) -> String {
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
        "permissions": permissions(rules),
    });
    settings.to_string()
}

/// Returns the settings of a run that reports its events and figures over its standard output.
pub(super) fn without_programs(rules: &[PermissionRule]) -> String {
    json!({ "permissions": permissions(rules) }).to_string()
}

/// Returns the calls that are allowed, and those that are denied whatever the settings of the person or the repository allow: those are
/// never asked about, so that no rule would see them.
fn permissions(rules: &[PermissionRule]) -> Value {
    let denied_by_rules = denials(rules).flat_map(denied_calls);
    let denied: Vec<String> = OWN_WORKTREES
        .map(str::to_owned)
        .into_iter()
        .chain(denied_by_rules)
        .collect();
    json!({ "allow": own_commands(), "deny": denied })
}

/// Returns a rule that denies in the notation of the tool; empty if it has no such notation.
fn denied_calls(rule: &PermissionRule) -> Vec<String> {
    let tools: &[&str] = match rule.tool.as_str() {
        "run" => &["Bash"],
        "edit" => &["Edit", "Write", "NotebookEdit"],
        "read" => &["Read"],
        "fetch" => &["WebFetch"],
        _ => &[],
    };
    if rule.pattern == "*" {
        return tools.iter().map(|tool| (*tool).to_owned()).collect();
    }
    let is_plain = |text: &str| !text.is_empty() && !text.contains(['*', '(', ')', '\n']);
    match (rule.tool.as_str(), rule.pattern.strip_suffix('*')) {
        ("run", Some(begin)) if is_plain(begin) => vec![format!("Bash({}:*)", begin.trim_end())],
        ("run", None) if is_plain(&rule.pattern) => vec![format!("Bash({})", rule.pattern)],
        _ => Vec::new(),
    }
}

fn own_commands() -> Vec<String> {
    let commands = OWN_COMMANDS.iter();
    commands.map(|command| format!("Bash(dbs {command}:*)")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::permissions::PermissionDecision;

    #[test]
    fn what_a_role_denies_is_denied_whatever_other_settings_allow() {
        let rule = |decision, tool: &str, pattern: &str| PermissionRule {
            decision,
            tool: tool.to_owned(),
            pattern: pattern.to_owned(),
        };
        let deny = |tool: &str, pattern: &str| rule(PermissionDecision::Deny, tool, pattern);
        let denied = |rules: &[PermissionRule]| permissions(rules)["deny"].clone();
        let rules = [
            deny("run", "git commit*"),
            deny("run", "make"),
            deny("edit", "*"),
            deny("read", "/etc/*"),
        ];
        let wanted = [
            "EnterWorktree",
            "ExitWorktree",
            "Bash(git commit:*)",
            "Bash(make)",
            "Edit",
            "Write",
            "NotebookEdit",
        ];
        assert_eq!(denied(&rules), json!(wanted));
        let allow = rule(PermissionDecision::Allow, "run", "git commit --dry-run");
        assert_eq!(
            denied(&[allow, deny("run", "git commit*")]),
            json!(["EnterWorktree", "ExitWorktree"]),
            "a part of it is allowed"
        );
    }
}
