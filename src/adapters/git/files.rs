//! Files and folders that we write ourselves beside git: whole or not at all, and never through a link.

use std::fs;
use std::io;
use std::path::Path;

use crate::ports::git::GitError;

/// Writes a file beside the target and renames it into place; a link in the way is replaced, not followed.
pub(super) fn write_atomically(target: &Path, text: &str) -> Result<(), GitError> {
    let attempt = || -> io::Result<()> {
        let folder = target
            .parent()
            .ok_or_else(|| io::Error::other("it has no folder"))?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(target).map_err(|error| error.error)?;
        Ok(())
    };
    attempt().map_err(|error| failed("write", target, &error))
}

/// The error of a file operation: `verb` reads after "could not".
pub(super) fn failed(verb: &str, path: &Path, error: &io::Error) -> GitError {
    GitError::Failed {
        what: format!("{verb} {}", path.display()),
        why: error.to_string(),
    }
}

/// Makes sure a folder exists and is no link to somewhere else.
pub(super) fn real_folder(path: &Path) -> Result<(), GitError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(GitError::NotOurs {
            path: path.to_path_buf(),
            why: "it is not a folder".to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed("make", path, &error)),
            Ok(()) | Err(_) => Ok(()),
        },
        Err(error) => Err(failed("look at", path, &error)),
    }
}
