//! Names terminals. Data only.

use crate::domain::AttemptId;

/// Which terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScreenId {
    /// The terminal of an attempt.
    Attempt(AttemptId),
    /// A plain shell, numbered by the server.
    Shell(u64),
    /// The conductor's terminal.
    Conductor,
}
