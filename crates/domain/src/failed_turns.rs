//! Turns of an agent that failed because its model could not be reached or did not answer, and the time at which the agent is told to
//! continue.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Turns of an agent that failed in a row. A turn in which its model answered starts the row again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FailedTurns {
    /// Number of times the agent was told to continue since its model last answered.
    #[serde(default)]
    pub told: u32,
    /// Tokens the model had written when a turn last failed.
    #[serde(default)]
    pub written: u64,
    /// Time at which the agent is told to continue, unless it continues by itself before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go_on_at: Option<Timestamp>,
}

impl FailedTurns {
    /// Returns true if no turn failed.
    pub fn is_none(&self) -> bool {
        *self == FailedTurns::default()
    }
}
