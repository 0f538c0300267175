//! Files and folders that we write ourselves beside git: whole or not at all, and never through a link.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::adapters::excludes;
use crate::adapters::text_file;
use crate::ports::git::GitError;
use crate::ports::trouble::io_trouble;

/// Writes a file beside the target and renames it into place; a link in the way is replaced, not followed.
pub(super) fn write_atomically(target: &Path, text: &str) -> Result<(), GitError> {
    text_file::replace_private(target, text.as_bytes()).map_err(failed("write", target))
}

/// Waits until every file below a folder is on the disk. On Linux the whole file system is written, which takes as long as all waiting data
/// needs; elsewhere each file is.
#[cfg(target_os = "linux")]
pub(super) fn sync_file_system(folder: &Path) -> io::Result<()> {
    let opened = fs::File::open(folder)?;
    nix::unistd::syncfs(opened).map_err(io::Error::from)
}

/// Waits until every file below a folder is on the disk.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_file_system(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_file_system(&entry.path())?;
        } else if kind.is_file() {
            fs::File::open(entry.path())?.sync_all()?;
        }
    }
    Ok(())
}

/// Wraps an error of a file operation, as in `.map_err(failed("write", path))`: `verb` reads after "could not".
pub(super) fn failed(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> GitError {
    let what = format!("{verb} {}", path.display());
    move |error| GitError::Failed {
        kind: io_trouble(error.kind()),
        what,
        why: error.to_string(),
    }
}

/// Time of the last write to a file, its length, and the time of its last change of any kind; none when the file does not exist.
pub(super) type FileState = Option<(SystemTime, u64, Option<i64>)>;

/// The state of a file, by which a change of it is noticed.
pub(super) fn file_state(file: &Path) -> FileState {
    let found = file.metadata().ok()?;
    Some((found.modified().ok()?, found.len(), changed(&found)))
}

/// The time that the system itself notes, which no program sets.
#[cfg(unix)]
fn changed(found: &fs::Metadata) -> Option<i64> {
    use std::os::unix::fs::MetadataExt as _;
    found
        .ctime()
        .checked_mul(1_000_000_000)?
        .checked_add(found.ctime_nsec())
}

/// The time that the system itself notes, which cannot be asked for here.
#[cfg(not(unix))]
fn changed(_found: &fs::Metadata) -> Option<i64> {
    None
}

/// Adds the ignore rules that are missing to the exclude file of the git folder that all worktrees share.
pub(super) fn ensure_excludes(common: &Path) -> Result<(), GitError> {
    excludes::ensure(common).map_err(|error| failed(error.what, &error.path)(error.why))
}

/// The error about a file or folder that the engine did not make.
pub(super) fn not_ours(path: impl Into<PathBuf>, why: impl Into<String>) -> GitError {
    GitError::NotOurs {
        path: path.into(),
        why: why.into(),
    }
}

/// The error about something that does not exist, with the way out.
pub(super) fn missing(what: impl Into<String>, hint: impl Into<String>) -> GitError {
    GitError::Missing {
        what: what.into(),
        hint: hint.into(),
    }
}

pub(super) fn remove_if_there(file: &Path) -> Result<(), GitError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", file)(error)),
        _ => Ok(()),
    }
}

/// Makes sure a folder exists and is not a link to another place.
pub(super) fn real_folder(path: &Path) -> Result<(), GitError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(not_ours(path, "it is not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed("make", path)(error)),
            Ok(()) | Err(_) => Ok(()),
        },
        Err(error) => Err(failed("look at", path)(error)),
    }
}

/// The path that git names by these bytes, of any encoding.
#[cfg(unix)]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The path that git names by these bytes, which are UTF-8 there.
#[cfg(not(unix))]
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
