//! First content of the control repository: copies of the objects of the person's repository, which share their blocks where the file system
//! can. Hard links would be changed by agents that may write there, and an alternate would lose what is deleted there.

use std::fs;
use std::io;
use std::path::Path;

use super::files::sync_file_system;

/// Extensions of the files of a pack that are taken, in the order in which git needs them: a pack counts once its index is there.
const PACK_FILES: [&str; 3] = ["pack", "rev", "idx"];

/// Takes all objects of a repository that holds everything it names into a folder of objects that is not in use yet. Of a partial or
/// shallow clone nothing is taken. Objects that disappear meanwhile are left out: the fetch that follows brings what is missing.
///
/// # Errors
/// When a file cannot be copied. What was taken before is whole.
pub(super) fn take_objects(repository: &Path, to: &Path) -> io::Result<()> {
    let from = repository.join("objects");
    if repository.join("shallow").exists() {
        return Ok(());
    }
    let packs = names(&from.join("pack"));
    if packs.iter().any(|name| name.ends_with(".promisor")) {
        return Ok(());
    }
    for stem in packs.iter().filter_map(|name| name.strip_suffix(".idx")) {
        for end in PACK_FILES {
            let file = Path::new("pack").join(format!("{stem}.{end}"));
            if !take(&from.join(&file), &to.join(&file))? && end == "pack" {
                break;
            }
        }
    }
    let is_loose = |name: &String| name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    for folder in names(&from).iter().filter(|name| is_loose(name)) {
        fs::create_dir_all(to.join(folder))?;
        for name in names(&from.join(folder)) {
            let file = Path::new(folder).join(name);
            take(&from.join(&file), &to.join(&file))?;
        }
    }
    sync_file_system(to)
}

/// Copies a file. Returns false if it is no file, or gone.
fn take(from: &Path, to: &Path) -> io::Result<bool> {
    let is_file = from.symlink_metadata().is_ok_and(|found| found.is_file());
    if !is_file {
        return Ok(false);
    }
    match reflink_copy::reflink_or_copy(from, to) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}
