//! The payload of a frame to values. What a peer sends is never trusted: every field is checked to be there.

use bytes::{Buf, Bytes};

use super::{Misread, Reply, Request, Snapshot};
use crate::adapters::holder::records::ExitRecord;
use crate::domain::{Exit, Timestamp};
use crate::ports::holders::{EndedBy, PaneSize};

impl Request {
    /// Reads a payload.
    ///
    /// # Errors
    /// When the kind is unknown or a field is missing.
    pub fn decode(mut frame: Bytes) -> Result<Self, Misread> {
        Ok(match kind(&mut frame)? {
            0x01 => Request::Hello {
                version: frame.try_get_u16()?,
            },
            0x02 => Request::Attach {
                from: frame.try_get_u64()?,
            },
            0x03 => Request::Input(frame),
            0x04 => Request::Resize(size(&mut frame)?),
            0x05 => Request::Stop {
                grace: frame.try_get_u32()?,
            },
            0x06 => Request::Snapshot,
            0x07 => Request::Detach,
            other => return Err(Misread::Kind(other)),
        })
    }
}

impl Reply {
    /// Reads a payload.
    ///
    /// # Errors
    /// When the kind is unknown or a field is missing.
    pub fn decode(mut frame: Bytes) -> Result<Self, Misread> {
        Ok(match kind(&mut frame)? {
            0x81 => Reply::Welcome {
                version: frame.try_get_u16()?,
                pid: frame.try_get_u32()?,
            },
            0x82 => Reply::Output {
                offset: frame.try_get_u64()?,
                bytes: frame,
            },
            0x83 => Reply::Gap {
                from: frame.try_get_u64()?,
                to: frame.try_get_u64()?,
            },
            0x84 => Reply::Exited(end(&mut frame)?),
            0x85 => Reply::Snapshot(snapshot(&mut frame)?),
            0x86 => Reply::Stopped {
                survivors: frame.try_get_u32()?,
            },
            0x87 => {
                let code = frame.try_get_u16()?;
                Reply::Refused {
                    code,
                    text: String::from_utf8_lossy(&frame).into_owned(),
                }
            }
            0x88 => Reply::InputDropped {
                count: frame.try_get_u32()?,
            },
            0x89 => Reply::Replaced,
            other => return Err(Misread::Kind(other)),
        })
    }
}

impl From<bytes::TryGetError> for Misread {
    fn from(_: bytes::TryGetError) -> Self {
        Misread::Malformed
    }
}

fn kind(frame: &mut Bytes) -> Result<u8, Misread> {
    Ok(frame.try_get_u8()?)
}

fn size(frame: &mut Bytes) -> Result<PaneSize, Misread> {
    Ok(PaneSize {
        cols: frame.try_get_u16()?,
        rows: frame.try_get_u16()?,
        x_pixels: frame.try_get_u16()?,
        y_pixels: frame.try_get_u16()?,
    })
}

fn snapshot(frame: &mut Bytes) -> Result<Snapshot, Misread> {
    let size = size(frame)?;
    let (oldest, last) = (frame.try_get_u64()?, frame.try_get_u64()?);
    let ended = match frame.try_get_u8()? {
        0 => None,
        1 => Some(end(frame)?),
        _ => return Err(Misread::Malformed),
    };
    Ok(Snapshot {
        size,
        oldest,
        end: last,
        ended,
    })
}

fn end(frame: &mut Bytes) -> Result<ExitRecord, Misread> {
    let (kind, number) = (frame.try_get_u8()?, frame.try_get_i32()?);
    let exit = match kind {
        0 => Exit::Code(number),
        1 => Exit::Signal(number),
        2 => Exit::Vanished,
        _ => return Err(Misread::Malformed),
    };
    let ended_at = Timestamp(frame.try_get_u64()?);
    let by = match frame.try_get_u8()? {
        0 => EndedBy::Itself,
        1 => EndedBy::Stop,
        2 => EndedBy::Shutdown,
        _ => return Err(Misread::Malformed),
    };
    Ok(ExitRecord {
        exit,
        ended_at,
        by,
        output: frame.try_get_u64()?,
    })
}
