//! Local sockets: Unix sockets in a private folder, named pipes on Windows; whoever connects must be the same user.

use std::fs;
use std::io;
use std::path::Path;

use interprocess::local_socket::traits::{Listener as _, Stream as _};
use interprocess::local_socket::{ConnectOptions, Listener, ListenerOptions, Name, Stream};

use super::error::HolderError;

/// Longest path of a socket, in bytes: what the systems have room for, with some air.
#[cfg(unix)]
const LONGEST_PATH: usize = 100;

/// Listens here; a socket a killed holder left behind is replaced.
pub(super) fn listen(path: &Path) -> Result<Listener, HolderError> {
    let what = || HolderError::io(format!("listen on {}", path.display()));
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound && cfg!(unix) => return Err(what()(error)),
        _ => {}
    }
    let options = ListenerOptions::new().name(name(path)?).reclaim_name(false);
    #[cfg(target_os = "linux")]
    let options = interprocess::os::unix::local_socket::ListenerOptionsExt::mode(options, 0o600);
    options.create_sync().map_err(what())
}

/// The next peer that is the same user; others are turned away in silence.
pub(super) fn accept(listener: &Listener) -> io::Result<Option<Stream>> {
    let stream = listener.accept()?;
    Ok(is_same_user(&stream).then_some(stream))
}

pub(super) fn connect(path: &Path) -> Result<Stream, HolderError> {
    let what = || HolderError::io(format!("reach the holder at {}", path.display()));
    let stream = ConnectOptions::new()
        .name(name(path)?)
        .connect_sync()
        .map_err(what())?;
    if is_same_user(&stream) {
        Ok(stream)
    } else {
        Err(what()(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it belongs to another user",
        )))
    }
}

/// Bounds waiting for an answer, or no longer bounds it, where the system can.
pub(super) fn set_timeout(stream: &Stream, patience: Option<std::time::Duration>) {
    // Windows cannot; there a holder that hangs is only noticed when it ends.
    drop(stream.set_recv_timeout(patience));
}

/// Makes the folder of sockets, or checks the one that is there: ours, and closed to others.
pub(super) fn prepare_folder(folder: &Path) -> Result<(), HolderError> {
    make_private(folder).map_err(HolderError::io(format!("make the folder {}", folder.display())))?;
    check_private(folder)
}

/// Makes a folder (and what it lies in) that only its owner may enter.
pub(super) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn check_private(folder: &Path) -> Result<(), HolderError> {
    use std::os::unix::fs::MetadataExt;

    let what = || HolderError::io(format!("look at {}", folder.display()));
    let found = fs::symlink_metadata(folder).map_err(what())?;
    let is_ours = found.is_dir() && found.uid() == nix::unistd::geteuid().as_raw();
    if is_ours && found.mode().trailing_zeros() >= 6 {
        return Ok(());
    }
    Err(HolderError::Refused(format!(
        "use {}: it must be a folder of yours that nobody else may enter (chmod 700)",
        folder.display()
    )))
}

#[cfg(not(unix))]
fn check_private(_folder: &Path) -> Result<(), HolderError> {
    Ok(())
}

#[cfg(unix)]
fn is_same_user(stream: &Stream) -> bool {
    use interprocess::local_socket::traits::StreamCommon as _;

    let peer = stream
        .peer_creds()
        .ok()
        .and_then(|credentials| credentials.euid());
    peer == Some(nix::unistd::geteuid().as_raw())
}

/// Named pipes are closed to other users by their default rights.
#[cfg(not(unix))]
fn is_same_user(_stream: &Stream) -> bool {
    true
}

#[cfg(unix)]
fn name(path: &Path) -> Result<Name<'_>, HolderError> {
    use interprocess::local_socket::{GenericFilePath, ToFsName};

    if path.as_os_str().len() > LONGEST_PATH {
        let (path, most) = (path.display(), LONGEST_PATH);
        return Err(HolderError::Refused(format!(
            "use the socket {path}: longer than {most} bytes; choose a shorter runtime folder"
        )));
    }
    path.to_fs_name::<GenericFilePath>()
        .map_err(HolderError::io(format!("name {}", path.display())))
}

#[cfg(not(unix))]
fn name(path: &Path) -> Result<Name<'_>, HolderError> {
    use interprocess::local_socket::{GenericNamespaced, ToNsName};

    let short = path.file_name().unwrap_or(path.as_os_str());
    short
        .to_ns_name::<GenericNamespaced>()
        .map_err(HolderError::io(format!("name {}", path.display())))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_folder_of_sockets_open_to_others_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("run");
        prepare_folder(&folder).expect("a new one is made private");
        assert_eq!(
            fs::metadata(&folder).expect("it exists").permissions().mode() & 0o777,
            0o700
        );
        for open in [0o710, 0o701, 0o755] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(open)).expect("ours");
            assert!(
                matches!(prepare_folder(&folder), Err(HolderError::Refused(_))),
                "{open:o}"
            );
        }
    }

    #[test]
    fn a_link_to_a_folder_of_sockets_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        let (real, link) = (parent.path().join("real"), parent.path().join("link"));
        prepare_folder(&real).expect("made");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        assert!(matches!(prepare_folder(&link), Err(HolderError::Refused(_))));
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_refused_with_the_way_out() {
        let long = Path::new("/").join("x".repeat(120));
        let error = connect(&long).expect_err("too long");
        assert!(error.to_string().contains("shorter runtime folder"), "{error}");
    }
}
