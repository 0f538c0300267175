//! Stamps of the settings files (time and length), to notice a change.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::config::project_paths::ProjectPaths;
use crate::config::themes::toml_paths;

/// Modification times and sizes of the files of settings, workflows and other files that are trusted with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileStamps(Vec<(PathBuf, Option<(SystemTime, u64)>)>);

impl FileStamps {
    /// Takes the stamps of all files that count now. Blocks for a few small reads.
    pub fn now(paths: &ProjectPaths) -> FileStamps {
        FileStamps::at(paths, &paths.trust.watched_files())
    }

    /// Takes the stamps of settings, workflows and `more` files.
    pub fn at(paths: &ProjectPaths, more: &[PathBuf]) -> FileStamps {
        let places = &paths.sources.files;
        let mut files: Vec<PathBuf> = places.project.iter().chain(&places.user).cloned().collect();
        // A folder that cannot be listed is reported by its reader.
        files.extend(toml_paths(&paths.workflows).unwrap_or_default());
        files.extend_from_slice(more);
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
