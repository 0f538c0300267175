//! The private folder of a user's sockets: short enough for a socket's path, owned by the user, closed to others.

use std::io;
use std::path::{Path, PathBuf};

use dbs_socket::LONGEST_PATH;
use sha2::{Digest, Sha256};

use super::error::ProjectError;
use crate::adapters::state_folder::private_folder;

/// Room for the longest name in the folder: `/` + 16 hexadecimal digits + `.sock`, or a holder's of the same length.
const NAME: usize = 26;

/// Candidate directories for the folder of sockets, and the user's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDirs {
    /// `XDG_RUNTIME_DIR`, if set.
    pub runtime: Option<PathBuf>,
    pub temporary: PathBuf,
    /// The user's number; part of the name in shared folders, and the owner the folder must have.
    pub user: u32,
}

/// Private folder for the user's sockets, whose owner and permissions were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeFolder {
    path: PathBuf,
}

impl RuntimeFolder {
    /// Makes the folder, or checks the one that is there: the first place that is short enough, ours and closed.
    ///
    /// # Errors
    /// When no place will do; the text says why for each.
    pub fn prepare(base: &RuntimeDirs) -> Result<RuntimeFolder, ProjectError> {
        let own = format!("dbs-{}", base.user);
        let mut places: Vec<PathBuf> = Vec::new();
        places.extend(base.runtime.iter().map(|folder| folder.join("dbs")));
        places.push(base.temporary.join(&own));
        #[cfg(unix)]
        places.push(Path::new("/tmp").join(&own));
        let mut why = Vec::new();
        for path in places {
            match try_place(&path, base.user) {
                Ok(()) => return Ok(RuntimeFolder { path }),
                Err(reason) => why.push(format!("{}: {reason}", path.display())),
            }
        }
        Err(ProjectError::NoRuntime { why: why.join("; ") })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The socket of a project's server; different for every root.
    pub fn server_socket(&self, root: &Path) -> PathBuf {
        self.path.join(format!("{}.sock", short_name(root)))
    }
}

/// Returns 16 hexadecimal digits that represent a project's root.
fn short_name(root: &Path) -> String {
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    hex::encode(digest.get(..8).unwrap_or(&digest))
}

/// Error of a folder that cannot hold sockets.
#[derive(Debug, thiserror::Error)]
enum UnfitPlace {
    #[error("its path is too long for a socket")]
    TooLong,
    #[error("it is not an absolute path")]
    Relative,
    #[cfg(unix)]
    #[error("it is not a folder of ours ({0})")]
    NotOurs(io::Error),
    #[cfg(unix)]
    #[error("it belongs to user {0}")]
    OtherUser(u32),
    #[cfg(unix)]
    #[error("it is open to others (mode {0:o}); remove it, or close it with chmod 700")]
    Open(u32),
    #[cfg(not(unix))]
    #[error("it is not a folder")]
    NoFolder,
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn try_place(path: &Path, user: u32) -> Result<(), UnfitPlace> {
    if path.as_os_str().len() + NAME > LONGEST_PATH {
        return Err(UnfitPlace::TooLong);
    }
    if !path.is_absolute() {
        return Err(UnfitPlace::Relative);
    }
    make(path)?;
    check(path, user)
}

fn make(path: &Path) -> io::Result<()> {
    match private_folder().create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Checks the folder itself, once opened, not the one its name may mean a moment later.
#[cfg(unix)]
fn check(path: &Path, user: u32) -> Result<(), UnfitPlace> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let flags = nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_DIRECTORY;
    let folder = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits())
        .open(path)
        .map_err(UnfitPlace::NotOurs)?;
    let found = folder.metadata()?;
    if found.uid() != user {
        return Err(UnfitPlace::OtherUser(found.uid()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(UnfitPlace::Open(found.mode() & 0o777));
    }
    Ok(())
}

/// Checks only that the folder exists: named pipes have no folder, and the existing ones belong to the user already.
#[cfg(not(unix))]
fn check(path: &Path, _user: u32) -> Result<(), UnfitPlace> {
    path.is_dir().then_some(()).ok_or(UnfitPlace::NoFolder)
}
