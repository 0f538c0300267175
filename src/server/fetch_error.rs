//! Error of a fact that could not be fetched.

use std::io;
use std::path::PathBuf;

use crate::adapters::holder::HolderError;
use crate::ports::git::{GitError, NameError};
use crate::ports::store::StoreError;

/// Error of a fact that could not be fetched; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Log(#[from] HolderError),
    #[error("read {}: {error}", file.display())]
    Output { file: PathBuf, error: io::Error },
    #[error("look back: it left no log")]
    NoLog,
    #[error("measure the machine: the disk does not answer")]
    Machine,
    #[error("search in one go")]
    WholeSearch,
}
