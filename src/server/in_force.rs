//! The settings in force, and what the files of the settings look like from outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::config::Config;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;

/// The settings in use, and what is wrong with the files if newer ones could not be taken over.
#[derive(Debug)]
pub(super) struct ActiveSettings {
    pub(super) place: ProjectPaths,
    config: watch::Sender<Arc<Config>>,
    /// What is wrong with the files as they are now. Held for the length of a reading: one at a time.
    pub(super) problem: Mutex<Option<String>>,
}

/// Modification times and sizes of the configuration files, to notice a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileStamps(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl ActiveSettings {
    /// Reads the settings from the files as they are now.
    pub(super) fn new(place: ProjectPaths) -> ActiveSettings {
        ActiveSettings {
            config: watch::Sender::new(Arc::new(place.config())),
            problem: Mutex::new(None),
            place,
        }
    }

    pub(super) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.borrow())
    }

    pub(super) fn replace(&self, config: Config) {
        self.config.send_replace(Arc::new(config));
    }

    /// What the session is called now: as somebody named it, else as its folder.
    pub(super) fn name(&self) -> String {
        self.place.session_name(&self.config())
    }

    /// Changes whenever others come into force.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<Config>> {
        self.config.subscribe()
    }

    /// Why the files as they are now are not in force, if so; for people.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem.lock().clone()
    }
}

impl FileStamps {
    pub(super) fn at(place: &ProjectPaths) -> FileStamps {
        let places = &place.sources.files;
        let mut files: Vec<PathBuf> = places.project.iter().chain(&places.user).cloned().collect();
        // A folder that cannot be listed is told by whoever reads it.
        files.extend(session_setup::own_workflows(place).unwrap_or_default());
        FileStamps(
            files
                .into_iter()
                .map(|file| {
                    let seen = std::fs::metadata(&file).ok();
                    let seen = seen.and_then(|data| Some((data.modified().ok()?, data.len())));
                    (file, seen)
                })
                .collect(),
        )
    }
}
