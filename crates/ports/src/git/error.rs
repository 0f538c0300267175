//! Errors of git operations. Their texts are fragments that read after "could not".

use std::path::{Path, PathBuf};

use super::names::{BranchName, NameError};
use dbs_domain::{Cause, TroubleKind};

/// A git operation that did not happen. Nothing was deleted when one of these is returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Name(#[from] NameError),
    /// A branch is checked out in a place that may not be replaced.
    #[error("use branch {branch}: it is checked out in {path}; end that work or switch it first", path = .path.display())]
    Busy { branch: BranchName, path: PathBuf },
    /// Something needed is known not to exist (a branch, a commit).
    #[error("find {what}; {hint}")]
    Missing { what: String, hint: String },
    /// A file or folder was not made by the engine, so it was left alone.
    #[error("touch {path}: {why}; look at it and move it away", path = .path.display())]
    NotOurs { path: PathBuf, why: String },
    /// A submodule could not be filled.
    #[error("fill the submodule {path}: {why}")]
    Submodule {
        kind: TroubleKind,
        path: String,
        why: String,
        /// True if its commit is known to be nowhere.
        is_nowhere: bool,
    },
    /// The outside did not answer: network, time limit, killed process. Class infra: try again later.
    #[error("{what}: no answer ({why}); it will be tried again")]
    Unreachable {
        kind: TroubleKind,
        what: String,
        why: String,
    },
    #[error("{what}: {why}")]
    Failed {
        kind: TroubleKind,
        what: String,
        why: String,
    },
}

/// Error that keeps the engine from working in this folder (K5). Each text ends with the way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PreflightError {
    #[error("run git: {0}; install git 2.38 or newer")]
    NoGit(String),
    /// Git is older than 2.38, which `merge-tree --write-tree` needs.
    #[error("use git {0}: 2.38 or newer is needed; install a newer one")]
    TooOld(String),
    #[error("work in {path}: it is not a git working copy; run `git init` there first", path = .0.display())]
    NotARepository(PathBuf),
    /// The folder is the inside of a repository. `checkout` is one that the repository has, if there is any.
    #[error("{}", no_checkout(.folder, .checkout.as_deref()))]
    NoCheckout {
        folder: PathBuf,
        checkout: Option<PathBuf>,
    },
    /// The folder holds a checkout, but the setting `core.bare` in that file says that there is none.
    #[error(
        "work in {folder}: the setting core.bare = true says that it is not a checkout; if another tool left that there, run \
         `git config --file {file} core.bare false`",
        folder = .folder.display(),
        file = .file.display()
    )]
    SaysBare { folder: PathBuf, file: PathBuf },
    /// The project has no remote of this name.
    #[error(
        "find a remote called {0}; `dbs config remote none` works without one, `git remote add {0} <url>` adds it"
    )]
    NoRemote(String),
    /// Without a remote tasks start from commits of the project, which has none.
    #[error(
        "find a commit to start from; commit your files, or begin with `git commit --allow-empty -m Start`"
    )]
    NoCommit,
    /// The remote points elsewhere than when the control repository was made.
    #[error("{}", origin_changed(.remote, .recorded.as_deref(), .now))]
    OriginChanged {
        remote: String,
        /// None: the project worked without a remote.
        recorded: Option<String>,
        now: String,
    },
    #[error(
        "find an identity to commit with; run `git config --global user.name` and `git config --global user.email`"
    )]
    NoIdentity,
    #[error("look at the repository: {0}")]
    Unknown(String),
}

impl GitError {
    /// Returns the kind of trouble and its text, which reads after "could not".
    pub fn cause(&self) -> Cause {
        let kind = match self {
            Self::Unreachable { kind, .. } | Self::Failed { kind, .. } | Self::Submodule { kind, .. } => {
                *kind
            }
            Self::Name(_) | Self::Busy { .. } | Self::Missing { .. } | Self::NotOurs { .. } => {
                TroubleKind::Other
            }
        };
        kind.cause(self.to_string())
    }
}

impl From<GitError> for PreflightError {
    fn from(error: GitError) -> Self {
        Self::Unknown(error.to_string())
    }
}

fn origin_changed(remote: &str, recorded: Option<&str>, now: &str) -> String {
    match recorded {
        Some(recorded) => format!(
            "trust {remote}: it was {recorded} and is now {now}; if you changed it, run `dbs trust --origin {now}`, otherwise \
             set it back with `git remote set-url {remote} {recorded}`"
        ),
        None => format!(
            "trust {remote}: work here went to no remote so far; to push it to {now}, run `dbs trust --origin {now}`, otherwise \
             `dbs config remote none`"
        ),
    }
}

fn no_checkout(folder: &Path, checkout: Option<&Path>) -> String {
    let folder = folder.display();
    match checkout {
        Some(checkout) => {
            let checkout = checkout.display();
            format!("work in {folder}: it is the inside of a repository; work in its checkout {checkout}")
        }
        None => format!(
            "work in {folder}: it is a repository without a checkout; make one there with `git worktree add NAME` and work in that"
        ),
    }
}
