//! The files that hold settings.

use std::path::{Path, PathBuf};

/// The files, none of which need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// `.debussy/config.toml`.
    pub toml: PathBuf,
    /// `.debussy/config.json`, as earlier programs wrote it.
    pub json: PathBuf,
    /// The user's own, for all projects.
    pub user: Option<PathBuf>,
}

impl Places {
    /// The files of the project folder `debussy` and of the user's configuration folder (`~/.config`).
    pub fn new(debussy: &Path, user: Option<&Path>) -> Places {
        Places {
            toml: debussy.join("config.toml"),
            json: debussy.join("config.json"),
            user: user.map(|folder| folder.join("dbs").join("config.toml")),
        }
    }
}
