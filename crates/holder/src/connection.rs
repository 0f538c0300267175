//! The server's end of a holder's socket: a half that asks and a half that listens, both blocking, for one thread each.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use interprocess::local_socket::Stream;

use super::error::HolderError;
use super::frames::{self, FrameReader};
use super::protocol::{DecodeError, HolderReply, HolderRequest, VERSION};
use super::{hold::STOP_SLACK, socket};
use dbs_domain::Span;
use dbs_ports::holders::PaneSize;

/// Time that a holder may take to send its welcome.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// Input goes in pieces of this many bytes.
const PIECE: usize = 64 * 1024;

/// Connection of the server to one holder, with a writing and a reading half.
#[derive(Debug)]
pub struct HolderConnection {
    pub requests: RequestSender,
    pub replies: ReplyReceiver,
}

/// Half of a holder connection that sends requests. Every call blocks only while the holder does not read, which it always does.
#[derive(Debug, Clone)]
pub struct RequestSender {
    stream: Arc<Stream>,
}

/// Half of a holder connection that receives replies.
#[derive(Debug)]
pub struct ReplyReceiver {
    frames: FrameReader<SharedStream>,
}

#[derive(Debug)]
struct SharedStream(Arc<Stream>);

impl io::Read for SharedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl HolderConnection {
    /// Connects and greets.
    ///
    /// # Errors
    /// When no holder listens there, it belongs to another user, or it speaks another version.
    pub fn open(socket: &Path) -> Result<Self, HolderError> {
        let stream = Arc::new(socket::connect(socket)?);
        let mut connection = Self {
            requests: RequestSender {
                stream: Arc::clone(&stream),
            },
            replies: ReplyReceiver {
                frames: FrameReader::new(SharedStream(stream), PIECE),
            },
        };
        connection.set_timeout(Some(GREETING_TIMEOUT));
        connection
            .requests
            .send(&HolderRequest::Hello { version: VERSION })?;
        match connection.replies.next_reply()? {
            Some(HolderReply::Welcome { .. }) => {
                connection.set_timeout(None);
                Ok(connection)
            }
            Some(HolderReply::Refused { text, .. }) => Err(HolderError::Protocol(text)),
            other => Err(HolderError::Protocol(format!(
                "instead of a welcome it sent {other:?}"
            ))),
        }
    }

    /// Stops the program and all it started; returns the number of processes left. Output that arrives meanwhile is thrown away: it is in
    /// the log.
    ///
    /// # Errors
    /// When the holder ends or is silent longer than the grace and a little more.
    pub fn stop(&mut self, grace: Span) -> Result<u32, HolderError> {
        self.set_timeout(Some(Duration::from_millis(grace.0) + STOP_SLACK));
        self.requests.stop(grace)?;
        loop {
            match self.replies.next_reply()? {
                Some(HolderReply::Stopped { survivors }) => return Ok(survivors),
                Some(_) => {}
                None => {
                    return Err(HolderError::Protocol(
                        "it closed before the stop was through".into(),
                    ));
                }
            }
        }
    }

    /// Types these bytes and waits until the holder has taken them; returns the number of bytes it threw away because the program does not
    /// read.
    ///
    /// # Errors
    /// When the holder ends or is silent.
    pub fn type_and_wait(&mut self, bytes: &[u8]) -> Result<u32, HolderError> {
        self.set_timeout(Some(GREETING_TIMEOUT));
        self.requests.input(bytes)?;
        self.requests.status()?;
        let mut dropped = 0;
        loop {
            match self.replies.next_reply()? {
                Some(HolderReply::Status(_)) => return Ok(dropped),
                Some(HolderReply::InputDropped { count }) => dropped += count,
                Some(_) => {}
                None => {
                    return Err(HolderError::Protocol(
                        "it closed before the input was taken".into(),
                    ));
                }
            }
        }
    }

    fn set_timeout(&self, patience: Option<Duration>) {
        socket::set_timeout(&self.requests.stream, patience);
    }
}

impl RequestSender {
    /// Asks for output from this offset on: from the log, then live.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn attach(&self, from: u64) -> Result<(), HolderError> {
        self.send(&HolderRequest::Attach { from })
    }

    /// Types these bytes.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn input(&self, bytes: &[u8]) -> Result<(), HolderError> {
        bytes
            .chunks(PIECE)
            .try_for_each(|piece| self.send(&HolderRequest::Input(Bytes::copy_from_slice(piece))))
    }

    /// Changes the size of the terminal.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn resize(&self, size: PaneSize) -> Result<(), HolderError> {
        self.send(&HolderRequest::Resize(size))
    }

    /// Asks to end the program and all it started.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn stop(&self, grace: Span) -> Result<(), HolderError> {
        self.send(&HolderRequest::Stop {
            grace: u32::try_from(grace.0).unwrap_or(u32::MAX),
        })
    }

    /// Asks for the status of the holder.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn status(&self) -> Result<(), HolderError> {
        self.send(&HolderRequest::Status)
    }

    /// Asks to collect output for this peer for at most `longest` before it is sent; zero sends it at once. A holder older than this
    /// request continues to send at once.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn pace(&self, longest: Duration) -> Result<(), HolderError> {
        self.send(&HolderRequest::Pace {
            longest: u32::try_from(longest.as_millis()).unwrap_or(u32::MAX),
        })
    }

    /// Continues a suspended program. A holder older than this request does nothing.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn resume(&self) -> Result<(), HolderError> {
        self.send(&HolderRequest::Resume)
    }

    /// Says goodbye: the holder closes, and the listening half comes to its end.
    ///
    /// # Errors
    /// When the holder is gone.
    pub fn detach(&self) -> Result<(), HolderError> {
        self.send(&HolderRequest::Detach)
    }

    fn send(&self, request: &HolderRequest) -> Result<(), HolderError> {
        // One write per frame, so that two threads may ask without mixing their bytes.
        frames::send(&*self.stream, request.encode()).map_err(HolderError::io("ask the holder"))
    }
}

impl ReplyReceiver {
    /// Returns the next reply of the holder; `None` when it has closed. Replies of a newer holder that are unknown here are skipped.
    ///
    /// # Errors
    /// When the socket fails or a frame makes no sense.
    pub fn next_reply(&mut self) -> Result<Option<HolderReply>, HolderError> {
        loop {
            let frame = match self.frames.next() {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(None),
                // A holder that is killed leaves like this.
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
                Err(error) => return Err(HolderError::io("listen to the holder")(error)),
            };
            match HolderReply::decode(frame) {
                Ok(reply) => return Ok(Some(reply)),
                Err(DecodeError::Kind(_)) => {}
                Err(DecodeError::Malformed) => {
                    return Err(HolderError::Protocol("a reply makes no sense".into()));
                }
            }
        }
    }
}
