//! Errors of showing a session in this terminal.

use std::error::Error;
use std::io;

use crate::protocol::connection::ProtocolError;

/// Error of a client, in one sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    #[error("could not use this terminal: {0}; run `dbs demo --headless` or `dbs watch` without one")]
    Terminal(io::Error),
    #[error("could not use this terminal again: {0}")]
    TerminalAgain(io::Error),
    #[error("could not read this terminal: {0}")]
    Keys(io::Error),
    #[error("could not write to this terminal: {0}")]
    Output(io::Error),
    #[error("could not read the typed lines: {0}")]
    Lines(io::Error),
    #[error("could not read that: {0}")]
    Words(#[from] shell_words::ParseError),
    #[error(
        "could not show a screen here: this terminal is itself a pane of dbs, and both would want the same keys; \
         the prefix and s go to another project, `dbs board` and `dbs watch` work here, `env -u DBS_MARKER dbs` does it anyway"
    )]
    Nested,
    #[error(
        "could not draw the screen: standard input and output must be a terminal; `dbs --plain` and `dbs watch` work without one"
    )]
    NoTerminal,
    #[error(
        "could not stay: the server broke down {0} times within a minute; agents keep running; .debussy/logs says why, and `dbs` tries again"
    )]
    Losses(usize),
    #[error("could not start the server again: {0}")]
    Restart(tokio::task::JoinError),
    #[error("could not continue: {0}")]
    Task(tokio::task::JoinError),
    /// Crash of the client, which has been reported.
    #[error("")]
    Crashed,
    /// The server refused, in its words.
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// A command that was run for the client failed.
    #[error(transparent)]
    Command(Box<dyn Error + Send + Sync>),
}

impl ClientError {
    /// Wraps the error of a command.
    pub fn command(error: impl Error + Send + Sync + 'static) -> ClientError {
        ClientError::Command(Box::new(error))
    }
}
