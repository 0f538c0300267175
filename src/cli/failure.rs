//! Failure messages of commands.

use std::fmt::Display;

/// Returns the sentence about an error whose text reads after "could not".
pub fn could_not(error: impl Display) -> String {
    format!("could not {error}")
}
