//! Errors of playing a scenario.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::outcome::RehearsalExit;

/// Error of a rehearsal; the texts read after "could not".
#[derive(Debug, Error)]
pub enum RehearsalError {
    #[error("use {name}=`{value}`: it must be {right}")]
    Environment {
        name: &'static str,
        value: String,
        right: &'static str,
    },
    #[error("find a part for {0}; add a `[[part]]` without conditions to catch the rest")]
    NoPart(String),
    #[error("{act} {}: {source}", path.display())]
    File {
        act: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("use the path `{path}`: it leads out of the worktree")]
    Outside { path: String },
    #[error("edit {path}: none of the lines to be replaced is in it")]
    NoSuchLine { path: String },
    #[error("run `git {arguments}`: {why}")]
    Git { arguments: String, why: String },
    #[error("merge: `{path}` is in conflict and the step has no `resolve` entry for it")]
    Conflict { path: String },
    #[error("ask: there is no terminal to answer at; set DBS_REHEARSAL_ANSWER_AFTER or `answer_after`")]
    NobodyToAsk,
    #[error("send the signal `{kind}`: {why}")]
    Signal { kind: String, why: String },
    #[error("{act}: {why}")]
    System { act: &'static str, why: String },
}

impl RehearsalError {
    /// Wraps an error of the system, as in `.map_err(RehearsalError::system("ignore signals"))`.
    pub(super) fn system<E: Display>(act: &'static str) -> impl Fn(E) -> RehearsalError {
        move |error| RehearsalError::System {
            act,
            why: error.to_string(),
        }
    }

    /// Wraps an error of a file operation, as in `.map_err(RehearsalError::file("read", path))`.
    pub(super) fn file(
        act: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> RehearsalError {
        let path = path.into();
        move |source| RehearsalError::File { act, path, source }
    }
}

/// Reason why a rehearsal ends before the last step of its scenario.
#[derive(Debug)]
pub(super) enum PlayEnd {
    Ended(RehearsalExit),
    Lost,
    Failed(RehearsalError),
}

impl From<io::Error> for PlayEnd {
    fn from(_gone: io::Error) -> Self {
        PlayEnd::Lost
    }
}

impl From<RehearsalError> for PlayEnd {
    fn from(error: RehearsalError) -> Self {
        PlayEnd::Failed(error)
    }
}
