//! Commands and subagents that an agent leaves running when it ends its turn.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Work of an agent in the background of its turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundWork {
    /// Names or number of the commands and subagents, in the words of the agent's tool.
    pub what: String,
    /// Time until which the agent's report, or its end after the report, waits for the work.
    pub until: Timestamp,
    /// True once the agent was told that this time is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_told: bool,
}
