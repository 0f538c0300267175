//! The clock of the engine.

use dbs_domain::{Span, Timestamp};

/// The source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// How long the machine was awake since some moment that stays the same while the program runs. Nobody can set it. Where the
    /// system counts sleep as well (Windows), sleep is no jump of the clock.
    fn uptime(&self) -> Span;
}
