//! Frames on a blocking stream: the codec of `tokio-util`, used without a runtime.

use std::io::{self, Read, Write};

use bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, Encoder, LengthDelimitedCodec};

use super::protocol::MAX_FRAME;

fn codec() -> LengthDelimitedCodec {
    LengthDelimitedCodec::builder()
        .max_frame_length(MAX_FRAME)
        .new_codec()
}

/// Writes one frame. Blocks while the peer does not read.
pub(super) fn send(mut to: impl Write, payload: Bytes) -> io::Result<()> {
    let mut frame = BytesMut::with_capacity(payload.len() + 4);
    codec().encode(payload, &mut frame)?;
    to.write_all(&frame)
}

/// Reads length-prefixed frames from a blocking stream.
#[derive(Debug)]
pub(super) struct FrameReader<R> {
    from: R,
    codec: LengthDelimitedCodec,
    buffer: BytesMut,
    piece: Box<[u8]>,
}

impl<R: Read> FrameReader<R> {
    /// Creates a reader of the frames of this stream; `piece` is the number of bytes read at once.
    pub(super) fn new(from: R, piece: usize) -> Self {
        Self {
            from,
            codec: codec(),
            buffer: BytesMut::new(),
            piece: vec![0; piece].into_boxed_slice(),
        }
    }

    /// Returns the next frame, `None` when the peer has closed between two frames.
    pub(super) fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(frame) = self.codec.decode(&mut self.buffer)? {
                return Ok(Some(frame.freeze()));
            }
            let count = match self.from.read(&mut self.piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            match self.piece.get(..count) {
                Some([]) | None if self.buffer.is_empty() => return Ok(None),
                Some([]) | None => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(bytes) => self.buffer.extend_from_slice(bytes),
            }
        }
    }
}
