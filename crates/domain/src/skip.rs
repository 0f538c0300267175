//! Who left a task out.

use serde::{Deserialize, Serialize};

use super::id::TaskId;

/// Who left a task out: a person, or what it waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Skip {
    /// A dependency failed for good or was left out; the id is the root cause (G50).
    Dependency(TaskId),
    /// The same, of a task that no person had released yet.
    InBacklog { root: TaskId },
    /// A person; without a name where the skip was stored before names were.
    Person { by: String },
}

impl Skip {
    /// The other task that it is skipped because of.
    pub fn root(&self) -> Option<&TaskId> {
        match self {
            Skip::Dependency(root) | Skip::InBacklog { root } => Some(root),
            Skip::Person { .. } => None,
        }
    }
}
