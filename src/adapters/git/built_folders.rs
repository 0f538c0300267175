//! Folders in a worktree that tools have built and can build again: ignored by git, known or marked as such, and without a repository.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::path_of;
use crate::adapters::text_file;
use crate::ports::git::{GitError, SafeName, WorkingTree};

/// Names of folders that only tools write, and write anew when they are missing.
const KNOWN: &[&str] = &[
    "node_modules",
    ".venv",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".gradle",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
];

/// File with which a tool marks a folder of its own as one that may be removed at any time (<https://bford.info/cachedir/>).
const MARK: &str = "CACHEDIR.TAG";
/// Start of that file.
const MARK_TEXT: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";

impl GitCli {
    /// Returns the folders of a worktree whose content can be built again. What its commit has, and what git does not ignore, is never
    /// among them.
    ///
    /// # Errors
    /// When the worktree is none of ours, or cannot be read.
    pub fn built_folders(&self, folder: &SafeName) -> Result<Vec<PathBuf>, GitError> {
        let checkout = self.locate(&WorkingTree::Worktree(folder.clone()))?;
        let Some(head) = checkout.head(self)? else {
            return Ok(Vec::new());
        };
        let head = self.import_known(head)?;
        let listed = self.with_scratch_index(Some(&head), &checkout.folder, |index| {
            let call = self.on_files(&checkout.folder, index, "list the ignored files of a worktree")?;
            call.words("ls-files --others --ignored --exclude-standard --directory -z")
                .run_ok()
        })?;
        // A list that was cut off ends within a name, which is no folder then.
        let folders = listed
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(|name| name.strip_suffix(b"/"));
        let paths = folders.map(|name| checkout.folder.join(path_of(name)));
        Ok(paths.filter(|path| is_built(path)).collect())
    }
}

fn is_built(folder: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let name = folder.file_name().and_then(|name| name.to_str());
    let is_known = name.is_some_and(|name| KNOWN.contains(&name));
    let mark = || text_file::tail(&folder.join(MARK), 4096);
    let is_marked = || mark().is_ok_and(|(text, _)| text.starts_with(MARK_TEXT));
    is_folder && (is_known || is_marked()) && !holds_repository(folder)
}

/// Returns true if there is a repository in the folder, or it cannot be read: then it may hold work.
fn holds_repository(folder: &Path) -> bool {
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            return true;
        };
        for entry in entries {
            let Ok(entry) = entry else { return true };
            if entry.file_name() == ".git" {
                return true;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
        }
    }
    false
}
