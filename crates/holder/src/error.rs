//! Errors around a holder, for both sides of its socket.

use std::io;

use dbs_domain::{Cause, TroubleKind};
use dbs_ports::trouble::io_trouble;

/// Error of an operation on a holder. The texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum HolderError {
    #[error("{what}: {source}")]
    Io { what: String, source: io::Error },
    #[error("start {program:?}: {why}")]
    Program { program: String, why: String },
    #[error("{0}")]
    Refused(String),
    #[error("take {0}: another holder has it or had it; start a new attempt")]
    Taken(String),
    #[error("understand the holder's peer: {0}")]
    Protocol(String),
}

impl HolderError {
    /// Returns the kind of trouble and its text.
    pub(super) fn cause(&self) -> Cause {
        let kind = match self {
            Self::Io { source, .. } => io_trouble(source.kind()),
            Self::Program { .. } => TroubleKind::Agent,
            Self::Refused(_) | Self::Taken(_) | Self::Protocol(_) => TroubleKind::Other,
        };
        kind.cause(self.to_string())
    }

    /// Returns a builder of [`HolderError::Io`] that says what was tried.
    pub(super) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            what: what.into(),
            source,
        }
    }
}
