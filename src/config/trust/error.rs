//! Errors of trusting something.

use std::io;
use std::path::PathBuf;

/// Error of trusting something; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("trust {given}: the files have the hash {now} now; look at them: dbs trust show")]
    OtherHash { given: String, now: String },
    #[error("keep the record of what you trust: you have no folder for it; set HOME or XDG_STATE_HOME")]
    NoFolder,
    #[error("trust anything here: the state in {state} has no identity that names this repository; \
             move it away, or use it as it is with `dbs trust --state`", state = .0.display())]
    NoIdentity(PathBuf),
    #[error("use {0}; fix the file first")]
    Unreadable(String),
    #[error("read {file}: {why}", file = .file.display())]
    Record { file: PathBuf, why: RecordError },
    #[error("read {file}: {why}; dbs trust --forget drops it", file = .file.display())]
    PlanRecord { file: PathBuf, why: RecordError },
    #[error("{act} {file}: {why}", file = .file.display())]
    Failed {
        act: &'static str,
        file: PathBuf,
        why: io::Error,
    },
}

/// Error of reading a record of trust.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("it is of another project, plan or version")]
    Other,
}
