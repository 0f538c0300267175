//! Rules by which workspaces are prepared, and the files of the person's checkout that they mean.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::domain::Cause;

/// Settings of workspaces, as they are in force.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceRules {
    /// Patterns as in `.gitignore`, of the setting and of `.worktreeinclude`.
    pub copy: Vec<String>,
    /// Folders to copy, relative to the checkout.
    pub clone: Vec<PathBuf>,
    /// Folders to share.
    pub link: Vec<PathBuf>,
    /// Commands for the shell.
    pub setup: Vec<String>,
    pub setup_timeout: Duration,
    /// Files whose content decides which template fits.
    pub key: Vec<String>,
    pub n_ports: u16,
}

impl WorkspaceRules {
    /// Returns true if there is nothing to prepare.
    pub(super) fn is_empty(&self) -> bool {
        self.copy.is_empty() && self.clone.is_empty() && self.link.is_empty() && self.setup.is_empty()
    }

    /// Returns the files to copy among those that git ignores in the checkout. A folder that is ignored as a whole is only looked into where
    /// a pattern means it or names a path in it, so that `.env*` means no file in `node_modules`.
    pub(super) fn files_to_copy(&self, root: &Path, ignored: &[PathBuf]) -> Result<Vec<PathBuf>, Cause> {
        let patterns = self.patterns(root)?;
        let mut found = Vec::new();
        for path in ignored {
            // Patterns match no name with a slash at its end.
            let path: PathBuf = path.components().collect();
            let full = root.join(&path);
            let is_folder = full.symlink_metadata().is_ok_and(|found| found.is_dir());
            if patterns.matched(&path, is_folder).is_ignore() {
                found.push(path);
            } else if is_folder && self.names_below(&path) {
                let walk = ignore::WalkBuilder::new(&full).standard_filters(false).build();
                let files = walk
                    .flatten()
                    .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
                let inner =
                    files.filter_map(|entry| entry.path().strip_prefix(root).ok().map(Path::to_path_buf));
                found.extend(inner.filter(|path| patterns.matched(path, false).is_ignore()));
            }
        }
        found.sort();
        Ok(found)
    }

    fn patterns(&self, root: &Path) -> Result<Gitignore, Cause> {
        let mut patterns = GitignoreBuilder::new(root);
        for pattern in &self.copy {
            let added = patterns.add_line(None, pattern);
            added.map_err(|error| Cause::from(format!("workspace.copy: `{pattern}`: {error}")))?;
        }
        patterns
            .build()
            .map_err(|error| Cause::from(format!("workspace.copy: {error}")))
    }

    /// Returns true if a pattern names a path in that folder by plain words.
    fn names_below(&self, folder: &Path) -> bool {
        self.copy.iter().any(|pattern| {
            let pattern = pattern.trim_start_matches('/');
            let plain = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
            Path::new(plain).starts_with(folder)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_pattern_means_ignored_files_anywhere_but_not_inside_of_ignored_folders() {
        let root = tempfile::tempdir().unwrap();
        let ignored = [".env", "web/.env.local", "node_modules/", "keys/", "notes.txt"].map(PathBuf::from);
        for folder in ["node_modules/a", "keys", "web"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in [
            ".env",
            "web/.env.local",
            "node_modules/a/.env",
            "keys/dev.pem",
            "keys/live.pem",
        ] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let copied = |patterns: &[&str]| {
            let rules = WorkspaceRules {
                copy: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
                ..WorkspaceRules::default()
            };
            let found = rules.files_to_copy(root.path(), &ignored).unwrap();
            found
                .into_iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(copied(&[".env*"]), [".env", "web/.env.local"]);
        assert_eq!(copied(&["/.env*", "!.env"]), [""; 0]);
        assert_eq!(copied(&["keys/dev.*"]), ["keys/dev.pem"]);
        assert_eq!(copied(&["keys"]), ["keys"]);
    }
}
