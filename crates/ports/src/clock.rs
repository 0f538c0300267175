//! The clock of the engine.

use dbs_domain::Timestamp;

/// The source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}
