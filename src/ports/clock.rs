//! Where the engine gets the time from.

use crate::domain::Timestamp;

/// The source of the current time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}
