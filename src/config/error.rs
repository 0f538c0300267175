//! Why a setting could not be shown or changed.

use std::path::PathBuf;

/// Why a setting could not be shown or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("find the setting `{key}`: there is none of that name{}", hint(.nearest.as_deref()))]
    UnknownKey { key: String, nearest: Option<String> },
    #[error("set {key}: it {why}")]
    BadValue { key: String, why: String },
    #[error("change {path}: {why}; mend the file first, it was left as it is", path = .path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("write {path}: {why}", path = .path.display())]
    Failed { path: PathBuf, why: std::io::Error },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or("; `dbs config` lists all".to_owned(), |key| {
        format!("; did you mean `{key}`?")
    })
}
