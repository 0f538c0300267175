//! Finding the repositories inside a worktree: submodules, clones, bare ones, and git folders without files. Reads names of files
//! only; runs nothing, follows no link.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::failed;
use super::worktree_link::{CheckoutDir, read_pointer};
use crate::ports::git::GitError;

/// Repository that is lost, or whose files are lost, when a worktree is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NestedRepo {
    /// Place seen from the worktree, in words for people.
    pub(super) label: String,
    /// Folder of its files, if it has a checkout.
    pub(super) folder: Option<PathBuf>,
    pub(super) git_dir: PathBuf,
    /// Folder of its objects and branches.
    pub(super) common: PathBuf,
    /// True if the objects are inside the worktree, too.
    pub(super) has_own_objects: bool,
}

/// Repositories found so far, by git folder, and the folders that are still to be searched.
struct NestedSearch<'a> {
    checkout: &'a CheckoutDir,
    found: BTreeMap<PathBuf, NestedRepo>,
    open: Vec<PathBuf>,
}

/// Finds all repositories in a worktree and in its git folder, sorted by git folder. Errors: a folder could not be read, so its content is
/// not known.
pub(super) fn search(checkout: &CheckoutDir) -> Result<Vec<NestedRepo>, GitError> {
    let mut search = NestedSearch {
        checkout,
        found: BTreeMap::new(),
        open: vec![checkout.folder.clone()],
    };
    search.open_if_there(&checkout.git_dir.join("modules"))?;
    while let Some(folder) = search.open.pop() {
        search.look_through(&folder)?;
    }
    Ok(search.found.into_values().collect())
}

impl NestedSearch<'_> {
    fn look_through(&mut self, folder: &Path) -> Result<(), GitError> {
        let is_root = folder == self.checkout.folder;
        if !is_root && folder.join(".git").symlink_metadata().is_ok() {
            if let Some(git_dir) = git_dir_of(folder) {
                self.add(&git_dir, Some(folder))?;
            }
        } else if !is_root && is_bare(folder) {
            return self.add(folder, None);
        }
        for child in folders_in(folder)? {
            if child.file_name().is_some_and(|name| name != ".git") {
                self.open.push(child);
            }
        }
        Ok(())
    }

    fn add(&mut self, git_dir: &Path, folder: Option<&Path>) -> Result<(), GitError> {
        let git_dir = git_dir.canonicalize().map_err(failed("find", git_dir))?;
        if let Some(known) = self.found.get_mut(&git_dir) {
            if known.folder.is_none() && folder.is_some() {
                known.folder = folder.map(Path::to_path_buf);
                known.label = label(self.checkout, folder.unwrap_or(&git_dir));
            }
            return Ok(());
        }
        let common = read_pointer(&git_dir.join("commondir")).ok();
        let common = common.and_then(|common| git_dir.join(common).canonicalize().ok());
        let common = common.unwrap_or_else(|| git_dir.clone());
        let is_inside =
            |path: &Path| path.starts_with(&self.checkout.folder) || path.starts_with(&self.checkout.git_dir);
        let repo = NestedRepo {
            label: label(self.checkout, folder.unwrap_or(&git_dir)),
            folder: folder.map(Path::to_path_buf),
            has_own_objects: is_inside(&common),
            common,
            git_dir: git_dir.clone(),
        };
        let is_inside = is_inside(&git_dir);
        self.found.insert(git_dir.clone(), repo);
        if is_inside && git_dir != self.checkout.git_dir {
            self.open_if_there(&git_dir.join("modules"))?;
            for worktree in folders_in(&git_dir.join("worktrees"))? {
                self.add(&worktree, None)?;
            }
        }
        Ok(())
    }

    fn open_if_there(&mut self, folder: &Path) -> Result<(), GitError> {
        if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            // Git folders below it may have any name, so it is looked at like any other folder.
            self.open.extend(folders_in(folder)?);
        }
        Ok(())
    }
}

/// The git folder a checkout belongs to, if there is one.
pub(super) fn git_dir_of(folder: &Path) -> Option<PathBuf> {
    let entry = folder.join(".git");
    let found = match read_pointer(&entry) {
        Ok(pointer) => folder.join(pointer.strip_prefix("gitdir: ")?),
        Err(_no_pointer) => entry,
    };
    found.canonicalize().ok().filter(|found| found.is_dir())
}

fn is_bare(folder: &Path) -> bool {
    let is_there = |name: &str| folder.join(name).symlink_metadata();
    is_there("HEAD").is_ok_and(|head| !head.is_dir())
        && ["objects", "refs"]
            .iter()
            .all(|name| is_there(name).is_ok_and(|found| found.is_dir()))
}

/// Real folders only. One that is gone holds nothing.
fn folders_in(folder: &Path) -> Result<Vec<PathBuf>, GitError> {
    let read = |entries: fs::ReadDir| -> io::Result<Vec<PathBuf>> {
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
        Ok(folders)
    };
    match fs::read_dir(folder).and_then(read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(failed("read", folder)),
    }
}

fn label(checkout: &CheckoutDir, path: &Path) -> String {
    let inside = path.strip_prefix(&checkout.folder);
    let inside = inside.or_else(|_elsewhere| path.strip_prefix(&checkout.git_dir));
    inside.unwrap_or(path).to_string_lossy().into_owned()
}
