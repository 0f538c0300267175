//! Records of the project's work on disk: a folder for each attempt and shell, and the store.

use std::path::PathBuf;

use crate::adapters::store::StoreFiles;
use crate::domain::AttemptId;
use crate::ports::holders::HolderId;

/// The folders and files that record a project's work.
#[derive(Debug, Clone)]
pub(in crate::server) struct Records {
    /// Folder with one folder for each program that was ever started in a terminal.
    pub(in crate::server) attempts: PathBuf,
    /// The store, for reading. Readers and backups open it by these names for themselves, beside the engine: the port of the store is for
    /// writing by the engine's own thread, and reading from files has one implementation.
    pub(in crate::server) store: StoreFiles,
}

impl Records {
    /// Returns the folder of a program's terminal log.
    pub(in crate::server) fn folder(&self, id: &HolderId) -> PathBuf {
        self.attempts.join(id.as_str())
    }

    /// Returns the folder of an attempt's checks.
    pub(in crate::server) fn gates(&self, attempt: AttemptId) -> PathBuf {
        self.folder(&HolderId::from(attempt)).join("gates")
    }

    /// Returns the names of the folders of all programs that were ever started in a terminal.
    pub(in crate::server) fn names(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(&self.attempts) else {
            return Vec::new();
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.into_string().ok()).collect()
    }
}
