//! Rules for the use of tools by agents, and the decisions by them. The rules are in role files and in settings; the first rule that fits
//! decides, and if none fits, the policy does.
//!
//! An allowing rule must fit for certain: a command is one simple command, a path is in the agent's folder unless the pattern is absolute.
//! A rule that denies or asks fits wherever it could apply.

mod command_line;
mod setting;

pub use dbs_domain::glob::fits as fits_pattern;
pub use setting::{POLICIES, read_setting};

use std::fmt;

use serde::{Deserialize, Serialize};

use dbs_domain::glob;
use dbs_domain::tool_use::LONGEST_USE;
use dbs_domain::{ToolAction, ToolUse};

/// Rule with the decision on a use of a tool by an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRule {
    pub decision: PermissionDecision,
    /// `read`, `edit`, `run` or `fetch`; `*` for every tool; else the own name of a tool of an agent.
    pub tool: String,
    /// Object of the use: a path, a command line or an address; `*` means any characters.
    pub pattern: String,
}

/// Decision on the use of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PermissionDecision {
    Allow,
    /// A person decides.
    Ask,
    Deny,
}

/// Policy for uses that an agent's tool asks about and no rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum PermissionPolicy {
    /// A person is asked.
    #[default]
    Ask,
    /// Changing files in its folder is allowed, everything else is asked.
    Edits,
    /// Everything is allowed; each answer is in the log.
    Allow,
    /// Everything is denied, and no person is asked.
    Deny,
}

/// Decision with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionVerdict<'a> {
    By(&'a PermissionRule),
    /// No rule fits; the policy decides.
    ByPolicy(PermissionDecision),
}

impl PermissionVerdict<'_> {
    /// Returns the decision on the use.
    pub fn decision(&self) -> PermissionDecision {
        match self {
            PermissionVerdict::By(rule) => rule.decision,
            PermissionVerdict::ByPolicy(decision) => *decision,
        }
    }
}

/// Decides on the use of a tool. `paths` are the places that the path of the use leads to: relative to the agent's folder if they are in
/// it, otherwise absolute; more than one when a link leads elsewhere.
pub fn decide<'a>(
    rules: &'a [PermissionRule],
    policy: PermissionPolicy,
    wanted: &ToolUse,
    paths: &[String],
) -> PermissionVerdict<'a> {
    // A use too long to be examined is for a person, whatever the rules say.
    if wanted.subject().len() > LONGEST_USE {
        return PermissionVerdict::ByPolicy(PermissionDecision::Ask);
    }
    let found = rules
        .iter()
        .find(|rule| rule.names(wanted) && rule.fits(wanted, paths));
    found.map_or_else(
        || PermissionVerdict::ByPolicy(by_policy(policy, wanted, paths)),
        PermissionVerdict::By,
    )
}

/// Returns the rules that deny all that they fit, because no rule before them lets a part of it pass.
pub fn denials(rules: &[PermissionRule]) -> impl Iterator<Item = &PermissionRule> {
    rules.iter().enumerate().filter_map(|(at, rule)| {
        let mut before = rules.get(..at).unwrap_or_default().iter();
        let has_exception = before.any(|other| {
            let is_same = other.tool == rule.tool || other.tool == "*" || rule.tool == "*";
            is_same && other.decision != PermissionDecision::Deny
        });
        (rule.decision == PermissionDecision::Deny && !has_exception).then_some(rule)
    })
}

/// Returns true if a tool may be told beforehand that all edits in the agent's folder are allowed: no rule applies to one.
pub fn allows_all_edits(rules: &[PermissionRule], policy: PermissionPolicy) -> bool {
    let free = matches!(policy, PermissionPolicy::Edits | PermissionPolicy::Allow);
    let first = rules
        .iter()
        .find(|rule| matches!(rule.tool.as_str(), "edit" | "*"));
    first.map_or(free, |rule| {
        rule.decision == PermissionDecision::Allow && rule.pattern == "*"
    }) && rules
        .iter()
        .all(|rule| is_class(&rule.tool) || rule.decision == PermissionDecision::Allow)
}

fn is_class(tool: &str) -> bool {
    matches!(tool, "read" | "edit" | "run" | "fetch" | "*")
}

fn by_policy(policy: PermissionPolicy, tool_use: &ToolUse, paths: &[String]) -> PermissionDecision {
    let is_edit = matches!(tool_use.action, ToolAction::Edit(_));
    match policy {
        PermissionPolicy::Edits
            if is_edit && !paths.is_empty() && !paths.iter().any(|path| is_absolute(path)) =>
        {
            PermissionDecision::Allow
        }
        PermissionPolicy::Ask | PermissionPolicy::Edits => PermissionDecision::Ask,
        PermissionPolicy::Allow => PermissionDecision::Allow,
        PermissionPolicy::Deny => PermissionDecision::Deny,
    }
}

impl PermissionRule {
    /// Returns true if the rule is about this tool.
    fn names(&self, tool_use: &ToolUse) -> bool {
        let class = match tool_use.action {
            ToolAction::Read(_) => "read",
            ToolAction::Edit(_) => "edit",
            ToolAction::Run(_) => "run",
            ToolAction::Fetch(_) => "fetch",
            ToolAction::Other => "",
        };
        self.tool == "*" || self.tool == class || self.tool == tool_use.tool
    }

    /// Returns true if the rule is about the object of the use.
    fn fits(&self, tool_use: &ToolUse, paths: &[String]) -> bool {
        let pattern = self.pattern.as_str();
        let allows = self.decision == PermissionDecision::Allow;
        match &tool_use.action {
            ToolAction::Run(command) if allows => {
                command_line::simple_command(command).is_some_and(|command| glob::fits(pattern, &command))
            }
            ToolAction::Run(command) => pattern == "*" || command_line::fits_anywhere(pattern, command),
            ToolAction::Read(_) | ToolAction::Edit(_) if allows => {
                !paths.is_empty() && paths.iter().all(|path| fits_path(pattern, path))
            }
            ToolAction::Read(_) | ToolAction::Edit(_) => {
                pattern == "*" || paths.iter().any(|path| fits_below(pattern, path))
            }
            ToolAction::Fetch(address) => {
                let is_plain = !address.chars().any(|c| c.is_control() || c.is_whitespace());
                (is_plain || !allows) && glob::fits(pattern, address)
            }
            ToolAction::Other => pattern == "*",
        }
    }
}

/// Returns true if a path fits a pattern; a path outside of the agent's folder fits only an absolute pattern.
fn fits_path(pattern: &str, path: &str) -> bool {
    is_absolute(pattern) == is_absolute(path) && glob::fits(pattern, path)
}

/// Returns true if a pattern fits a path or its end from some folder on, ignoring case: some systems ignore it.
fn fits_below(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.to_lowercase(), path.to_lowercase());
    let ends = path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..));
    glob::fits(&pattern, &path) || ends.into_iter().any(|end| glob::fits(&pattern, end))
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.get(1..2) == Some(":")
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.decision, self.tool, self.pattern)
    }
}

#[cfg(test)]
mod tests;
