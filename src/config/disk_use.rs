//! Room on the disk that a project's worktrees, templates, logs, kept work and backups take. Measuring it reads every folder.

use crate::adapters::load::{room, size_of};
use crate::adapters::workspaces::templates_in;
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::domain::{DiskUse, pluralized};
use crate::ports::git::{Git, GitError};

impl ProjectPaths {
    /// Measures the free room and what the program takes. Blocks for as long as the folders are large.
    ///
    /// # Errors
    /// When the worktrees cannot be listed.
    pub fn disk_use(&self, git: &dyn Git) -> Result<DiskUse, GitError> {
        let worktrees = git.worktrees()?;
        let of_worktrees = worktrees.iter().map(|entry| size_of(&entry.path)).sum();
        let parts = [
            (pluralized(worktrees.len(), "worktree"), of_worktrees),
            (
                "templates".to_owned(),
                size_of(&templates_in(&self.places().outside())),
            ),
            (
                "removed and spare worktrees".to_owned(),
                size_of(&self.state.join("spares")),
            ),
            ("logs".to_owned(), size_of(&self.attempts) + size_of(&self.logs)),
            (
                "kept work and history".to_owned(),
                size_of(&self.state.join("control.git")),
            ),
            ("backups".to_owned(), size_of(&self.store.backups)),
        ];
        let taken = parts.into_iter().filter(|(_, bytes)| *bytes > 0);
        Ok(DiskUse {
            free: [&self.root, &self.state]
                .into_iter()
                .filter_map(|path| room(path))
                .min(),
            least: self.read_config().value(&schema::DISK_MIN_FREE).0,
            parts: taken.collect(),
        })
    }
}
