//! Reading and writing of frames: a length, then that number of bytes. A frame that is longer than its kind may be is refused when it
//! begins, before there is room for it, and long frames of all connections together have one limit.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder, LengthDelimitedCodec};

use super::LONGEST_FRAME;

/// Number of bytes of a frame that are read to determine its kind.
const BEGIN: usize = 32;
/// Bytes of the length before a frame.
const HEAD: usize = 4;
/// Maximum length of a frame that does not count against the common limit.
const SHORT_FRAME: usize = 256 * 1024;

/// Function that answers the most bytes a frame may have that begins with these.
pub type LimitFn = fn(&[u8]) -> usize;

/// Limits of frames that may be received: the length by their kind, and the bytes of long ones at a time in all connections together.
#[derive(Debug, Clone)]
pub struct FrameLimits {
    by_begin: LimitFn,
    /// Bytes that long frames may still take.
    free: Arc<AtomicUsize>,
}

impl FrameLimits {
    /// Frames as `by_begin` says, and `together` bytes of long ones at a time.
    pub fn new(by_begin: LimitFn, together: usize) -> FrameLimits {
        FrameLimits {
            by_begin,
            free: Arc::new(AtomicUsize::new(together)),
        }
    }
}

impl Default for FrameLimits {
    /// Creates the limits for one connection to a trusted peer.
    fn default() -> FrameLimits {
        FrameLimits::new(|_| LONGEST_FRAME, LONGEST_FRAME)
    }
}

/// Reads and writes the frames of one connection.
#[derive(Debug)]
pub(super) struct FrameCodec {
    inner: LengthDelimitedCodec,
    limits: FrameLimits,
    /// Maximum number of bytes of a frame of this peer, whatever its kind.
    longest: Arc<AtomicUsize>,
    /// Bytes taken from the common limit, for the frame that is read or was read last.
    held: usize,
    is_in_frame: bool,
}

impl FrameCodec {
    pub(super) fn new(limits: FrameLimits, longest: Arc<AtomicUsize>) -> FrameCodec {
        let inner = LengthDelimitedCodec::builder()
            .max_frame_length(LONGEST_FRAME)
            .new_codec();
        FrameCodec {
            inner,
            limits,
            longest,
            held: 0,
            is_in_frame: false,
        }
    }

    /// Returns true if a frame has begun that may be received.
    fn begin(&mut self, bytes: &[u8]) -> io::Result<bool> {
        self.release();
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Ok(false);
        };
        let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
        let Some(begin) = rest.get(..length.min(BEGIN)) else {
            return Ok(false);
        };
        let own = self.longest.load(Ordering::Relaxed);
        let most = (self.limits.by_begin)(begin).min(own).min(LONGEST_FRAME);
        if length > most {
            return Err(refused(&format!(
                "it has {length} bytes, and {most} are the most for its kind"
            )));
        }
        if length > SHORT_FRAME {
            let take = |free: usize| free.checked_sub(length);
            let taken = self
                .limits
                .free
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
            taken.map_err(|free| {
                refused(&format!(
                    "it has {length} bytes, and other long messages leave room for {free}; try again in a moment"
                ))
            })?;
            self.held = length;
        }
        Ok(true)
    }

    fn release(&mut self) {
        self.limits
            .free
            .fetch_add(std::mem::take(&mut self.held), Ordering::Relaxed);
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("could not take the message: {why}"),
    )
}

impl Drop for FrameCodec {
    fn drop(&mut self) {
        self.release();
    }
}

impl Decoder for FrameCodec {
    type Item = BytesMut;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<BytesMut>> {
        if !self.is_in_frame {
            self.is_in_frame = self.begin(bytes)?;
            if !self.is_in_frame {
                return Ok(None);
            }
        }
        let frame = self.inner.decode(bytes)?;
        self.is_in_frame = frame.is_none();
        Ok(frame)
    }
}

impl Encoder<Bytes> for FrameCodec {
    type Error = io::Error;

    fn encode(&mut self, frame: Bytes, bytes: &mut BytesMut) -> io::Result<()> {
        self.inner.encode(frame, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(limits: &FrameLimits) -> FrameCodec {
        FrameCodec::new(limits.clone(), Arc::new(AtomicUsize::new(usize::MAX)))
    }

    /// Bytes that a peer sends of a frame of that length: the length, and that many bytes.
    fn sent(length: usize, bytes: usize) -> BytesMut {
        let mut all = BytesMut::from(&u32::try_from(length).unwrap().to_be_bytes()[..]);
        all.extend_from_slice(&vec![b'a'; bytes]);
        all
    }

    #[test]
    fn a_frame_too_long_for_its_kind_is_refused_before_there_is_room_for_it() {
        let limits = FrameLimits::new(
            |begin| if begin.starts_with(b"a") { 1_000 } else { 2 },
            usize::MAX,
        );
        let mut bytes = sent(1_001, 40);
        let error = codec(&limits).decode(&mut bytes).unwrap_err();
        assert!(error.to_string().contains("1000 are the most"), "{error}");
        assert!(bytes.capacity() < 1_000, "{}", bytes.capacity());
        let whole = codec(&limits).decode(&mut sent(1_000, 1_000)).unwrap();
        assert_eq!(whole.map(|frame| frame.len()), Some(1_000));
        assert_eq!(
            codec(&limits).decode(&mut sent(1_000, 10)).unwrap(),
            None,
            "its kind is not seen yet"
        );
        let empty = codec(&limits).decode(&mut sent(0, 0)).unwrap();
        assert_eq!(empty.map(|frame| frame.len()), Some(0));
        let own = FrameCodec::new(limits, Arc::new(AtomicUsize::new(500)));
        let mut own = own;
        assert!(own.decode(&mut sent(501, 40)).is_err(), "less for this peer");
    }

    #[test]
    fn long_frames_share_a_limit_until_they_are_handled() {
        let long = 600 * 1024;
        let limits = FrameLimits::new(|_| LONGEST_FRAME, 1024 * 1024);
        let (mut one, mut other) = (codec(&limits), codec(&limits));
        let frame = one.decode(&mut sent(long, long)).unwrap();
        assert_eq!(frame.map(|frame| frame.len()), Some(long));
        let error = other.decode(&mut sent(long, 40)).unwrap_err();
        assert!(error.to_string().contains("try again"), "{error}");
        assert!(
            other.decode(&mut sent(1_000, 1_000)).unwrap().is_some(),
            "short ones go on"
        );
        // The next look for a frame says that the last one is done with.
        assert_eq!(one.decode(&mut BytesMut::new()).unwrap(), None);
        assert_eq!(
            other.decode(&mut sent(long, 40)).unwrap(),
            None,
            "there is room now"
        );
        drop(other);
        assert_eq!(
            one.decode(&mut sent(long, 40)).unwrap(),
            None,
            "a connection that ends gives it back"
        );
    }
}
