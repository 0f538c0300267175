//! The ports and the configuration that the performer works with.

use std::path::PathBuf;
use std::sync::Arc;

use super::green_gates::GreenGates;
use super::job::Job;
use crate::domain::{MergeRules, Span, Task, Timestamp, Tri};
use crate::engine::inbox::Inbox;
use crate::ports::agents::Agents;
use crate::ports::clock::Clock;
use crate::ports::gates::{GateEnvSource, Gates};
use crate::ports::git::{
    AtticOwner, BranchName, CommitId, Git, Head, NameError, Revision, SafeName, Signature,
};
use crate::ports::holders::Holders;
use crate::ports::stories::StoryFiles;
use crate::ports::terminals::Terminals;
use crate::ports::workspaces::Workspaces;

/// Time that a process has to end by itself after it was asked to.
pub(super) const STOP_GRACE: Span = Span(5_000);

/// The ports and fixed configuration that the performer works with.
pub struct EngineContext {
    pub git: Arc<dyn Git>,
    pub gates: Arc<dyn Gates>,
    pub workspaces: Arc<dyn Workspaces>,
    pub holders: Arc<dyn Holders>,
    pub agents: Arc<dyn Agents>,
    pub stories: Arc<dyn StoryFiles>,
    pub terminals: Arc<dyn Terminals>,
    pub clock: Arc<dyn Clock>,
    pub inbox: Inbox,
    pub green_gates: GreenGates,
    pub config: EngineConfig,
}

/// Paths, limits and identities that stay the same while the server runs.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    pub root: PathBuf,
    /// Folder in which each attempt's folder is made (`attempts` in the project's state).
    pub attempts: PathBuf,
    /// Folder in which clean checkouts for gates are made, outside of the person's checkout.
    pub checkouts: PathBuf,
    /// Folders in which they were made before another setting or version.
    pub former_checkouts: Vec<PathBuf>,
    /// Makes a word that cannot be guessed, where the system has random bytes.
    pub unguessable: fn() -> Option<String>,
    /// Environment of gates; nothing else is inherited.
    pub gate_env: GateEnvSource,
    pub gate_timeout: std::time::Duration,
    /// Begin of the marker that every process of an attempt carries; differs between projects.
    pub marker: String,
    /// Signature of the commits that the engine makes for agents; their time is that of the attempt.
    pub author: Signature,
    /// First line of these commits, as a template; `[task] title` if there is none.
    pub commit_message: Option<String>,
    /// Form and words of the engine's own merges.
    pub merging: MergeRules,
    pub log_limit: Option<u64>,
    /// Bytes of room on the disk below which no agent is started.
    pub min_free_disk: u64,
    /// Function that returns the room on the disk of a path, in bytes, if that is known.
    pub free_disk: fn(&std::path::Path) -> Option<u64>,
}

impl EngineContext {
    /// Returns the owner of something that is kept of a task, signed by the engine.
    pub fn attic_owner(&self, task: &Task, at: Timestamp) -> AtticOwner {
        AtticOwner {
            task: SafeName::derive(task.id.as_str()),
            signature: signature(at),
        }
    }
}

/// The engine's signature on commits of its own.
pub fn signature(at: Timestamp) -> Signature {
    Signature {
        name: "dbs".to_owned(),
        email: "dbs@localhost".to_owned(),
        seconds: i64::try_from(at.0 / 1000).unwrap_or(i64::MAX),
    }
}

/// A task's own branch, `feature/<task>` (K54).
pub fn branch_of(task: &Task) -> BranchName {
    BranchName::feature(&SafeName::derive(task.id.as_str()))
}

/// Reads a configured branch name.
///
/// # Errors
/// When git would not take it.
pub fn base_branch(name: &str) -> Result<BranchName, NameError> {
    BranchName::new(name)
}

/// Returns the present head of the base; the outcome of every check if there is none.
pub(super) fn base_head(context: &EngineContext, job: &Job) -> Result<CommitId, Tri> {
    let base = base_branch(&job.base).map_err(|error| Tri::Unknown(format!("could not {error}").into()))?;
    match context.git.resolve(&Revision::RemoteBranch(base)) {
        Head::At(commit) => Ok(commit),
        Head::Absent => Err(Tri::No("there is no commit to check".to_owned())),
        Head::Unknown(why) => Err(Tri::Unknown(why)),
    }
}
