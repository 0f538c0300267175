//! Where a batch as a whole stands, and why work is paused.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::id::BatchId;
use super::time::Timestamp;

/// Tasks that belong together, and the state of their run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    pub id: BatchId,
    pub title: String,
    pub goal: String,
    /// Base branch of its tasks; `None`: the settings' base branch (K61).
    pub base: Option<String>,
    /// When a person released it; before that nothing of it is released (LK-33).
    pub go_ahead: Option<Timestamp>,
    pub run: RunState,
    pub since: Timestamp,
}

/// The state of a batch's run as computed from its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Planning,
    Running,
    Paused,
    /// Every task is done (or was cancelled by a person).
    Completed,
    CompletedWithFailures,
    /// Open tasks remain, nothing is under way and nothing can start without a person.
    Stalled,
    /// Stopped by the circuit breaker or a person; the text says which.
    Aborted(String),
}

impl RunState {
    /// Exit code of a headless command that waited for this run.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunState::Completed => 0,
            RunState::Stalled => 5,
            RunState::Planning
            | RunState::Running
            | RunState::Paused
            | RunState::CompletedWithFailures
            | RunState::Aborted(_) => 1,
        }
    }

    /// Whether nothing more will happen without a person.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            RunState::Completed | RunState::CompletedWithFailures | RunState::Stalled | RunState::Aborted(_)
        )
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunState::Planning => f.write_str("planning"),
            RunState::Running => f.write_str("running"),
            RunState::Paused => f.write_str("paused"),
            RunState::Completed => f.write_str("completed"),
            RunState::CompletedWithFailures => f.write_str("completed with failures"),
            RunState::Stalled => f.write_str("stalled"),
            RunState::Aborted(why) => write!(f, "aborted: {why}"),
        }
    }
}

/// Why the board starts nothing new: a person paused it, or a usage limit did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A person paused it (K73); ends by `resume`.
    Operator { by: String, at: Timestamp },
    /// A usage limit; ends by itself.
    Quota { until: Timestamp, why: String },
}
