//! Failures of attempts by class. The class decides which retry limit an attempt counts against.

use serde::{Deserialize, Serialize};

/// Class of an attempt's failure; each class has its own retry budget.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FailureClass {
    /// Worktree, fetch, spawn, login: not the agent's fault; never uses up a task's budget.
    Infra,
    /// A usage limit of the agent's provider; never uses up a task's budget.
    Quota,
    Crash,
    Timeout,
    Empty,
    /// A gate or compliance check failed, or an engine action did.
    Gate,
    Rejected,
    Context,
    Protocol,
    Failed,
}

impl FailureClass {
    /// Returns true if the class counts against the task's own budget.
    pub fn uses_budget(self) -> bool {
        !matches!(self, FailureClass::Infra | FailureClass::Quota)
    }
}
