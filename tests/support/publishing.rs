//! What a first push does, by copying: git starts half a dozen programs for one, and most tests need it.

use std::fs;
use std::path::Path;

/// Gives a bare repository everything that the git folder `own` has, and notes its branches there as those of `origin`.
pub(crate) fn publish(own: &Path, origin: &Path) {
    let heads = own.join("refs/heads");
    copy_folder(&heads, &own.join("refs/remotes/origin"));
    copy_folder(&heads, &origin.join("refs/heads"));
    copy_folder(&own.join("objects"), &origin.join("objects"));
}

/// Copies files and folders, and what is in them, beside what is there.
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
