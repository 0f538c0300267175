//! Errors of settings, of the files they stand in, and of workflows.

use std::path::PathBuf;

use crate::config::schema::{member_of, nearest_key};

/// Error of showing or changing a setting; the texts read after "could not".
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

/// Error of a change in the text of a configuration file; the texts read after the name of the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum EditError {
    #[error("line {line}: {why}")]
    Syntax { line: usize, why: String },
    #[error("the key is empty")]
    EmptyKey,
    #[error("`{0}` is a single value there, not a table")]
    SingleValue(String),
    #[error("`{0}` is a table there, not a single value")]
    Table(String),
    #[error("it does not have `{0}`")]
    Missing(String),
    #[error("`{key}` is written in a way that is not changed safely: change line {line} by hand")]
    ByHand { key: String, line: usize },
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl From<(usize, String)> for EditError {
    fn from(found: (usize, String)) -> EditError {
        EditError::Syntax {
            line: found.0,
            why: found.1,
        }
    }
}

/// Findings in workflow files, one a line, each with its file and line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct WorkflowError(pub(super) Vec<String>);

/// Error of learning about the own process; the texts read after "could not".
#[derive(Debug, thiserror::Error)]
#[error("{act}: {why}")]
pub struct ProcessEnvError {
    pub(super) act: &'static str,
    pub(super) why: std::io::Error,
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
