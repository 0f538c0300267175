//! Everything the engine asks of git, as one blocking trait ([`Git`]) over plain values. Nothing here runs git.
//!
//! Three rules hold for every operation (design 5.2, LK-12, LK-55, LK-56):
//! a question that could not be answered is `Unknown`, never yes or no; what the remote holds is asked of the
//! remote, never of a tracking ref; and every operation may be repeated after a crash and finds its own work again.

mod answers;
mod error;
mod merging;
mod names;
mod operations;
mod places;

pub use answers::{Ahead, ChangeKind, ChangedFile, DefaultBranch, Deletion, Head, Push, Text};
pub use error::{GitError, PreflightError};
pub use merging::{
    CleanCheckout, ConflictFile, MergeOutcome, MergeRequest, Publication, Published, Rest, RestRequest,
};
pub use names::{BranchName, CommitId, NameError, SafeName, TreeId};
pub use operations::Git;
pub use places::{
    BranchEntry, CheckedOut, Place, Preflight, Range, Removal, Revision, Saver, Signature, Snapshot,
    WorkspaceState, Worktree, WorktreeEntry, WorktreeKind, WorktreeOrigin, WorktreeSpec,
};
