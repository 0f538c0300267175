//! Turns of an agent that failed because its model could not be reached or did not answer, and when the agent is told to go on.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// The turns of an agent that failed in a row. A turn in which its model answered begins the row anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FailedTurns {
    /// How often it was told to go on since its model last answered.
    #[serde(default)]
    pub told: u32,
    /// What its model had written when a turn last failed, in tokens.
    #[serde(default)]
    pub written: u64,
    /// When it is told to go on, if it does not go on by itself before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go_on_at: Option<Timestamp>,
}

impl FailedTurns {
    /// Whether none failed.
    pub fn is_none(&self) -> bool {
        *self == FailedTurns::default()
    }
}
