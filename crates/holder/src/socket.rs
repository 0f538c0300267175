//! Local sockets: Unix sockets in a private folder, named pipes on Windows; a peer must be the same user.

use std::fs;
use std::io;
use std::path::Path;

use dbs_socket::{check_peer, listener_options, name};
use interprocess::local_socket::traits::{Listener as _, Stream as _};
use interprocess::local_socket::{ConnectOptions, Listener, ListenerOptions, Stream};

use super::error::HolderError;

/// Listens at this path; a socket that a killed holder left behind is replaced.
pub(super) fn listen(path: &Path) -> Result<Listener, HolderError> {
    let listener = listener_options(path).and_then(ListenerOptions::create_sync);
    listener.map_err(HolderError::io(format!("listen on {}", path.display())))
}

/// Returns the next peer that is the same user; others are turned away in silence.
pub(super) fn accept(listener: &Listener) -> io::Result<Option<Stream>> {
    let stream = listener.accept()?;
    Ok(check_peer(&stream).is_ok().then_some(stream))
}

pub(super) fn connect(path: &Path) -> Result<Stream, HolderError> {
    let connected = name(path).and_then(|name| ConnectOptions::new().name(name).connect_sync());
    let checked = connected.and_then(|stream| check_peer(&stream).map(|()| stream));
    checked.map_err(HolderError::io(format!("reach the holder at {}", path.display())))
}

/// Bounds the wait for an answer, or no longer bounds it, where the system can.
pub(super) fn set_timeout(stream: &Stream, patience: Option<std::time::Duration>) {
    // Windows cannot; there a holder that hangs is only noticed when it ends.
    drop(stream.set_recv_timeout(patience));
}

/// Makes the folder of sockets, or checks the one that is there: ours, and closed to others.
pub(super) fn prepare_folder(folder: &Path) -> Result<(), HolderError> {
    make_private(folder).map_err(HolderError::io(format!("make the folder {}", folder.display())))?;
    check_private(folder)
}

/// Makes a folder (and its parents) that only its owner may enter.
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
        "use {}: it must be your own folder, closed to other users (chmod 700)",
        folder.display()
    )))
}

#[cfg(not(unix))]
fn check_private(_folder: &Path) -> Result<(), HolderError> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests;
