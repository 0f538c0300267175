//! Paths as people in the project name them.

use std::path::{Path, PathBuf};

/// Returns a path as it is named from the project's root.
pub fn in_project(path: &Path, root: &Path) -> String {
    let real = path.canonicalize().unwrap_or_else(|_gone| path.to_owned());
    let root = root.canonicalize().unwrap_or_else(|_gone| root.to_owned());
    let shown: PathBuf = real
        .strip_prefix(&root)
        .map_or_else(|_outside| path.to_owned(), Path::to_owned);
    let parts = shown.components().map(|part| part.as_os_str().to_string_lossy());
    if shown.is_relative() {
        // As git names it, on every system.
        return parts.collect::<Vec<_>>().join("/");
    }
    shown.display().to_string()
}
