//! Why a project's folder could not be found or used.

use std::io;
use std::path::{Path, PathBuf};

/// Why a project's folder could not be found or used.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// No repository here.
    #[error("find a project: neither {from} nor any folder above it is a git repository; run `git init` there, or go to one", from = .from.display())]
    Nowhere {
        /// Where the search began.
        from: PathBuf,
    },
    /// A repository without files of its own.
    #[error("use {path} as a project: it is a bare repository; go to a checkout of it", path = .path.display())]
    Bare {
        /// The repository.
        path: PathBuf,
    },
    /// Something lies where ours belongs (LK-44).
    #[error("use {path}: it is {found}; move it away, it was left as it is", path = .path.display())]
    Foreign {
        /// The path.
        path: PathBuf,
        /// What was found there.
        found: String,
    },
    /// A secret of the wrong length.
    #[error("read {path}: it is not a secret of 32 bytes; remove it to have a new one made, agents at work must then be started again", path = .path.display())]
    BadSecret {
        /// The file.
        path: PathBuf,
    },
    /// No folder is short and private enough for sockets.
    #[error("make a folder for sockets: {why}")]
    NoRuntime {
        /// What stood against each place.
        why: String,
    },
    /// The system refused.
    #[error("{what} {path}: {why}", path = .path.display())]
    Failed {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        why: io::Error,
    },
}

/// Wraps an error of the system: `.map_err(failed("make folder", path))`.
pub(super) fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ProjectError {
    let path = path.to_owned();
    move |why| ProjectError::Failed { what, path, why }
}
