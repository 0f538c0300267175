//! Preparation of worktrees and of gates' checkouts: what git ignores and a commit therefore does not bring. Nothing here touches a file.

use std::path::{Path, PathBuf};

use dbs_domain::{Cause, TaskId, Timestamp};

use crate::gates::GateEnv;
use crate::git::CommitId;

/// Prepares fresh worktrees and checkouts as the settings say. Calls block until all commands have ended.
pub trait Workspaces: Send + Sync {
    /// Brings ignored files into a folder that holds the files of a commit and nothing else, and runs the commands of the setup. May be
    /// repeated after it was cut off.
    ///
    /// # Errors
    /// When something cannot be brought, or a command fails; reads as a sentence of its own.
    fn prepare(&self, request: &WorkspaceRequest<'_>) -> Result<PreparedBy, PrepareError>;

    /// Returns the variables that name the ports of a task: the same for each call.
    ///
    /// # Errors
    /// When they cannot be chosen or written down.
    fn ports(&self, task: &TaskId) -> Result<Vec<(String, String)>, Cause>;
}

/// Worktree or checkout to prepare.
#[derive(Debug, Clone)]
pub struct WorkspaceRequest<'a> {
    pub folder: &'a Path,
    pub commit: &'a CommitId,
    pub user: WorkspaceUser,
    /// True if no agent made the commit: what is prepared for it may be kept for others.
    pub is_base: bool,
    /// Environment of the commands; nothing else is inherited.
    pub env: GateEnv,
    /// Folder for the output of the commands, made if it is missing.
    pub logs: PathBuf,
    pub now: Timestamp,
}

/// User of a workspace. Agents share linked folders with agents, gates with gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceUser {
    Agent,
    Gate,
}

/// Way in which a workspace was prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparedBy {
    /// Nothing ran in it.
    Copies,
    /// Commands ran in it, which may have changed any file.
    Commands,
}

/// Reason why a workspace was not prepared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Something outside was in the way.
    #[error("{0}")]
    Trouble(Cause),
    /// Preparation with an end of its own, for which the content of the commit may be the reason: a command of the setup that failed, or a
    /// submodule at a commit that is nowhere.
    #[error("{0}")]
    Failed(Cause),
}

impl PrepareError {
    /// Returns the text with what was tried in front of it.
    #[must_use]
    pub fn after(self, tried: &str) -> PrepareError {
        match self {
            PrepareError::Trouble(why) => PrepareError::Trouble(why.after(tried)),
            PrepareError::Failed(why) => PrepareError::Failed(why.after(tried)),
        }
    }

    /// Returns the reason alone.
    pub fn cause(self) -> Cause {
        match self {
            PrepareError::Trouble(why) | PrepareError::Failed(why) => why,
        }
    }
}

impl From<Cause> for PrepareError {
    fn from(why: Cause) -> PrepareError {
        PrepareError::Trouble(why)
    }
}
