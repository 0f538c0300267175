//! The settings in force, and what the files of the settings look like from outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::config::Config;
use crate::config::place::Place;
use crate::config::setup;

/// The settings in force.
#[derive(Debug)]
pub(super) struct InForce {
    /// Where the project is.
    pub(super) place: Place,
    config: watch::Sender<Arc<Config>>,
    /// What is wrong with the files as they are now. Held for the length of a reading: one at a time.
    pub(super) problem: Mutex<Option<String>>,
}

/// The files of the settings as they look from outside: enough to see that one was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Look(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl InForce {
    /// Those of the files as they are.
    pub(super) fn new(place: Place) -> InForce {
        InForce {
            config: watch::Sender::new(Arc::new(place.config())),
            problem: Mutex::new(None),
            place,
        }
    }

    /// The settings.
    pub(super) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.borrow())
    }

    /// Lets others come into force.
    pub(super) fn replace(&self, config: Config) {
        self.config.send_replace(Arc::new(config));
    }

    /// What the session is called now: as somebody named it, else as its folder.
    pub(super) fn name(&self) -> String {
        self.place.called(&self.config())
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

impl Look {
    /// Looks at the files. Blocks.
    pub(super) fn at(place: &Place) -> Look {
        let places = &place.sources.places;
        let mut files: Vec<PathBuf> = places.project.iter().chain(&places.user).cloned().collect();
        // A folder that cannot be listed is told by whoever reads it.
        files.extend(setup::own_workflows(place).unwrap_or_default());
        Look(
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
