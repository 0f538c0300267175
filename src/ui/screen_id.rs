//! Identities of terminals. Data only.

use crate::domain::AttemptId;

/// The identity of a terminal: that of an attempt or a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScreenId {
    Attempt(AttemptId),
    /// A plain shell, numbered by the server.
    Shell(u64),
}
