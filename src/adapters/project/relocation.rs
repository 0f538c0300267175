//! Move of a project's state from its place in earlier versions, `.debussy/dbs`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{ProjectError, failed};
use super::find::Project;
use super::folders::make;

/// Paths that earlier versions used for state, relative to the project's root.
const FORMER: [&str; 2] = [".debussy/dbs", ".debussy/backups"];

/// A state in the former place that has to be moved before the project is used.
#[derive(Debug)]
pub struct StateRelocation {
    /// The project's `.debussy`.
    folder: PathBuf,
    pub from: PathBuf,
    pub to: PathBuf,
}

impl Project {
    /// Returns the move to be made, if there is a state in the former place.
    ///
    /// # Errors
    /// When there is a state in both places, or something in the former one that is not a folder.
    pub fn relocation(&self) -> Result<Option<StateRelocation>, ProjectError> {
        let found = StateRelocation {
            folder: self.folder(),
            from: self.folder().join("dbs"),
            to: self.dbs(),
        };
        if !exists(&found.from)? {
            return Ok(None);
        }
        if exists(&found.to)? {
            let why = "there is a state in both; move away the one that is not wanted, nothing was changed";
            return Err(found.refuse(why.to_owned()));
        }
        Ok(Some(found))
    }
}

impl StateRelocation {
    /// Paths that come with the state, relative to the project's root.
    pub fn former_paths() -> &'static [&'static str] {
        &FORMER
    }

    /// Moves the state as a whole: it is in the one place or in the other, also after a crash. False when another process has moved it
    /// meanwhile.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn carry_out(&self) -> Result<bool, ProjectError> {
        if let Some(above) = self.to.parent() {
            make(above)?;
        }
        let parts = [
            (self.folder.join("backups"), self.from.join("backups")),
            (self.from.join("checkouts"), self.folder.join("checkouts")),
        ];
        for (from, to) in parts {
            if exists(&from)? && !exists(&to)? {
                self.rename(&from, &to)?;
            }
        }
        self.rename(&self.from, &self.to)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<bool, ProjectError> {
        match fs::rename(from, to) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => Err(self.refuse(
                "they are on two file systems; copy it there yourself, then remove the old folder".to_owned(),
            )),
            Err(error) => Err(self.refuse(format!("{error}; move it yourself, or let dbs write there"))),
        }
    }

    /// The error that says that it is not moved.
    pub fn refuse(&self, why: String) -> ProjectError {
        ProjectError::NotMoved {
            from: self.from.clone(),
            to: self.to.clone(),
            why,
        }
    }
}

/// Returns true if a folder exists; a link or a file in its place is an error.
pub(super) fn exists(path: &Path) -> Result<bool, ProjectError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Ok(true),
        Ok(found) => Err(ProjectError::Foreign {
            path: path.to_owned(),
            found: if found.is_symlink() {
                "a link, not a folder"
            } else {
                "a file, not a folder"
            }
            .to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("look at", path)(error)),
    }
}
