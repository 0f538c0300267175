//! Errors of git operations. Their texts are fragments that read after "could not".

use std::fmt;
use std::path::PathBuf;

use super::names::{BranchName, NameError};
use dbs_domain::{Cause, TroubleKind};

/// A git operation that did not happen. Nothing was deleted when one of these is returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitError {
    Name(NameError),
    /// A branch is checked out in a place that may not be replaced.
    Busy {
        branch: BranchName,
        path: PathBuf,
    },
    /// Something needed is known not to exist (a branch, a commit).
    Missing {
        what: String,
        hint: String,
    },
    /// A file or folder was not made by the engine, so it was left alone.
    NotOurs {
        path: PathBuf,
        why: String,
    },
    /// The outside did not answer: network, time limit, killed process. Class infra: try again later.
    Unreachable {
        kind: TroubleKind,
        what: String,
        why: String,
    },
    Failed {
        kind: TroubleKind,
        what: String,
        why: String,
    },
}

/// Error that keeps the engine from working in this folder (K5). Each text ends with the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreflightError {
    NoGit(String),
    /// Git is older than 2.38, which `merge-tree --write-tree` needs.
    TooOld(String),
    NotARepository(PathBuf),
    /// The folder is the inside of a repository. `checkout` is one that the repository has, if there is any.
    NoCheckout {
        folder: PathBuf,
        checkout: Option<PathBuf>,
    },
    /// The folder holds a checkout, but the setting `core.bare` in that file says that there is none.
    SaysBare {
        folder: PathBuf,
        file: PathBuf,
    },
    /// The project has no remote of this name.
    NoRemote(String),
    /// Without a remote tasks start from commits of the project, which has none.
    NoCommit,
    /// The remote points elsewhere than when the control repository was made.
    OriginChanged {
        remote: String,
        /// None: the project worked without a remote.
        recorded: Option<String>,
        now: String,
    },
    NoIdentity,
    Unknown(String),
}

impl GitError {
    /// Returns the kind of trouble and its text, which reads after "could not".
    pub fn cause(&self) -> Cause {
        let kind = match self {
            Self::Unreachable { kind, .. } | Self::Failed { kind, .. } => *kind,
            Self::Name(_) | Self::Busy { .. } | Self::Missing { .. } | Self::NotOurs { .. } => {
                TroubleKind::Other
            }
        };
        kind.cause(self.to_string())
    }
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::Busy { branch, path } => {
                write!(
                    f,
                    "use branch {branch}: it is checked out in {}; end that work or switch it first",
                    path.display()
                )
            }
            Self::Missing { what, hint } => write!(f, "find {what}; {hint}"),
            Self::NotOurs { path, why } => {
                write!(f, "touch {}: {why}; look at it and move it away", path.display())
            }
            Self::Unreachable { what, why, .. } => {
                write!(f, "{what}: no answer ({why}); it will be tried again")
            }
            Self::Failed { what, why, .. } => write!(f, "{what}: {why}"),
        }
    }
}

impl fmt::Display for PreflightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGit(why) => write!(f, "run git: {why}; install git 2.38 or newer"),
            Self::TooOld(version) => write!(f, "use git {version}: 2.38 or newer is needed; install a newer one"),
            Self::NotARepository(path) => {
                write!(f, "work in {}: it is not a git working copy; run `git init` there first", path.display())
            }
            Self::NoCheckout {
                folder,
                checkout: Some(checkout),
            } => write!(
                f,
                "work in {}: it is the inside of a repository; work in its checkout {}",
                folder.display(),
                checkout.display()
            ),
            Self::NoCheckout {
                folder,
                checkout: None,
            } => write!(
                f,
                "work in {}: it is a repository without a checkout; make one there with `git worktree add NAME` and work in that",
                folder.display()
            ),
            Self::SaysBare { folder, file } => write!(
                f,
                "work in {}: the setting core.bare = true says that it is no checkout; if another tool left that there, run \
                 `git config --file {} core.bare false`",
                folder.display(),
                file.display()
            ),
            Self::NoRemote(remote) => write!(
                f,
                "find a remote called {remote}; `dbs config remote none` works without one, `git remote add {remote} <url>` adds it"
            ),
            Self::NoCommit => f.write_str(
                "find a commit to start from; commit your files, or begin with `git commit --allow-empty -m Start`",
            ),
            Self::OriginChanged {
                remote,
                recorded: Some(recorded),
                now,
            } => write!(
                f,
                "trust {remote}: it was {recorded} and is now {now}; if you changed it, run `dbs trust --origin {now}`, otherwise \
                 set it back with `git remote set-url {remote} {recorded}`"
            ),
            Self::OriginChanged {
                remote,
                recorded: None,
                now,
            } => write!(
                f,
                "trust {remote}: work here went to no remote so far; to push it to {now}, run `dbs trust --origin {now}`, otherwise \
                 `dbs config remote none`"
            ),
            Self::NoIdentity => f.write_str(
                "find an identity to commit with; run `git config --global user.name` and `git config --global user.email`",
            ),
            Self::Unknown(why) => write!(f, "look at the repository: {why}"),
        }
    }
}

impl std::error::Error for GitError {}
impl std::error::Error for PreflightError {}

impl From<GitError> for PreflightError {
    fn from(error: GitError) -> Self {
        Self::Unknown(error.to_string())
    }
}

impl From<NameError> for GitError {
    fn from(error: NameError) -> Self {
        Self::Name(error)
    }
}
