//! What can go wrong while a scenario is played.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::outcome::RehearsalExit;

/// Why a rehearsal failed; the texts read after "could not". Texts read after "could not".
#[derive(Debug, Error)]
pub enum RehearsalError {
    /// A variable of the environment has a value nobody can use.
    #[error("use {name}=`{value}`: it must be {right}")]
    Environment {
        /// The variable.
        name: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        right: &'static str,
    },
    /// No part of the scenario is meant for this attempt.
    #[error("find a part for {0}; add a `[[part]]` without conditions to catch the rest")]
    NoPart(String),
    /// A file could not be read or written.
    #[error("{act} {}: {source}", path.display())]
    File {
        /// `read`, `write` or `remove`.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A path, with its variables replaced, leaves the worktree.
    #[error("use the path `{path}`: it leads out of the worktree")]
    Outside {
        /// The path after expansion.
        path: String,
    },
    /// The line to be replaced is not in the file.
    #[error("edit {path}: none of the lines to be replaced is in it")]
    NoSuchLine {
        /// The path after expansion.
        path: String,
    },
    /// Git refused or could not be started.
    #[error("run `git {arguments}`: {why}")]
    Git {
        /// Its arguments, for people.
        arguments: String,
        /// The last lines it said.
        why: String,
    },
    /// A merge ended in conflicts the scenario has no answer for.
    #[error("merge: `{path}` is in conflict and the step has no `resolve` entry for it")]
    Conflict {
        /// The file in conflict.
        path: String,
    },
    /// A question without a terminal and without an answer time.
    #[error("ask: there is no terminal to answer at; set DBS_REHEARSAL_ANSWER_AFTER or `answer_after`")]
    NobodyToAsk,
    /// The signal was not taken.
    #[error("send the signal `{kind}`: {why}")]
    Signal {
        /// Its word.
        kind: String,
        /// What the sink says.
        why: String,
    },
    /// Something the operating system refused.
    #[error("{act}: {why}")]
    System {
        /// What was tried.
        act: &'static str,
        /// Why not.
        why: String,
    },
}

/// Why a rehearsal ends before the last step of its scenario.
#[derive(Debug)]
pub(super) enum PlayEnd {
    /// A step asked for it.
    Ended(RehearsalExit),
    /// Nobody reads the terminal any more.
    Lost,
    /// A step could not be played.
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
