//! Merging, publishing and clean checkouts: plain values.

use std::path::PathBuf;

use super::names::{BranchName, CommitId, SafeName, TreeId};
use super::worktrees::Signature;
use dbs_domain::{Cause, Integration, MergeStyle};

/// A merge to be made in the control repository, without any working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    pub task: SafeName,
    pub attempt: SafeName,
    /// Comes before the title in the first line; may be empty.
    pub start: String,
    /// Title of the task, for the first line; cleaned of control characters and cut.
    pub title: String,
    /// The whole message but for the engine's trailers, where the settings word it; it takes the place of `start` and `title`.
    pub message: Option<String>,
    pub style: MergeStyle,
    /// Recorded head of the task's branch (LK-55).
    pub head: CommitId,
    pub branch: BranchName,
    /// The head that came to be merged, where an integrator may have worked on it since.
    pub reviewed: Option<ReviewedHead>,
    pub base: BranchName,
    /// Files that the merge writes besides, on that base; if the base has moved, the merge is not made.
    pub edits: Option<MergeEdits>,
    pub signature: Signature,
}

/// A head that has come to its merge; the head of an integrator is compared with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewedHead {
    pub commit: CommitId,
    /// True if an integrator's own lines in a conflict are to be reviewed too, and not only its changes around the conflict.
    pub judges_lines: bool,
}

/// Files that a merge writes besides the merged ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeEdits {
    /// The base they were made for.
    pub base: CommitId,
    pub files: Vec<FileEdit>,
}

/// A file of a tree that is written or removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// Relative to the repository, its parts joined by `/`.
    pub path: String,
    /// The whole text of the file; `None` to remove it.
    pub text: Option<String>,
}

/// A request to give files of a branch the content that they had in an earlier commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreRequest {
    pub branch: BranchName,
    /// Present head of the branch.
    pub head: CommitId,
    /// The commit whose files are right.
    pub from: CommitId,
    /// Files, relative to the repository; a file that `from` lacks is removed.
    pub paths: Vec<String>,
    pub task: SafeName,
    pub attempt: SafeName,
    pub signature: Signature,
}

/// A request to commit the changes that an agent left uncommitted in its worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRequest {
    /// The worktree's folder; no agent works there any more.
    pub folder: SafeName,
    pub branch: BranchName,
    pub task: SafeName,
    pub attempt: SafeName,
    /// Comes before the title in the first line; may be empty.
    pub start: String,
    pub title: String,
    /// The agent's report about the work, for the lines below; cleaned and cut. May be empty.
    pub text: String,
    /// The kind of agent that worked, and its model, as far as they are known.
    pub agent: Option<String>,
    pub signature: Signature,
}

/// The outcome of committing the changes that an agent left uncommitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    /// Commit of the work, which is the head of the branch.
    Committed(CommitId),
    NothingToCommit(CommitId),
    /// Work that cannot be committed as it is; the text says why.
    Refused(String),
}

/// Result of a merge. Nothing is published yet in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeOutcome {
    /// A merge commit exists in the control repository; run the gates on it, then publish it.
    Merged {
        commit: CommitId,
        /// Tree of the merge commit: gate results are bound to it.
        tree: TreeId,
        /// The base head it was made on: the expected old value when publishing.
        base: CommitId,
    },
    /// The two do not merge by themselves: call an integrator.
    Conflict {
        files: Vec<ConflictFile>,
        /// Git's report about the files, cut at 16 KiB.
        report: String,
        base: CommitId,
    },
    AlreadyMerged {
        /// The merge commit with our trailers, if one was found.
        commit: Option<CommitId>,
        base: CommitId,
    },
    /// An integrator changed more than its conflict.
    Unreviewed(Box<Integration>),
    /// The base is no longer the one that the edits were made for.
    BaseMoved,
    /// Merge that can never work as asked (base or head does not exist, unrelated histories, a submodule at a commit that cannot be
    /// fetched); the text says why.
    Impossible(String),
    /// The result could not be found out; nothing was changed. Try again later.
    Unknown(Cause),
}

impl MergeOutcome {
    /// Returns the head of the base on the remote, as far as it was asked and found.
    pub fn base(&self) -> Option<&CommitId> {
        match self {
            MergeOutcome::Merged { base, .. }
            | MergeOutcome::Conflict { base, .. }
            | MergeOutcome::AlreadyMerged { base, .. } => Some(base),
            MergeOutcome::Unreviewed(_)
            | MergeOutcome::BaseMoved
            | MergeOutcome::Impossible(_)
            | MergeOutcome::Unknown(_) => None,
        }
    }
}

/// File in conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictFile {
    pub path: String,
    /// The file with conflict markers, cut at 16 KiB; `None` for binary or deleted files and after the first 20.
    pub text: Option<String>,
}

/// A merge commit that is to be pushed to the remote base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishRequest {
    /// The commit; it must contain `expected`.
    pub commit: CommitId,
    pub base: BranchName,
    /// Head of the remote base when the commit was made.
    pub expected: CommitId,
}

/// The outcome of pushing a merge commit to the remote base branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublishOutcome {
    /// The remote base holds the commit, since now or since before, perhaps below newer ones; read back from the remote.
    Done,
    /// The remote base has moved to this commit: merge again (at most 3 times).
    Moved(CommitId),
    /// The remote answered no; the text is the remote's.
    Refused(String),
    /// The remote answered that the base takes no such push, whatever the commit; the text is the remote's.
    Closed(String),
    /// The result could not be found out; the text says why. Repeat the same publication later.
    Unknown(Cause),
}

/// A folder with exactly the files of one commit, and a small repository of its own. Filters
/// of the person apply; filters of the repository, hooks and attributes that leave files out do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanCheckout {
    pub path: PathBuf,
    pub commit: CommitId,
    pub tree: TreeId,
}
