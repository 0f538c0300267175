//! Why a setting could not be shown or changed.

use std::path::PathBuf;

/// Why a setting could not be shown or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// No such key.
    #[error("find the setting `{key}`: there is none of that name{}", hint(.nearest.as_deref()))]
    UnknownKey {
        /// What was asked for.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
    },
    /// The key has no such value.
    #[error("set {key}: it {why}")]
    BadValue {
        /// The key.
        key: String,
        /// What would be right.
        why: String,
    },
    /// The file is not what it should be; it was left as it is.
    #[error("change {path}: {why}; mend the file first, it was left as it is", path = .path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        why: String,
    },
    /// The system refused.
    #[error("write {path}: {why}", path = .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or("; `dbs config` lists all".to_owned(), |key| {
        format!("; did you mean `{key}`?")
    })
}
