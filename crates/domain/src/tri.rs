//! The three-valued answer every question to the outside world gets.

use serde::{Deserialize, Serialize};

use super::cause::Cause;

/// A three-valued answer: yes, no, or unknown because it could not be found out. Unknown is never yes and never no: it delays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tri {
    Yes,
    /// Seen not to be so; the text says what was seen.
    No(String),
    Unknown(Cause),
}

impl Tri {
    /// Whether the answer is [`Tri::Yes`].
    pub fn is_yes(&self) -> bool {
        matches!(self, Tri::Yes)
    }
}
