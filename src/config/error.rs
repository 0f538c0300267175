//! Errors of showing or changing a setting.

use std::path::PathBuf;

use crate::config::schema::{member_of, nearest_key};

/// Error of showing or changing a setting.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("find the setting `{key}`: there is none of that name{}", hint(.nearest.as_deref()))]
    UnknownKey { key: String, nearest: Option<String> },
    #[error("use `{key}` as a setting: it is a table; its settings are written like `{member}`")]
    Table { key: String, member: String },
    #[error("set {key}: it {why}")]
    BadValue { key: String, why: String },
    #[error("change {path}: {why}; fix the file first, it was left as it is", path = .path.display())]
    Unusable { path: PathBuf, why: String },
    #[error("{act} {path}: {why}", path = .path.display())]
    Failed {
        act: &'static str,
        path: PathBuf,
        why: std::io::Error,
    },
}

impl ConfigError {
    pub(super) fn unknown(key: &str) -> ConfigError {
        let path: Vec<&str> = key.split('.').collect();
        let key = key.to_owned();
        match member_of(&path) {
            Some(member) => ConfigError::Table { key, member },
            None => ConfigError::UnknownKey {
                nearest: nearest_key(&path),
                key,
            },
        }
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or("; `dbs config` lists all".to_owned(), |key| {
        format!("; did you mean `{key}`?")
    })
}
