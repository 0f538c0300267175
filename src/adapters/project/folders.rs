//! Folders of a project (K81), and their creation: private to this user, and never through a link (LK-44).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{ProjectError, failed};
use super::find::Project;
use super::secret::ProjectSecret;
use crate::adapters::excludes;
use crate::adapters::state_folder::private_folder;
use crate::adapters::text_file;

impl Project {
    /// Makes folders, ignore rules and the secret, as far as they are missing. May be repeated, also by several at once.
    ///
    /// # Errors
    /// When something else lies in the way, or the system refuses.
    pub fn init(&self) -> Result<ProjectSecret, ProjectError> {
        make(&self.folder())?;
        self.make_state()?;
        restore_inbox(&self.inbox())?;
        for folder in [
            self.dbs(),
            self.attempts(),
            self.inbox(),
            self.backups(),
            self.logs(),
        ] {
            make(&folder)?;
            close(&folder)?;
        }
        self.write_pointer()?;
        excludes::ensure(self.git_folder()).map_err(|error| failed(error.what, &error.path)(error.why))?;
        ProjectSecret::of(&self.dbs().join("secret"))
    }

    /// Makes git ignore a file at the root of every checkout of the project, unless a commit has it.
    pub fn ignore(&self, name: &str) -> Result<(), ProjectError> {
        let added = excludes::ensure_rule(self.git_folder(), &format!("/{name}"));
        added.map_err(|error| failed(error.what, &error.path)(error.why))
    }

    /// Makes the folder of the state, with the one above it if that is ours.
    pub(super) fn make_state(&self) -> Result<(), ProjectError> {
        let state = self.dbs();
        if let Some(above) = state.parent().filter(|above| *above != self.git_folder()) {
            make(above)?;
        }
        make(&state)
    }

    /// `.debussy`.
    pub fn folder(&self) -> PathBuf {
        self.root().join(".debussy")
    }

    /// Writes `.debussy/state.txt`, which tells people where the state is. The program does not read it, so it cannot be led elsewhere with
    /// it.
    fn write_pointer(&self) -> Result<(), ProjectError> {
        let path = self.folder().join("state.txt");
        let text = pointer_text(&self.dbs());
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Ok(());
        }
        text_file::replace_private_unsynced(&path, text.as_bytes()).map_err(failed("write", &path))
    }

    /// `attempts` in the state: a folder for each attempt.
    pub fn attempts(&self) -> PathBuf {
        self.dbs().join("attempts")
    }

    /// `inbox` in the state: signals that found no server.
    pub fn inbox(&self) -> PathBuf {
        self.dbs().join("inbox")
    }

    /// `backups` in the state: copies of the database.
    pub fn backups(&self) -> PathBuf {
        self.dbs().join("backups")
    }

    /// `.debussy/logs`.
    pub fn logs(&self) -> PathBuf {
        self.folder().join("logs")
    }

    /// `.debussy/workflows`: workflows that replace built-in ones.
    pub fn workflows(&self) -> PathBuf {
        self.folder().join("workflows")
    }
}

fn pointer_text(state: &Path) -> String {
    format!(
        "The board of this project, its backups, the records of its agents and the snapshots of their work are in\n\n    {}\n\n\
         because `git clean` and the like do not reach there. This folder has what people read and edit: settings, workflows,\n\
         layouts, themes and logs.\n",
        state.display()
    )
}

/// Makes the folder of signals again where an agent, who may write there, removed it or put something else in its place; otherwise one
/// agent could keep all others out. The object in its place is moved beside it, never followed; returns the new name of the moved object.
///
/// # Errors
/// When it cannot be moved or made.
pub fn restore_inbox(inbox: &Path) -> Result<Option<PathBuf>, ProjectError> {
    let is_other = fs::symlink_metadata(inbox).is_ok_and(|found| !found.is_dir());
    let aside = inbox.with_extension("moved");
    if is_other {
        fs::rename(inbox, &aside).map_err(failed("move what lies in the place of a folder", inbox))?;
    }
    make(inbox)?;
    Ok(is_other.then_some(aside))
}

pub(super) fn make(path: &Path) -> Result<(), ProjectError> {
    match private_folder().create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => must_be_folder(path),
        Err(error) => Err(failed("make folder", path)(error)),
    }
}

fn must_be_folder(path: &Path) -> Result<(), ProjectError> {
    let found = fs::symlink_metadata(path).map_err(failed("look at", path))?;
    if found.is_dir() {
        return Ok(());
    }
    let found = if found.is_symlink() { "a link" } else { "a file" };
    Err(ProjectError::Foreign {
        path: path.to_owned(),
        found: format!("{found}, not a folder"),
    })
}

/// Closes a folder of ours to others, also one that was made by a program less careful.
fn close(path: &Path) -> Result<(), ProjectError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path)
            .map_err(failed("look at", path))?
            .permissions()
            .mode();
        if mode & 0o077 != 0 {
            let private = fs::Permissions::from_mode(0o700);
            fs::set_permissions(path, private).map_err(failed("close to others", path))?;
        }
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
