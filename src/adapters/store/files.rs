//! Paths of a store's files, and the refusal to follow links to them (LK-44).

use std::fmt::Display;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::state_folder::private_folder;
use crate::ports::store::StoreError;

/// Size of the file that is given up when the disk is full.
const BALLAST_BYTES: u64 = 16 << 20;

/// Paths of a store's database, lock, reserved space and backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFiles {
    pub database: PathBuf,
    pub lock: PathBuf,
    /// Path of the file held in reserve against a full disk.
    pub ballast: PathBuf,
    /// Size of the reserve in bytes; 0 for none.
    pub ballast_bytes: u64,
    pub backups: PathBuf,
}

impl StoreFiles {
    /// The files under the folder `dbs`, with backups in `backups`.
    pub fn new(dbs: &Path, backups: &Path) -> StoreFiles {
        StoreFiles {
            database: dbs.join("store.db"),
            lock: dbs.join("server.lock"),
            ballast: dbs.join("ballast"),
            ballast_bytes: BALLAST_BYTES,
            backups: backups.to_owned(),
        }
    }

    pub(super) fn log(&self) -> PathBuf {
        beside(&self.database, "-wal")
    }

    /// Holds the number of the last turn.
    pub(super) fn last_turn(&self) -> PathBuf {
        beside(&self.database, "-last")
    }

    /// Refuses to continue when any of the files, or the folder they are in, is a link or not what it should be.
    pub(super) fn refuse_links(&self) -> Result<(), StoreError> {
        let folder = self.database.parent().unwrap_or(Path::new("."));
        refuse_unless(folder, "a folder", fs::Metadata::is_dir)?;
        refuse_unless(&self.backups, "a folder", fs::Metadata::is_dir)?;
        let shared = beside(&self.database, "-shm");
        for file in [
            &self.database,
            &self.log(),
            &shared,
            &self.last_turn(),
            &self.lock,
            &self.ballast,
        ] {
            refuse_unless(file, "a plain file", fs::Metadata::is_file)?;
        }
        Ok(())
    }

    /// Makes the folders, private to this user.
    pub(super) fn make_folders(&self) -> Result<(), StoreError> {
        let folder = self.database.parent().unwrap_or(Path::new("."));
        for path in [folder, self.backups.as_path()] {
            private_folder()
                .recursive(true)
                .create(path)
                .map_err(failed("make folder", path))?;
        }
        Ok(())
    }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn refuse_unless(path: &Path, wanted: &str, fits: fn(&fs::Metadata) -> bool) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if fits(&found) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(found) => {
            let what = if found.is_symlink() {
                "a link"
            } else {
                "something else"
            };
            let why = format!("it is {what}, not {wanted}; move it away first, it was left as it is");
            Err(failed("open", path)(why))
        }
        Err(error) => Err(failed("look at", path)(error)),
    }
}

/// Wraps an error of a file operation, as in `.map_err(failed("make folder", path))`.
pub(super) fn failed<E: Display>(what: &str, path: &Path) -> impl FnOnce(E) -> StoreError {
    let what = format!("{what} {}", path.display());
    move |error| StoreError::Failed {
        what,
        why: error.to_string(),
    }
}

pub(super) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns options to open a file that only this user may read once it is made.
pub(super) fn private_file() -> fs::OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes of files"))]
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
