//! What lies where in a project (K81), and how it is made: private to this user, and never through a link (LK-44).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{ProjectError, failed};
use super::find::Project;
use super::secret::ProjectSecret;
use crate::adapters::excludes;
use crate::domain::AttemptId;

impl Project {
    /// Makes folders, ignore rules and the secret, as far as they are missing. May be repeated, also by several at once.
    ///
    /// # Errors
    /// When something else lies in the way, or the system refuses.
    pub fn init(&self) -> Result<ProjectSecret, ProjectError> {
        for folder in [self.folder(), self.worktrees()] {
            make(&folder)?;
        }
        for folder in [
            self.dbs(),
            self.attempts(),
            self.inbox(),
            self.checkouts(),
            self.backups(),
            self.logs(),
        ] {
            make(&folder)?;
            close(&folder)?;
        }
        excludes::ensure(self.git_folder()).map_err(|error| failed(error.what, &error.path)(error.why))?;
        ProjectSecret::of(&self.dbs().join("secret"))
    }

    /// `.debussy`.
    pub fn folder(&self) -> PathBuf {
        self.root().join(".debussy")
    }

    /// `.debussy/dbs`: database, lock and secret, private to this program.
    pub fn dbs(&self) -> PathBuf {
        self.folder().join("dbs")
    }

    /// `.debussy/dbs/attempts`: a folder for each attempt.
    pub fn attempts(&self) -> PathBuf {
        self.dbs().join("attempts")
    }

    /// `.debussy/dbs/attempts/ID`.
    pub fn attempt(&self, id: AttemptId) -> PathBuf {
        self.attempts().join(id.to_string())
    }

    /// `.debussy/dbs/inbox`: signals that found no server.
    pub fn inbox(&self) -> PathBuf {
        self.dbs().join("inbox")
    }

    /// `.debussy/dbs/checkouts`: clean checkouts for gates.
    pub fn checkouts(&self) -> PathBuf {
        self.dbs().join("checkouts")
    }

    /// `.debussy/backups`: copies of the database.
    pub fn backups(&self) -> PathBuf {
        self.folder().join("backups")
    }

    /// `.debussy/logs`.
    pub fn logs(&self) -> PathBuf {
        self.folder().join("logs")
    }

    /// `.debussy/workflows`: workflows that replace built-in ones.
    pub fn workflows(&self) -> PathBuf {
        self.folder().join("workflows")
    }

    /// `.debussy-worktrees`: a worktree for each attempt that writes.
    pub fn worktrees(&self) -> PathBuf {
        self.root().join(".debussy-worktrees")
    }
}

fn make(path: &Path) -> Result<(), ProjectError> {
    match private_folder().create(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => must_be_folder(path),
        Err(error) => Err(failed("make folder", path)(error)),
    }
}

/// Makes folders that are closed to others. On Windows what lies in a person's own folders is theirs already.
pub(super) fn private_folder() -> fs::DirBuilder {
    #[cfg(unix)]
    {
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
    }
    #[cfg(not(unix))]
    fs::DirBuilder::new()
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
