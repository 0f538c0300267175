//! Local sockets of one user: Unix sockets in a private folder, named pipes on Windows. The other end must belong to the same user. This
//! crate knows no frames and no runtime: blocking and asynchronous callers build their own on it.

use std::fs;
use std::io;
use std::path::Path;

use interprocess::local_socket::traits::StreamCommon;
use interprocess::local_socket::{ListenerOptions, Name};

/// Maximum length of a path of a socket, in bytes, that all systems have room for.
pub const LONGEST_PATH: usize = 100;

/// Builds the options to listen at `path`. A socket that a killed process left behind there is removed.
///
/// # Errors
/// When the path is too long or its folder cannot be written.
pub fn listener_options(path: &Path) -> io::Result<ListenerOptions<'_>> {
    let name = name(path)?;
    if cfg!(unix) {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    let options = ListenerOptions::new().name(name).reclaim_name(false);
    #[cfg(target_os = "linux")]
    let options = interprocess::os::unix::local_socket::ListenerOptionsExt::mode(options, 0o600);
    Ok(options)
}

/// Returns the name under which the system knows the socket at `path`.
///
/// # Errors
/// When the path is too long.
#[cfg(unix)]
pub fn name(path: &Path) -> io::Result<Name<'_>> {
    use interprocess::local_socket::{GenericFilePath, ToFsName};

    if path.as_os_str().len() > LONGEST_PATH {
        let why = format!("its path is longer than {LONGEST_PATH} bytes; choose a shorter runtime folder");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    path.to_fs_name::<GenericFilePath>()
}

/// Returns the name under which the system knows the pipe at `path`: there is one namespace for the whole machine.
///
/// # Errors
/// When the system cannot use the name.
#[cfg(not(unix))]
pub fn name(path: &Path) -> io::Result<Name<'_>> {
    use interprocess::local_socket::{GenericNamespaced, ToNsName};

    let short = path.file_name().unwrap_or(path.as_os_str());
    short.to_ns_name::<GenericNamespaced>()
}

/// Checks that the other end belongs to the same user.
///
/// # Errors
/// When the other end belongs to another user, or the system does not say to whom it belongs.
#[cfg(unix)]
pub fn check_peer(stream: &impl StreamCommon) -> io::Result<()> {
    same_user(nix::unistd::geteuid().as_raw(), stream.peer_creds()?.euid())
}

/// Accepts every peer: named pipes are closed to other users by their default rights.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn check_peer(_stream: &impl StreamCommon) -> io::Result<()> {
    Ok(())
}

/// Returns the process at the other end when it connected; `None` where the system does not report it with the other credentials.
#[must_use]
pub fn peer_process(stream: &impl StreamCommon) -> Option<u32> {
    let pid = stream.peer_creds().ok()?.pid()?;
    u32::try_from(pid).ok().filter(|pid| *pid != 0)
}

#[cfg(unix)]
fn same_user(own: u32, peer: Option<u32>) -> io::Result<()> {
    let refused = |why: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    match peer {
        Some(peer) if peer == own => Ok(()),
        Some(peer) => refused(format!("the other end belongs to user {peer}, not to {own}")),
        None => refused("the system does not say to whom the other end belongs".to_owned()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn another_user_and_whoever_is_not_known_is_refused() {
        assert!(same_user(1000, Some(1000)).is_ok());
        let refused = same_user(1000, Some(1001)).expect_err("another user");
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        assert!(refused.to_string().contains("user 1001"), "{refused}");
        assert!(same_user(1000, None).is_err());
    }

    #[test]
    fn a_path_too_long_for_a_socket_is_refused_with_the_way_out() {
        let long = Path::new("/").join("x".repeat(120));
        let error = name(&long).expect_err("too long");
        assert!(error.to_string().contains("shorter runtime folder"), "{error}");
    }
}
