//! Origin of a skip: a person or a dependency.

use serde::{Deserialize, Serialize};

use super::id::TaskId;

/// Origin of a skip: a person, or something the task waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Skip {
    /// A dependency failed for good or was left out; the id is the root cause (G50).
    Dependency(TaskId),
    /// Dependency that failed or was left out, of a task that no person had released yet.
    InBacklog { root: TaskId },
    /// Skip by a person; without a name if it was stored before names were.
    Person { by: String },
}

impl Skip {
    /// Returns the other task that this one is skipped because of.
    pub fn root(&self) -> Option<&TaskId> {
        match self {
            Skip::Dependency(root) | Skip::InBacklog { root } => Some(root),
            Skip::Person { .. } => None,
        }
    }
}
