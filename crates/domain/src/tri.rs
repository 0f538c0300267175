//! Three-valued answer to every question to the outside world.

use serde::{Deserialize, Serialize};

use super::cause::Cause;

/// Three-valued answer: yes, no, or unknown because it could not be found out. Unknown is never yes and never no: it delays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tri {
    Yes,
    /// Negative answer; the text says what was seen.
    No(String),
    Unknown(Cause),
}
