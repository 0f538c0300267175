//! Identity of a project's state: random, kept beside the state and in the state folder of the person who made it. It shows whether a state
//! came along with a repository, or from another machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{ProjectError, failed};
use super::find::Project;
use crate::adapters::state_folder::private_folder;
use crate::adapters::text_file;

const LENGTH: usize = 16;

/// Origin of a project's state: made by this person on this machine, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateOrigin {
    Own,
    /// State that was not made so, or whose origin is not known; the text is the reason.
    Foreign(String),
}

impl Project {
    /// Makes the missing folders, ignore rules and the secret of the project. A project without any state gets an identity, known in the
    /// person's state folder. May be called by several processes at once.
    ///
    /// # Errors
    /// When something else lies in the way of the state, or it cannot be written.
    pub fn prepare(&self, person: Option<&Path>) -> Result<(), ProjectError> {
        self.make_state()?;
        if is_empty(&self.dbs())? {
            self.adopt_state(person)?;
        }
        self.init()?;
        Ok(())
    }

    /// Returns the origin of the state; if there is none yet, it will be this person's own. Changes nothing.
    ///
    /// # Errors
    /// When something else lies in the way of the state, or it cannot be read.
    pub fn state_origin(&self, person: Option<&Path>) -> Result<StateOrigin, ProjectError> {
        if !exists(&self.dbs())? || is_empty(&self.dbs())? {
            return Ok(StateOrigin::Own);
        }
        let Some(identity) = read(&self.identity_file())? else {
            return Ok(StateOrigin::Foreign("it has no identity".to_owned()));
        };
        let is_known = person.is_some_and(|folder| known(folder, &identity).is_file());
        Ok(if is_known {
            StateOrigin::Own
        } else {
            StateOrigin::Foreign("its identity is not among those in your state folder".to_owned())
        })
    }

    /// Makes the state that is there this person's own, by a new identity.
    ///
    /// # Errors
    /// When there is no folder to know it by, or the identity cannot be written.
    pub fn adopt_state(&self, person: Option<&Path>) -> Result<(), ProjectError> {
        let person = person.ok_or(ProjectError::NoStateFolder)?;
        let file = self.identity_file();
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes)
            .map_err(|error| failed("draw random bytes for", &file)(io::Error::other(error.to_string())))?;
        let identity = hex::encode(bytes);
        let entry = known(person, &identity);
        // Known before it can be seen: a process that reads it knows it.
        let own = self.dbs().display().to_string();
        write(&entry, &format!("{own}\n")).map_err(failed("write", &entry))?;
        write(&file, &format!("{identity}\n")).map_err(failed("write", &file))
    }

    /// The random identity of the state as it is on the disk now: it names this repository on this machine, and does not come along with
    /// a clone. `None` if there is none that can be read.
    pub fn identity(&self) -> Option<String> {
        read(&self.identity_file()).ok().flatten()
    }

    fn identity_file(&self) -> PathBuf {
        self.dbs().join("identity")
    }
}

fn known(person: &Path, identity: &str) -> PathBuf {
    person.join("states").join(identity)
}

/// Returns true if a folder has no entries except files that are just being written.
fn is_empty(folder: &Path) -> Result<bool, ProjectError> {
    let mut entries = fs::read_dir(folder).map_err(failed("list", folder))?.flatten();
    Ok(entries.all(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with(text_file::UNFINISHED)
    }))
}

/// The identity in the file, if it is one.
fn read(file: &Path) -> Result<Option<String>, ProjectError> {
    let text = match text_file::read_text(file, 1024) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(failed("read", file))?,
    };
    let identity = text.trim();
    let is_one = identity.len() == 2 * LENGTH && identity.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(is_one.then(|| identity.to_owned()))
}

/// Writes the whole file or nothing; the person's folders are made, closed to others.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    private_folder().recursive(true).create(folder)?;
    text_file::replace_private(file, text.as_bytes())
}

/// Returns true if a folder exists; a link or a file in its place is an error.
fn exists(path: &Path) -> Result<bool, ProjectError> {
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
