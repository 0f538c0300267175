//! Answers to questions about commits and branches. Must not turn "could not find out" into an answer (LK-56).

use super::names::{BranchName, CommitId};
use dbs_domain::Cause;

/// The commit a revision points at, or the answer that it does not exist or is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    At(CommitId),
    /// Revision that is known not to exist (or has no commit yet).
    Absent,
    Unknown(Cause),
}

/// A file as a commit holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitFile {
    /// The commit holds nothing at that path.
    Absent,
    /// The path is a link, a folder or another repository.
    NoFile,
    Text(LimitedText),
}

/// Number of commits that one revision has and another lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitsAhead {
    Commits {
        n_commits: u64,
        head: CommitId,
        base: CommitId,
    },
    /// Revision of the two that does not exist; the text says which.
    Absent(String),
    Unknown(Cause),
}

/// The outcome of pushing a branch to the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The remote holds this commit, since now or since before; read back from the remote.
    Pushed(CommitId),
    NoBranch,
    /// The remote branch holds commits the local one lacks; nothing was changed.
    Diverged {
        local: CommitId,
        remote: CommitId,
    },
    /// The remote answered no (protected branch, server-side hook); the text is the remote's.
    Refused(String),
    /// The result could not be found out; the text says why. Try again later.
    Unknown(Cause),
}

/// The remote as agents work with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentsRemote {
    pub name: String,
    /// Settings for git, where the project's own do not know the remote.
    pub settings: Vec<(String, String)>,
    /// Name and address under which the person commits in the project, if they are known.
    pub person: Option<(String, String)>,
}

/// A base branch as the remote has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteBase {
    pub branch: BranchName,
    /// Head that the remote answered just now; `None` if the branch does not exist there or that could not be found out.
    pub head: Option<CommitId>,
}

impl RemoteBase {
    /// Builds the base from the answer that the remote has just given about the branch.
    #[must_use]
    pub fn new(branch: BranchName, answer: Head) -> RemoteBase {
        let head = match answer {
            Head::At(commit) => Some(commit),
            Head::Absent | Head::Unknown(_) => None,
        };
        RemoteBase { branch, head }
    }
}

/// The outcome of deleting a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteOutcome {
    /// Branch that was deleted; if its head was not merged, the head is kept under this attic ref.
    Deleted {
        /// Attic ref that keeps the head, if one was needed.
        kept_as: Option<String>,
    },
    Absent,
    /// Branch that was left alone; the text says why (moved meanwhile, checked out somewhere).
    Kept(String),
    Unknown(Cause),
}

/// Output of git for people, cut off at a size limit. Not cleaned of control characters: the code that shows it does that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitedText {
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: String,
    pub truncated: bool,
}

/// Something in the project's repository that changes what git shows or starts there, and is neither a commit nor a file of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitOverride {
    /// Distinguishes it from others, such as `setting diff.external`.
    pub name: String,
    /// A digest of its content.
    pub digest: String,
    /// Name and content for people, on one line.
    pub shown: String,
    /// The command that takes the override back, or another way if no command does.
    pub undo: String,
}
