//! Replacement for a first push that copies files: git starts half a dozen programs for a push, and most tests need one.

use std::fs;
use std::path::Path;

/// Copies everything of the git folder `own` to a bare repository, and records its branches there as those of `origin`.
pub(crate) fn publish(own: &Path, origin: &Path) {
    let heads = own.join("refs/heads");
    copy_folder(&heads, &own.join("refs/remotes/origin"));
    copy_folder(&heads, &origin.join("refs/heads"));
    copy_folder(&own.join("objects"), &origin.join("objects"));
}

/// Copies files and folders with their contents, and keeps what the target has.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
