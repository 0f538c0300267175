//! The files that hold settings, strongest first, and the dialect each is written in.

use std::path::{Path, PathBuf};

use crate::config::error::EditError;
use crate::config::raw::ReadFn;
use crate::config::value::SettingValue;
use crate::config::{json, toml, yaml};

/// Paths of the configuration files of a project and of the user, strongest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFiles {
    /// Files of the project: `.debussy/config.toml`, then the files of earlier programs: `.yaml`, `.yml`, `.json`.
    pub project: Vec<PathBuf>,
    /// The user's own, for all projects: `dbs/config.toml` in the configuration folder, then the same names in `~/.debussy`.
    pub user: Vec<PathBuf>,
}

/// Names in a `.debussy` folder, strongest first.
const NAMES: [&str; 4] = ["config.toml", "config.yaml", "config.yml", "config.json"];

impl ConfigFiles {
    /// The files of the project folder `debussy`, of the user's configuration folder (`~/.config`) and of the user's home.
    pub fn new(debussy: &Path, configuration: Option<&Path>, home: Option<&Path>) -> ConfigFiles {
        let project: Vec<PathBuf> = NAMES.iter().map(|name| debussy.join(name)).collect();
        let own = configuration.map(|folder| folder.join("dbs").join("config.toml"));
        let old = home.map(|home| home.join(".debussy")).into_iter();
        let old = old.flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let mut user: Vec<PathBuf> = own.into_iter().chain(old).collect();
        // The home itself may be a project.
        user.retain(|file| !project.contains(file));
        ConfigFiles { project, user }
    }

    /// `.debussy/config.toml`: where values go that no file has yet.
    pub fn toml(&self) -> &Path {
        self.project
            .first()
            .map_or(Path::new("config.toml"), PathBuf::as_path)
    }

    /// `.debussy/config.json`, as earlier programs wrote it.
    pub fn json(&self) -> &Path {
        self.project
            .last()
            .map_or(Path::new("config.json"), PathBuf::as_path)
    }
}

/// Function that sets or removes one value in the text of a configuration file.
pub(super) type EditFn = fn(&str, &[&str], Option<&SettingValue>) -> Result<String, EditError>;

/// Returns the functions that read and change a file, by its ending.
pub(super) fn dialect(file: &Path) -> (ReadFn, EditFn) {
    match file.extension().and_then(|end| end.to_str()) {
        Some("json") => (json::read, json::edit),
        Some("yaml" | "yml") => (yaml::read, yaml::edit),
        Some(_) | None => (toml::read, toml::edit),
    }
}
