//! Places and revisions: worktrees, branches, and references to commits. Plain values only.

use std::path::PathBuf;

use super::names::{BranchName, CommitId, SafeName, TreeId};

/// Reference to a commit. Each use looks afresh; nothing is answered from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    Commit(CommitId),
    /// The head of a branch of the remote, asked of the remote.
    RemoteBranch(BranchName),
    /// The head of a local branch of the project's repository.
    LocalBranch(BranchName),
    WorkingTree(WorkingTree),
    TaskBranch(TaskBranch),
}

/// The head of a task's own branch. If the branch is gone: the commit that was recorded for it, or the newest that the attic keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskBranch {
    pub task: SafeName,
    pub branch: BranchName,
    pub recorded: Option<CommitId>,
}

/// A checkout of the project: the main one or a worktree of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkingTree {
    Main,
    /// The one of that name in the folder of worktrees.
    Worktree(SafeName),
}

/// The two ends of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRange {
    Between {
        from: Revision,
        to: Revision,
    },
    /// Changes made by `head` since it left `base` (K95: the scope check).
    SinceFork {
        base: Revision,
        head: Revision,
    },
    /// Everything in a place since its work left `base`, committed or not, untracked files included.
    WorkInProgress {
        base: Revision,
        place: WorkingTree,
    },
    /// Changes of a commit against its first parent; for a merge: everything that came in with it.
    Commit {
        commit: CommitId,
    },
}

/// Committer and time of a commit. Given by the caller, so that a repeated call makes the same commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub email: String,
    pub seconds: i64,
}

/// The task under which work is kept in the attic before it is deleted, and the signature for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtticOwner {
    /// The task whose work it is: `refs/dbs/attic/<task>/<n>`, numbered from 1.
    pub task: SafeName,
    pub signature: Signature,
}

/// Findings of [`super::Git::preflight`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    pub git_version: String,
    pub root: PathBuf,
    pub checked_out: CheckedOut,
    /// Address of the remote; `None` if the project works without one.
    pub origin: Option<String>,
    /// The identity commits would carry, `Name <mail>`.
    pub identity: String,
}

/// Branch or commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedOut {
    Branch(BranchName),
    /// A branch without a commit yet; its name may be one the engine would refuse.
    Unborn(String),
    /// A branch whose name the engine refuses to work with.
    Unusable(String),
    Detached(CommitId),
}

/// A worktree to be made or found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeSpec {
    /// Name in the folder of worktrees (K53). Asking for a folder says that no agent works in it.
    pub folder: SafeName,
    pub kind: WorktreeKind,
    /// Other folders known to be dead: if one of them holds the branch, it is saved and removed (K59, LK-19).
    pub ended_folders: Vec<SafeName>,
    pub attic_owner: AtticOwner,
}

/// Checkout that an attempt needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorktreeKind {
    /// A developer's branch (K54): reused where it exists, here or on the remote, otherwise made from the remote base.
    Branch {
        branch: BranchName,
        base: BranchName,
        /// Head of the previous attempt: the branch is brought there unless it already holds it (LK-21).
        resume: Option<CommitId>,
    },
    /// A commit without a branch: a reviewer at the feature head (K55), a tester at the base (K56).
    Detached(Revision),
    /// The main checkout itself; nothing is made (K57).
    MainCheckout,
}

/// A worktree that is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    /// Content of the worktree at the start; compare with [`super::Git::workspace_unchanged`].
    pub start: WorkspaceTree,
    pub origin: WorktreeOrigin,
    /// Head of the base branch on the remote when it was asked for this worktree; `None` if it was not asked.
    pub base: Option<CommitId>,
    pub saved: Vec<AtticSnapshot>,
    /// Folders that were in the way, not made by the engine, and therefore moved aside unread.
    pub set_aside: Vec<PathBuf>,
}

/// Origin of a ready worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorktreeOrigin {
    Found,
    Made,
}

/// The commit and the file tree of a checkout at one moment, untracked files included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceTree {
    /// The commit checked out; none on a branch without commits.
    pub head: Option<CommitId>,
    pub tree: TreeId,
}

/// A commit in the attic that keeps everything that was in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtticSnapshot {
    /// `refs/dbs/attic/<task>/<n>` in the control repository.
    pub attic_ref: String,
    /// The commit; its first parent is the commit that was checked out.
    pub commit: CommitId,
}

/// The outcome of removing a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoveOutcome {
    /// Worktree that was removed; the snapshot is there if anything in it was not kept elsewhere.
    Removed(Option<AtticSnapshot>),
    /// There was no such worktree; a left-over registration is gone too.
    Absent,
    Kept(String),
}

/// Worktree found in a folder of worktrees, or registered there (K60).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeEntry {
    /// Folder name; `None` if it is one the engine would never make.
    pub folder: Option<SafeName>,
    pub path: PathBuf,
    /// Branch or commit that is checked out; `None` if git does not know the folder.
    pub checked_out: Option<CheckedOut>,
    pub is_present: bool,
}

/// Local branch of the project, or branch of the remote (K60).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchEntry {
    pub branch: BranchName,
    pub head: CommitId,
}
