//! Restarts of agents whose context fills up: when one is due, and the records of the sessions that ended because of it.

use serde::{Deserialize, Serialize};

use super::id::StageId;
use super::time::Timestamp;
use super::usage::ContextFill;

/// Maximum number of steps that are kept of all sessions of a stage, the latest ones.
pub const MOST_STEPS: usize = 30;

/// Rules for stopping an agent whose context fills up and starting it again with a fresh session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextRules {
    /// Fill level in percent at which the agent is restarted; 100 watches nothing.
    pub threshold: u32,
    /// Number of tool calls at which the agent is restarted if the fill level is not known.
    pub tool_calls: u32,
    /// Maximum number of restarts at one stage of a task; 0 only observes.
    pub restarts: u32,
    /// Reaction to a tool that shortens a context by itself.
    #[serde(default)]
    pub on_compaction: OnCompaction,
}

/// Reaction to an agent's tool that shortens its context by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCompaction {
    /// Line in the log.
    #[default]
    Note,
    /// Restart of the agent with a fresh session, as for a full context.
    Restart,
}

/// Default values; the table of settings shows them to people.
impl ContextRules {
    /// Default of [`ContextRules::threshold`].
    pub const THRESHOLD: u32 = 80;
    /// Default of [`ContextRules::tool_calls`].
    pub const TOOL_CALLS: u32 = 100;
    /// Default of [`ContextRules::restarts`].
    pub const RESTARTS: u32 = 3;

    /// Returns rules that watch nothing, like a board of an older version.
    pub fn off() -> ContextRules {
        ContextRules {
            threshold: 100,
            restarts: 0,
            ..ContextRules::default()
        }
    }

    /// Returns true if the rules are those of [`ContextRules::off`].
    pub(super) fn is_off(&self) -> bool {
        *self == ContextRules::off()
    }

    /// Returns true if agents are restarted at all.
    pub fn is_active(&self) -> bool {
        self.threshold < 100 && self.restarts > 0
    }

    /// Returns the reason a restart is due at that fill, in words that follow `its context`; `None` if none is due.
    pub fn reason(&self, fill: ContextFill) -> Option<String> {
        if !self.is_active() {
            return None;
        }
        let percent = fill
            .percent()
            .filter(|percent| *percent >= u64::from(self.threshold));
        let calls = fill.tool_calls.filter(|calls| *calls >= self.tool_calls);
        match (percent, calls) {
            (Some(percent), _) => Some(format!("is {percent} % full")),
            (None, Some(calls)) => Some(format!("is not known, and it has called tools {calls} times")),
            (None, None) => None,
        }
    }
}

impl Default for ContextRules {
    fn default() -> Self {
        ContextRules {
            threshold: ContextRules::THRESHOLD,
            tool_calls: ContextRules::TOOL_CALLS,
            restarts: ContextRules::RESTARTS,
            on_compaction: OnCompaction::Note,
        }
    }
}

/// Records of the sessions at one stage of a task that ended because their context was full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub stage: StageId,
    /// Number of restarts of an agent so far.
    pub restarts: u32,
    /// Latest steps that the agents reported.
    pub steps: Vec<Step>,
    pub work: SavedWork,
}

/// Step that an agent reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub at: Timestamp,
    pub text: String,
}

/// Work that an agent left in its workspace, after the engine committed as much as it could.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedWork {
    /// Head of the branch, if the agent works on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Tree of all files of the workspace, untracked ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Files that differ from the commit at which the work began; the first ones by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Number of further files that differ.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// Reason the work could not be committed or inspected; then it is in the workspace unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl SavedWork {
    /// Maximum number of files that are named.
    pub const MOST_FILES: usize = 20;

    /// Returns true if the files or the head differ from those of `before`.
    pub fn differs_from(&self, before: &SavedWork) -> bool {
        (&self.head, &self.tree, &self.changed, self.more)
            != (&before.head, &before.tree, &before.changed, before.more)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
