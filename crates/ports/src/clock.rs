//! The clock of the engine.

use dbs_domain::{Span, Timestamp};

/// The source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns the time that the machine was awake since a moment that stays the same while the program runs. This clock cannot be set.
    /// Where the system counts sleep as well (Windows), sleep is not a jump of the clock.
    fn uptime(&self) -> Span;
}
