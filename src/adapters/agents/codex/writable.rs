//! Folders outside its worktree that Codex's sandbox must let an agent write to: what git needs for a commit there, and the folder
//! for its reports. Neither the settings nor the hooks of the repository are among them, so nothing outside the sandbox runs
//! what an agent wrote.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that a commit writes to in the repository that a worktree belongs to.
const SHARED: [&str; 3] = ["objects", "refs", "logs"];

/// Returns the folders of git that a commit in a worktree writes to; empty if the folder is not a worktree of another repository.
pub(super) fn of_worktree(folder: &Path) -> Vec<PathBuf> {
    let Some(own) = linked(&folder.join(".git"), "gitdir: ", folder) else {
        return Vec::new();
    };
    let Some(shared) = linked(&own.join("commondir"), "", &own) else {
        return Vec::new();
    };
    let shared = SHARED.iter().map(|name| shared.join(name));
    let all = std::iter::once(own).chain(shared);
    all.filter(|path| path.is_dir()).collect()
}

/// The folder that a file of one line names, seen from `base`.
fn linked(file: &Path, begin: &str, base: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let path = base.join(text.trim_end().strip_prefix(begin)?);
    path.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_in_a_worktree_may_write_objects_and_refs_but_no_settings_and_no_hooks() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (git, tree) = (root.join("main/.git"), root.join("tree"));
        for folder in ["objects", "refs", "logs", "hooks", "worktrees/tree"] {
            fs::create_dir_all(git.join(folder)).unwrap();
        }
        fs::create_dir(&tree).unwrap();
        assert!(of_worktree(&tree).is_empty());
        fs::write(
            tree.join(".git"),
            format!("gitdir: {}\n", git.join("worktrees/tree").display()),
        )
        .unwrap();
        fs::write(git.join("worktrees/tree/commondir"), "../..\n").unwrap();
        let names = ["worktrees/tree", "objects", "refs", "logs"];
        assert_eq!(of_worktree(&tree), names.map(|name| git.join(name)));
        assert!(of_worktree(&root.join("main")).is_empty());
    }
}
