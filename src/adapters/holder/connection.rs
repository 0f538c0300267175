//! The server's end of a holder's socket: a half that asks and a half that listens, both blocking, for one thread each.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use interprocess::local_socket::Stream;

use super::error::HolderError;
use super::protocol::{Misread, Reply, Request, VERSION};
use super::wire::{self, Frames};
use super::{hold::STOP_SLACK, socket};
use crate::domain::Span;
use crate::ports::holders::PaneSize;

/// How long a holder may take to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// Input goes in pieces of this many bytes.
const PIECE: usize = 64 * 1024;

/// A conversation with one holder.
#[derive(Debug)]
pub struct Connection {
    /// The asking half.
    pub requests: Requests,
    /// The listening half.
    pub replies: Replies,
}

/// Asks a holder. Every call blocks only while the holder does not read, which it always does.
#[derive(Debug, Clone)]
pub struct Requests {
    stream: Arc<Stream>,
}

/// Listens to a holder.
#[derive(Debug)]
pub struct Replies {
    frames: Frames<SharedStream>,
}

#[derive(Debug)]
struct SharedStream(Arc<Stream>);

impl io::Read for SharedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Connection {
    /// Connects and greets.
    ///
    /// # Errors
    /// When nobody listens there, it belongs to another user, or it speaks another version.
    pub fn open(socket: &Path) -> Result<Self, HolderError> {
        let stream = Arc::new(socket::connect(socket)?);
        let mut connection = Self {
            requests: Requests {
                stream: Arc::clone(&stream),
            },
            replies: Replies {
                frames: Frames::new(SharedStream(stream), PIECE),
            },
        };
        connection.set_patience(Some(PATIENCE));
        connection.requests.send(&Request::Hello { version: VERSION })?;
        match connection.replies.next_reply()? {
            Some(Reply::Welcome { .. }) => {
                connection.set_patience(None);
                Ok(connection)
            }
            Some(Reply::Refused { text, .. }) => Err(HolderError::Protocol(text)),
            other => Err(HolderError::Protocol(format!(
                "instead of a welcome it said {other:?}"
            ))),
        }
    }

    /// Stops the program and all it started; answers how many processes are left. Output that arrives meanwhile is
    /// thrown away: it is in the log.
    ///
    /// # Errors
    /// When the holder ends or is silent longer than the grace and a little more.
    pub fn stop(&mut self, grace: Span) -> Result<u32, HolderError> {
        self.set_patience(Some(Duration::from_millis(grace.0) + STOP_SLACK));
        self.requests.stop(grace)?;
        loop {
            match self.replies.next_reply()? {
                Some(Reply::Stopped { survivors }) => return Ok(survivors),
                Some(_) => {}
                None => {
                    return Err(HolderError::Protocol(
                        "it closed before the stop was through".into(),
                    ));
                }
            }
        }
    }

    /// Types these bytes and waits until the holder has taken them; answers how many it threw away because the program
    /// does not read.
    ///
    /// # Errors
    /// When the holder ends or is silent.
    pub fn type_and_wait(&mut self, bytes: &[u8]) -> Result<u32, HolderError> {
        self.set_patience(Some(PATIENCE));
        self.requests.input(bytes)?;
        self.requests.snapshot()?;
        let mut dropped = 0;
        loop {
            match self.replies.next_reply()? {
                Some(Reply::Snapshot(_)) => return Ok(dropped),
                Some(Reply::InputDropped { count }) => dropped += count,
                Some(_) => {}
                None => {
                    return Err(HolderError::Protocol(
                        "it closed before the input was taken".into(),
                    ));
                }
            }
        }
    }

    fn set_patience(&self, patience: Option<Duration>) {
        socket::set_patience(&self.requests.stream, patience);
    }
}

impl Requests {
    /// Asks for output from this offset on: from the log, then live.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn attach(&self, from: u64) -> Result<(), HolderError> {
        self.send(&Request::Attach { from })
    }

    /// Types these bytes.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn input(&self, bytes: &[u8]) -> Result<(), HolderError> {
        bytes
            .chunks(PIECE)
            .try_for_each(|piece| self.send(&Request::Input(Bytes::copy_from_slice(piece))))
    }

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn resize(&self, size: PaneSize) -> Result<(), HolderError> {
        self.send(&Request::Resize(size))
    }

    /// Asks to end the program and all it started.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn stop(&self, grace: Span) -> Result<(), HolderError> {
        self.send(&Request::Stop {
            grace: u32::try_from(grace.0).unwrap_or(u32::MAX),
        })
    }

    /// Asks how things are.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn snapshot(&self) -> Result<(), HolderError> {
        self.send(&Request::Snapshot)
    }

    /// Says goodbye: the holder closes, and the listening half comes to its end.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn detach(&self) -> Result<(), HolderError> {
        self.send(&Request::Detach)
    }

    fn send(&self, request: &Request) -> Result<(), HolderError> {
        // One write per frame, so that two threads may ask without mixing their bytes.
        wire::send(&*self.stream, request.encode()).map_err(HolderError::io("ask the holder"))
    }
}

impl Replies {
    /// The next thing the holder says; `None` when it has closed. What a newer holder says that is unknown here is
    /// skipped.
    ///
    /// # Errors
    /// When the socket fails or a frame makes no sense.
    pub fn next_reply(&mut self) -> Result<Option<Reply>, HolderError> {
        loop {
            let frame = match self.frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(None),
                // A holder that is killed leaves like this.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(HolderError::io("listen to the holder")(error)),
            };
            match Reply::decode(frame) {
                Ok(reply) => return Ok(Some(reply)),
                Err(Misread::Kind(_)) => {}
                Err(Misread::Malformed) => {
                    return Err(HolderError::Protocol("a reply makes no sense".into()));
                }
            }
        }
    }
}
