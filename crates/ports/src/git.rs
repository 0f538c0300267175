//! Everything the engine asks of git, as one blocking trait ([`Git`]) over plain values. Nothing here runs git.
//!
//! Three rules hold for every operation (LK-12, LK-55, LK-56):
//! a question that could not be answered is `Unknown`, never yes or no; the content of the remote is asked of the
//! remote, never of a tracking ref; and every operation may be repeated after a crash and finds its own work again.

mod error;
mod merge;
mod names;
mod operations;
mod outcomes;
mod worktrees;

pub use error::{GitError, PreflightError};
pub use merge::{
    CleanCheckout, CommitOutcome, CommitRequest, ConflictFile, FileEdit, MergeEdits, MergeOutcome,
    MergeRequest, PublishOutcome, PublishRequest, RestoreRequest, ReviewedHead,
};
pub use names::{BranchName, CommitId, NameError, SafeName, TreeId};
pub use operations::Git;
pub use outcomes::{
    AgentsRemote, CommitFile, CommitsAhead, DeleteOutcome, GitOverride, Head, LimitedText, PushOutcome,
    RemoteBase,
};
pub use worktrees::{
    AtticOwner, AtticSnapshot, BranchEntry, CheckedOut, DiffRange, Preflight, RemoveOutcome, Revision,
    Signature, TaskBranch, WorkingTree, WorkspaceTree, Worktree, WorktreeEntry, WorktreeKind, WorktreeOrigin,
    WorktreeSpec,
};
