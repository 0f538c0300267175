//! The names of a segment's files.

use std::path::{Path, PathBuf};

pub(super) fn raw_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.log"))
}

/// Returns the path of the compressed file of a segment; if both exist this one is complete.
pub(super) fn packed_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:06}.log.zst"))
}
