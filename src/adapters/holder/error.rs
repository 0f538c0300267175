//! What can go wrong around a holder, said once for both sides.

use std::io;

/// Why an operation on a holder failed; the texts read after "could not". The texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum HolderError {
    /// A file, a folder, a process or a socket refused.
    #[error("{what}: {source}")]
    Io {
        /// What was tried, with its object.
        what: String,
        /// Why not.
        source: io::Error,
    },
    /// The terminal could not be made or the program not started.
    #[error("start {program:?}: {why}")]
    Program {
        /// The program's name.
        program: String,
        /// Why not.
        why: String,
    },
    /// The launch makes no sense as asked.
    #[error("{0}")]
    Refused(String),
    /// Another holder has this folder, or had it.
    #[error("take {0}: another holder has it or had it; start a new attempt")]
    Taken(String),
    /// The other side does not speak as agreed.
    #[error("understand the holder's peer: {0}")]
    Protocol(String),
}

impl HolderError {
    /// An [`HolderError::Io`] that says what was tried.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            what: what.into(),
            source,
        }
    }
}
