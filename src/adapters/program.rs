//! Search for a program: done as a shell does it, so that a missing one is reported by name, with the folders that were searched, before
//! anything is started. No name leads into a repository: its folders are left out of `PATH`.

pub(crate) mod own_names;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folders of a `PATH` that are searched, and those that are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPath {
    /// Folders that are left, as a `PATH`; `None` if no folder is left, because an empty one means the current folder.
    pub(crate) kept: Option<OsString>,
    pub(crate) left_out: Vec<PathBuf>,
}

impl SearchPath {
    /// Leaves out of a `PATH` the folders that depend on the current folder, and those in the project at that root: a repository could
    /// bring programs along there that have the names of others.
    pub(crate) fn outside(root: Option<&Path>, given: &OsStr) -> SearchPath {
        let is_out = |folder: &PathBuf| {
            let is_inside = |root: &Path| resolved(folder).starts_with(root);
            !folder.is_absolute() || root.is_some_and(is_inside)
        };
        let (left_out, kept): (Vec<_>, Vec<_>) = std::env::split_paths(given).partition(is_out);
        let kept = std::env::join_paths(kept).ok();
        SearchPath {
            kept: kept.filter(|path| !path.is_empty()),
            left_out,
        }
    }
}

/// A path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|begin| {
        let rest = path.strip_prefix(begin).ok()?;
        Some(begin.canonicalize().ok()?.join(rest))
    });
    found.unwrap_or_else(|| path.to_owned())
}

/// The file that a program's name leads to; `None` if there is none that can be run. A name with a slash is a path, seen
/// from `folder`; any other is looked for in the absolute folders of `path`.
pub fn find_program(name: &str, folder: &Path, path: &str) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 || name.contains('/') {
        return runnable(folder.join(name));
    }
    std::env::split_paths(path)
        .filter(|searched| searched.is_absolute())
        .find_map(|searched| runnable(searched.join(name)))
}

/// The file itself, or with one of the ends that Windows adds.
fn runnable(file: PathBuf) -> Option<PathBuf> {
    if cfg!(windows) && file.extension().is_none() {
        let ends = ["exe", "cmd", "bat", "com"].map(|end| file.with_extension(end));
        return ends.into_iter().find(|file| file.is_file());
    }
    is_runnable(&file).then_some(file)
}

#[cfg(unix)]
fn is_runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_runnable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests;
