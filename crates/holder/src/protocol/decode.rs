//! Decoding of the payload of a frame to values. A peer's bytes are never trusted: every field is checked to be there.

use bytes::{Buf, Bytes};

use super::{DecodeError, HolderReply, HolderRequest, HolderStatus};
use crate::files::ExitRecord;
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::{ExitedBy, PaneSize};

impl HolderRequest {
    /// Reads a payload.
    ///
    /// # Errors
    /// When the kind is unknown or a field is missing.
    pub fn decode(mut frame: Bytes) -> Result<Self, DecodeError> {
        Ok(match kind(&mut frame)? {
            0x01 => HolderRequest::Hello {
                version: frame.try_get_u16()?,
            },
            0x02 => HolderRequest::Attach {
                from: frame.try_get_u64()?,
            },
            0x03 => HolderRequest::Input(frame),
            0x04 => HolderRequest::Resize(size(&mut frame)?),
            0x05 => HolderRequest::Stop {
                grace: frame.try_get_u32()?,
            },
            0x06 => HolderRequest::Status,
            0x07 => HolderRequest::Detach,
            0x08 => HolderRequest::Pace {
                longest: frame.try_get_u32()?,
            },
            0x09 => HolderRequest::Resume,
            other => return Err(DecodeError::Kind(other)),
        })
    }
}

impl HolderReply {
    /// Reads a payload.
    ///
    /// # Errors
    /// When the kind is unknown or a field is missing.
    pub fn decode(mut frame: Bytes) -> Result<Self, DecodeError> {
        Ok(match kind(&mut frame)? {
            0x81 => HolderReply::Welcome {
                version: frame.try_get_u16()?,
                pid: frame.try_get_u32()?,
            },
            0x82 => HolderReply::Output {
                offset: frame.try_get_u64()?,
                bytes: frame,
            },
            0x83 => HolderReply::Gap {
                from: frame.try_get_u64()?,
                to: frame.try_get_u64()?,
            },
            0x84 => HolderReply::Exited(end(&mut frame)?),
            0x85 => HolderReply::Status(snapshot(&mut frame)?),
            0x86 => HolderReply::Stopped {
                survivors: frame.try_get_u32()?,
            },
            0x87 => {
                let code = frame.try_get_u16()?;
                HolderReply::Refused {
                    code,
                    text: String::from_utf8_lossy(&frame).into_owned(),
                }
            }
            0x88 => HolderReply::InputDropped {
                count: frame.try_get_u32()?,
            },
            0x89 => HolderReply::Replaced,
            0x8a => HolderReply::Suspended(frame.try_get_u8()? != 0),
            other => return Err(DecodeError::Kind(other)),
        })
    }
}

impl From<bytes::TryGetError> for DecodeError {
    fn from(_: bytes::TryGetError) -> Self {
        DecodeError::Malformed
    }
}

fn kind(frame: &mut Bytes) -> Result<u8, DecodeError> {
    Ok(frame.try_get_u8()?)
}

fn size(frame: &mut Bytes) -> Result<PaneSize, DecodeError> {
    Ok(PaneSize {
        cols: frame.try_get_u16()?,
        rows: frame.try_get_u16()?,
        x_pixels: frame.try_get_u16()?,
        y_pixels: frame.try_get_u16()?,
    })
}

fn snapshot(frame: &mut Bytes) -> Result<HolderStatus, DecodeError> {
    let size = size(frame)?;
    let (oldest, last) = (frame.try_get_u64()?, frame.try_get_u64()?);
    let ended = match frame.try_get_u8()? {
        0 => None,
        1 => Some(end(frame)?),
        _ => return Err(DecodeError::Malformed),
    };
    Ok(HolderStatus {
        size,
        oldest,
        end: last,
        ended,
    })
}

fn end(frame: &mut Bytes) -> Result<ExitRecord, DecodeError> {
    let (kind, number) = (frame.try_get_u8()?, frame.try_get_i32()?);
    let exit = match kind {
        0 => ProcessExit::Code(number),
        1 => ProcessExit::Signal(number),
        2 => ProcessExit::Vanished,
        _ => return Err(DecodeError::Malformed),
    };
    let ended_at = Timestamp(frame.try_get_u64()?);
    let by = match frame.try_get_u8()? {
        0 => ExitedBy::Itself,
        1 => ExitedBy::Stop,
        2 => ExitedBy::Shutdown,
        _ => return Err(DecodeError::Malformed),
    };
    Ok(ExitRecord {
        exit,
        ended_at,
        by,
        output: frame.try_get_u64()?,
    })
}
