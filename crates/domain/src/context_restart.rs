//! Restarts of agents whose context fills up: when one is due, and what is kept of the sessions that ended so.

use serde::{Deserialize, Serialize};

use super::id::StageId;
use super::time::Timestamp;
use super::usage::ContextFill;

/// Most steps that are kept of all sessions of a stage, the latest ones.
pub const MOST_STEPS: usize = 30;

/// When an agent whose context fills up is stopped and started again with a fresh session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextRules {
    /// The fill in percent from which it is; 100 watches nothing.
    pub threshold: u32,
    /// Calls of tools from which it is, where the fill is not known.
    pub tool_calls: u32,
    /// Most restarts at one stage of a task; 0 only observes.
    pub restarts: u32,
    /// What follows when a tool shortens a context by itself.
    #[serde(default)]
    pub on_compaction: OnCompaction,
}

/// What follows when the tool of an agent shortens its context by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCompaction {
    /// A line in the log.
    #[default]
    Note,
    /// The agent is started again with a fresh session, as for a context that is full.
    Restart,
}

/// What holds where nobody set anything; the table of settings shows these to people.
impl ContextRules {
    /// Default of [`ContextRules::threshold`].
    pub const THRESHOLD: u32 = 80;
    /// Default of [`ContextRules::tool_calls`].
    pub const TOOL_CALLS: u32 = 100;
    /// Default of [`ContextRules::restarts`].
    pub const RESTARTS: u32 = 3;

    /// Nothing is watched: what a board of an older version did.
    pub fn off() -> ContextRules {
        ContextRules {
            threshold: 100,
            restarts: 0,
            ..ContextRules::default()
        }
    }

    /// Whether it is that.
    pub(super) fn is_off(&self) -> bool {
        *self == ContextRules::off()
    }

    /// Whether agents are restarted at all.
    pub fn is_active(&self) -> bool {
        self.threshold < 100 && self.restarts > 0
    }

    /// Why a restart is due at that fill, in words that follow `its context`; none where none is.
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

/// What is kept of the sessions at one stage of a task that ended because their context was full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub stage: StageId,
    /// How often an agent was started again so far.
    pub restarts: u32,
    /// The latest steps that the agents reported.
    pub steps: Vec<Step>,
    pub work: SavedWork,
}

/// A step that an agent reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    pub at: Timestamp,
    pub text: String,
}

/// What an agent left in its workspace, after the engine committed what it could.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedWork {
    /// The head of the branch, where it works on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The tree of all its files, untracked ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Files that differ from the commit at which the work began, the first ones by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// How many more there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// Why it could not be committed or looked at; then it is in the workspace as it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl SavedWork {
    /// Most files that are named.
    pub const MOST_FILES: usize = 20;

    /// Whether the files or the head are other than before.
    pub fn differs_from(&self, before: &SavedWork) -> bool {
        (&self.head, &self.tree, &self.changed, self.more)
            != (&before.head, &before.tree, &before.changed, before.more)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
