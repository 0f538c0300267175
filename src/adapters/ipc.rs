//! Socket of the server: a private local socket (a named pipe on Windows), peers of another user refused, length-prefixed frames of at most
//! [`LONGEST_FRAME`] bytes. The caller decides what the frames mean.

mod frame_codec;

pub use frame_codec::{FrameLimits, LimitFn};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use dbs_socket::{check_peer, listener_options, name};
use frame_codec::FrameCodec;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use interprocess::local_socket::tokio::{Listener as RawListener, Stream};
use interprocess::local_socket::traits::tokio::{Listener as _, Stream as _};
use tokio_util::codec::Framed;

/// Maximum length of a frame accepted or sent, in bytes. A picture of a very large screen stays well below.
pub const LONGEST_FRAME: usize = 64 * 1024 * 1024;

/// Sending and receiving half of a connection over the server's socket.
pub type IpcConnection = (FrameSender, FrameReceiver);

/// Sending half of a connection over the server's socket.
#[derive(Debug)]
pub struct FrameSender(SplitSink<Framed<Stream, FrameCodec>, Bytes>);

/// Receiving half of a connection over the server's socket.
#[derive(Debug)]
pub struct FrameReceiver {
    frames: SplitStream<Framed<Stream, FrameCodec>>,
    peer: Option<u32>,
    longest: Arc<AtomicUsize>,
}

impl FrameSender {
    /// Sends one frame; waits while the peer does not read.
    ///
    /// # Errors
    /// When the peer is gone or the frame is too long.
    pub async fn send(&mut self, frame: Bytes) -> io::Result<()> {
        self.0.send(frame).await
    }
}

impl FrameReceiver {
    /// The next frame; `None` when the peer has ended.
    pub async fn next(&mut self) -> Option<io::Result<BytesMut>> {
        self.frames.next().await
    }

    /// The process at the other end when it connected; `None` where the system does not say.
    pub fn peer_process(&self) -> Option<u32> {
        self.peer
    }

    /// Limits the length of received frames from now on, whatever their kind.
    pub fn set_longest(&self, bytes: usize) {
        self.longest.store(bytes, Ordering::Relaxed);
    }
}

/// Listening socket of the server; its file is removed when this is dropped. Its socket is gone when this is dropped, unless
/// another server has taken the place meanwhile.
#[derive(Debug)]
pub struct IpcListener {
    raw: RawListener,
    path: PathBuf,
    file: Option<FileId>,
    limits: FrameLimits,
}

/// Identity that distinguishes a file from another of the same name.
type FileId = (u64, u64);

impl Drop for IpcListener {
    fn drop(&mut self) {
        if self.file.is_some() && file_id(&self.path) == self.file {
            // A socket without a listener costs nothing but its file.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    let facts = std::fs::symlink_metadata(path).ok()?;
    Some((facts.dev(), facts.ino()))
}

#[cfg(not(unix))]
fn file_id(_path: &Path) -> Option<FileId> {
    None
}

impl IpcListener {
    /// Listens at `path`. The holder of the project's lock may take the place of a socket left behind by a dead server.
    ///
    /// # Errors
    /// When the path is too long or its folder cannot be written.
    pub fn bind(path: &Path) -> io::Result<IpcListener> {
        let raw = listener_options(path)?.create_tokio()?;
        Ok(IpcListener {
            raw,
            path: path.to_owned(),
            file: file_id(path),
            limits: FrameLimits::default(),
        })
    }

    /// The same, but its connections receive only such frames.
    #[must_use]
    pub fn with_limits(mut self, limits: FrameLimits) -> IpcListener {
        self.limits = limits;
        self
    }

    /// The next connection of the same user; others are refused.
    ///
    /// # Errors
    /// When the system cannot accept; the caller continues.
    pub async fn accept(&self) -> io::Result<IpcConnection> {
        let stream = self.raw.accept().await?;
        check_peer(&stream)?;
        Ok(frames(stream, self.limits.clone()))
    }
}

/// Connects to a server.
///
/// # Errors
/// When there is no listener or it belongs to another user.
pub async fn connect(path: &Path) -> io::Result<IpcConnection> {
    let stream = Stream::connect(name(path)?).await?;
    check_peer(&stream)?;
    Ok(frames(stream, FrameLimits::default()))
}

#[cfg(not(target_vendor = "apple"))]
fn peer_process(stream: &Stream) -> Option<u32> {
    dbs_socket::peer_process(stream)
}

/// Apple's systems keep the number in an option of their own.
#[cfg(target_vendor = "apple")]
fn peer_process(stream: &Stream) -> Option<u32> {
    use std::os::fd::AsFd as _;

    let Stream::UdSocket(socket) = stream;
    let pid = nix::sys::socket::getsockopt(&socket.as_fd(), nix::sys::socket::sockopt::LocalPeerPid).ok()?;
    u32::try_from(pid).ok().filter(|pid| *pid != 0)
}

fn frames(stream: Stream, limits: FrameLimits) -> IpcConnection {
    let peer = peer_process(&stream);
    let longest = Arc::new(AtomicUsize::new(LONGEST_FRAME));
    let codec = FrameCodec::new(limits, Arc::clone(&longest));
    let (sender, receiver) = Framed::new(stream, codec).split();
    let receiver = FrameReceiver {
        frames: receiver,
        peer,
        longest,
    };
    (FrameSender(sender), receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn frames_arrive_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        // Named pipes have one namespace for the whole machine.
        let path = folder.path().join(format!("echo-{}", std::process::id()));
        let listener = IpcListener::bind(&path).unwrap();
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
        let _listener = IpcListener::bind(&path).unwrap();
        assert!(connect(&path).await.is_ok());
    }

    #[tokio::test]
    async fn a_server_that_ends_leaves_the_socket_of_its_successor_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let first = IpcListener::bind(&path).unwrap();
        let second = IpcListener::bind(&path).unwrap();
        drop(first);
        assert!(connect(&path).await.is_ok());
        drop(second);
        assert!(!path.exists());
    }
}
