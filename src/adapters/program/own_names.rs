//! Links to this program under the names by which agents and people call it (P40, K77): `dbs`, `debussy`, and `bd` where no other program
//! has that name. They are made anew for each start, in a folder of its own, so that nothing else can be in front of a `PATH`.

use std::io;
use std::path::{Path, PathBuf};

use super::find_program;
use crate::adapters::state_folder::private_folder;

/// Names that lead to this program, whatever else has them.
const NAMES: [&str; 2] = ["dbs", "debussy"];
/// Name of the program that kept tasks for earlier ones; a person may use it for something else.
pub(crate) const TRACKER: &str = "bd";
/// Name of the folder, in that of an attempt or a shell.
const FOLDER: &str = "bin";

/// Makes the links in a folder of that attempt or shell; returns `path` with it in front.
///
/// # Errors
/// When a link cannot be made, or the folder cannot be part of a `PATH`.
pub(crate) fn put_in_front(program: &Path, own: &Path, path: &str) -> io::Result<String> {
    let folder = own.join(FOLDER);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => private_folder().recursive(true).create(&folder)?,
    }
    let tracker = find_program(TRACKER, own, path).is_none().then_some(TRACKER);
    for name in NAMES.into_iter().chain(tracker) {
        link(
            program,
            &folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)),
        )?;
    }
    let all = std::iter::once(folder).chain(std::env::split_paths(path));
    let all = std::env::join_paths(all.collect::<Vec<PathBuf>>()).map_err(io::Error::other)?;
    all.into_string()
        .map_err(|_path| io::Error::other("the path is not text"))
}

#[cfg(unix)]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(program, at)
}

/// Makes a hard link, since other links need a privilege there; on another disk a copy.
#[cfg(not(unix))]
fn link(program: &Path, at: &Path) -> io::Result<()> {
    std::fs::hard_link(program, at).or_else(|_| std::fs::copy(program, at).map(drop))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_names_lead_to_this_program_before_all_others_but_a_tracker_that_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let other = root.join("other");
        std::fs::create_dir(&other).unwrap();
        let program = root.join("program");
        for file in [&program, &other.join("debussy")] {
            std::fs::write(file, "").unwrap();
            std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let own = root.join("attempts/1");
        let found = |name: &str| {
            let path = put_in_front(&program, &own, other.to_str().unwrap()).unwrap();
            find_program(name, root, &path).map(|file| file.canonicalize().unwrap())
        };
        std::fs::create_dir_all(own.join("bin")).unwrap();
        std::fs::copy(other.join("debussy"), own.join("bin/git")).unwrap();
        let program = program.canonicalize().unwrap();
        for name in ["dbs", "debussy", "bd"] {
            assert_eq!(found(name), Some(program.clone()), "{name}");
        }
        assert_eq!(found("git"), None, "the earlier file there is gone");
        std::fs::copy(other.join("debussy"), other.join("bd")).unwrap();
        assert_eq!(found("bd"), Some(other.join("bd").canonicalize().unwrap()));
    }
}
