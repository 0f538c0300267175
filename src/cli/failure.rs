//! How commands say that something failed.

use std::fmt::Display;

/// The sentence about an error whose text reads after "could not".
pub fn could_not(error: impl Display) -> String {
    format!("could not {error}")
}
