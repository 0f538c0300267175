//! Places and revisions: worktrees, branches, and how to point at a commit. Plain values only.

use std::path::PathBuf;

use super::names::{BranchName, CommitId, SafeName, TreeId};

/// How to point at a commit. Each use looks afresh; nothing is answered from memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    /// This very commit, wherever it can be found.
    Commit(CommitId),
    /// The head of a branch of the remote, asked of the remote.
    RemoteBranch(BranchName),
    /// The head of a local branch of the project's repository.
    LocalBranch(BranchName),
    /// Whatever is checked out in a place.
    WorkingTree(WorkingTree),
}

/// A checkout of the project: the main one or a worktree of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkingTree {
    /// The main checkout of the project.
    Main,
    /// `.debussy-worktrees/<name>`.
    Worktree(SafeName),
}

/// The two ends of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffRange {
    /// From one to the other, as they are.
    Between {
        /// The older end.
        from: Revision,
        /// The newer end.
        to: Revision,
    },
    /// What `head` did since it left `base` (K95: the scope check).
    SinceFork {
        /// The branch that was left.
        base: Revision,
        /// The work.
        head: Revision,
    },
    /// Everything in a place since its work left `base`: what was committed and what was not, untracked files included.
    WorkInProgress {
        /// The branch that was left.
        base: Revision,
        /// Where the work is.
        place: WorkingTree,
    },
    /// What a commit changed against its first parent; for a merge: what came in with it.
    Commit {
        /// The commit.
        commit: CommitId,
    },
}

/// Who commits, and when. Given by the caller, so that a repeated call makes the same commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Name of author and committer.
    pub name: String,
    /// Mail address of author and committer.
    pub email: String,
    /// Seconds since 1970-01-01 UTC.
    pub seconds: i64,
}

/// The task under which work is kept in the attic before it is deleted, and who signs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtticOwner {
    /// The task whose work it is: `refs/dbs/attic/<task>/<n>`, numbered from 1.
    pub task: SafeName,
    /// Who signs the snapshot, and when.
    pub signature: Signature,
}

/// What [`super::Git::preflight`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    /// Version of git, such as `2.47.3`.
    pub git_version: String,
    /// Canonical root of the main checkout.
    pub root: PathBuf,
    /// What is checked out there.
    pub checked_out: CheckedOut,
    /// Address of `origin`, credentials removed.
    pub origin: String,
    /// The identity commits would carry, `Name <mail>`.
    pub identity: String,
}

/// What a checkout stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedOut {
    /// A branch with at least one commit.
    Branch(BranchName),
    /// A branch without a commit yet; its name may be one the engine would refuse.
    Unborn(String),
    /// A branch whose name the engine refuses to work with.
    Unusable(String),
    /// A commit without a branch.
    Detached(CommitId),
}

/// A worktree to be made or found again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeSpec {
    /// Folder name under `.debussy-worktrees/` (K53). Asking for a folder says that nobody works in it.
    pub folder: SafeName,
    /// What is to be checked out there.
    pub kind: WorktreeKind,
    /// Other folders known to be dead: if one of them holds the branch, it is saved and removed (K59, LK-19).
    pub ended_folders: Vec<SafeName>,
    /// For whom anything in the way is kept.
    pub attic_owner: AtticOwner,
}

/// What an attempt needs checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorktreeKind {
    /// A developer's branch (K54): reused where it exists, here or on the remote, otherwise made from the remote base.
    Branch {
        /// The branch, `feature/<task>`.
        branch: BranchName,
        /// The branch of the remote it starts from.
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
    /// Canonical path.
    pub path: PathBuf,
    /// What it looks like at the start; compare with [`super::Git::workspace_unchanged`].
    pub start: WorkspaceTree,
    /// Whether it was found or made.
    pub origin: WorktreeOrigin,
    /// Snapshots of what was in the way.
    pub saved: Vec<AtticSnapshot>,
    /// Folders that were in the way, not ours, and therefore moved aside unread.
    pub set_aside: Vec<PathBuf>,
}

/// Where a ready worktree came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorktreeOrigin {
    /// It was there already, as asked for.
    Found,
    /// It was made now.
    Made,
}

/// The commit and the file tree of a checkout at one moment, untracked files included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceTree {
    /// The commit checked out; none on a branch without commits.
    pub head: Option<CommitId>,
    /// The files, as a tree.
    pub tree: TreeId,
}

/// A commit in the attic that keeps everything that was in a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtticSnapshot {
    /// `refs/dbs/attic/<task>/<n>` in the control repository.
    pub attic_ref: String,
    /// The commit; its first parent is what was checked out.
    pub commit: CommitId,
}

/// The outcome of removing a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemoveOutcome {
    /// It is gone; the snapshot is there if anything in it was not kept elsewhere.
    Removed(Option<AtticSnapshot>),
    /// There was none; a left-over registration is gone too.
    Absent,
    /// It was left alone; the text says why.
    Kept(String),
}

/// One worktree found under `.debussy-worktrees/`, or registered there (K60).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeEntry {
    /// Folder name; none when it is one the engine would never make.
    pub folder: Option<SafeName>,
    /// Path as found.
    pub path: PathBuf,
    /// What is checked out; none when git knows nothing of the folder.
    pub checked_out: Option<CheckedOut>,
    /// Whether the folder is on the disk.
    pub is_present: bool,
}

/// One local branch of the project, or one of the remote (K60).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchEntry {
    /// The branch.
    pub branch: BranchName,
    /// Its head.
    pub head: CommitId,
}
