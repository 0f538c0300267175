//! The server's socket: a private local socket (a named pipe on Windows), peers of another user refused, length-prefixed
//! frames of at most [`LONGEST_FRAME`] bytes. What the frames mean is the caller's business.

use std::io;
use std::path::Path;

use bytes::{Bytes, BytesMut};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use interprocess::local_socket::tokio::{Listener as RawListener, Stream};
use interprocess::local_socket::traits::tokio::{Listener as _, Stream as _};
use interprocess::local_socket::{ListenerOptions, Name};
use tokio_util::codec::{Framed, LengthDelimitedCodec};

/// Longest frame accepted or sent, in bytes. A picture of a very large screen stays well below.
pub const LONGEST_FRAME: usize = 64 * 1024 * 1024;

/// A connection whose frames can be read and written at the same time.
pub type Connection = (Sender, Receiver);

/// The writing half of a connection.
#[derive(Debug)]
pub struct Sender(SplitSink<Framed<Stream, LengthDelimitedCodec>, Bytes>);

/// The reading half of a connection.
#[derive(Debug)]
pub struct Receiver(SplitStream<Framed<Stream, LengthDelimitedCodec>>);

impl Sender {
    /// Sends one frame; waits while the peer does not read.
    ///
    /// # Errors
    /// When the peer is gone or the frame is too long.
    pub async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.0.send(frame).await
    }
}

impl Receiver {
    /// The next frame; `None` when the peer has ended.
    pub async fn next(&mut self) -> Option<io::Result<BytesMut>> {
        self.0.next().await
    }
}

/// The listening end.
#[derive(Debug)]
pub struct Listener(RawListener);

impl Listener {
    /// Listens at `path`. Whoever holds the project's lock may take the place of a socket left behind by a dead server.
    ///
    /// # Errors
    /// When the path is too long or its folder cannot be written.
    pub fn bind(path: &Path) -> io::Result<Listener> {
        if cfg!(unix) {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        ListenerOptions::new()
            .name(name(path)?)
            .create_tokio()
            .map(Listener)
    }

    /// The next connection of the same user; others are refused.
    ///
    /// # Errors
    /// When the system cannot accept; the caller goes on.
    pub async fn accept(&self) -> io::Result<Connection> {
        let stream = self.0.accept().await?;
        check_peer(&stream)?;
        Ok(frames(stream))
    }
}

/// Connects to a server.
///
/// # Errors
/// When nobody listens there or it belongs to another user.
pub async fn connect(path: &Path) -> io::Result<Connection> {
    let stream = Stream::connect(name(path)?).await?;
    check_peer(&stream)?;
    Ok(frames(stream))
}

fn name(path: &Path) -> io::Result<Name<'_>> {
    #[cfg(windows)]
    {
        let file = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        interprocess::local_socket::ToNsName::to_ns_name::<interprocess::local_socket::GenericNamespaced>(
            file,
        )
    }
    #[cfg(not(windows))]
    interprocess::local_socket::ToFsName::to_fs_name::<interprocess::local_socket::GenericFilePath>(path)
}

fn frames(stream: Stream) -> Connection {
    let codec = LengthDelimitedCodec::builder()
        .max_frame_length(LONGEST_FRAME)
        .new_codec();
    let (sender, receiver) = Framed::new(stream, codec).split();
    (Sender(sender), Receiver(receiver))
}

#[cfg(unix)]
fn check_peer(stream: &Stream) -> io::Result<()> {
    use interprocess::local_socket::traits::StreamCommon as _;
    let own = nix::unistd::geteuid().as_raw();
    match stream.peer_creds()?.euid() {
        Some(peer) if peer == own => Ok(()),
        Some(peer) => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the other end belongs to user {peer}, not to {own}"),
        )),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_peer(_stream: &Stream) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_arrive_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        // Named pipes have one namespace for the whole machine.
        let path = folder.path().join(format!("echo-{}", std::process::id()));
        let listener = Listener::bind(&path).unwrap();
        let echo = async {
            let (mut sender, mut receiver) = listener.accept().await.unwrap();
            while let Some(frame) = receiver.next().await {
                sender.send(frame.unwrap().freeze()).await.unwrap();
            }
        };
        let talk = async {
            let (mut sender, mut receiver) = connect(&path).await.unwrap();
            for size in [0_usize, 1, 70_000] {
                sender.send(Bytes::from(vec![7; size])).await.unwrap();
                assert_eq!(receiver.next().await.unwrap().unwrap().len(), size);
            }
        };
        tokio::join!(echo, talk);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_socket_left_behind_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        assert!(connect(&path).await.is_err());
        let _listener = Listener::bind(&path).unwrap();
        assert!(connect(&path).await.is_ok());
    }
}
