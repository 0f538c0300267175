//! Errors of finding or using a project's folder.

use std::io;
use std::path::{Path, PathBuf};

/// Error of finding or using a project's folder.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("find a project: neither {from} nor any folder above it is a git repository; run `git init` there, or go to one", from = .from.display())]
    Nowhere { from: PathBuf },
    #[error("use {path} as a project: it is a bare repository; go to a checkout of it", path = .path.display())]
    Bare { path: PathBuf },
    #[error("use {path}: it is {found}; move it away, it was left as it is", path = .path.display())]
    Foreign { path: PathBuf, found: String },
    #[error("read {path}: it is not a secret of 32 bytes; remove it to have a new one made, agents at work must then be started again", path = .path.display())]
    BadSecret { path: PathBuf },
    #[error("make a folder for sockets: {why}")]
    NoRuntime { why: String },
    #[error(
        "keep an identity for this project's state: you have no folder for it; set HOME or XDG_STATE_HOME"
    )]
    NoStateFolder,
    #[error("{what} {path}: {why}", path = .path.display())]
    Failed {
        what: &'static str,
        path: PathBuf,
        why: io::Error,
    },
}

/// Wraps an error of the system: `.map_err(failed("make folder", path))`.
pub(super) fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ProjectError {
    let path = path.to_owned();
    move |why| ProjectError::Failed { what, path, why }
}
