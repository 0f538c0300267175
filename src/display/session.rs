//! Ends of a session, and the progress of its work as terminals show it.

use serde::{Deserialize, Serialize};

/// Fate of a session when its person leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaveEffect {
    /// Session that continues, as every session of a project does.
    #[default]
    GoesOn,
    /// Demo that is deleted: its agents end, and so does its folder.
    EndsAndDeletes,
    /// Demo whose folder is kept: its agents end.
    EndsAndKeeps,
}

/// The share of released tasks that are finished, as terminals show it in their tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkProgress {
    #[default]
    Idle,
    /// Percentage of the tasks handed to the agents that are finished.
    Working(u8),
    /// Percentage of those tasks while something needs a person, or nothing new is started.
    Waiting(u8),
}
