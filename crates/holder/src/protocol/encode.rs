//! Encoding of values to the payload of a frame.

use bytes::{BufMut, Bytes, BytesMut};

use super::{HolderReply, HolderRequest, HolderStatus};
use crate::files::ExitRecord;
use dbs_domain::ProcessExit;
use dbs_ports::holders::{ExitedBy, PaneSize};

impl HolderRequest {
    /// Returns the payload of the frame: kind and fields.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            HolderRequest::Hello { version } => {
                out.put_u8(0x01);
                out.put_u16(*version);
            }
            HolderRequest::Attach { from } => {
                out.put_u8(0x02);
                out.put_u64(*from);
            }
            HolderRequest::Input(bytes) => {
                out.put_u8(0x03);
                out.put_slice(bytes);
            }
            HolderRequest::Resize(size) => {
                out.put_u8(0x04);
                put_size(&mut out, *size);
            }
            HolderRequest::Stop { grace } => {
                out.put_u8(0x05);
                out.put_u32(*grace);
            }
            HolderRequest::Status => out.put_u8(0x06),
            HolderRequest::Detach => out.put_u8(0x07),
            HolderRequest::Pace { longest } => {
                out.put_u8(0x08);
                out.put_u32(*longest);
            }
            HolderRequest::Resume => out.put_u8(0x09),
        }
        out.freeze()
    }
}

impl HolderReply {
    /// Returns the payload of the frame: kind and fields.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            HolderReply::Welcome { version, pid } => {
                out.put_u8(0x81);
                out.put_u16(*version);
                out.put_u32(*pid);
            }
            HolderReply::Output { offset, bytes } => {
                out.reserve(9 + bytes.len());
                out.put_u8(0x82);
                out.put_u64(*offset);
                out.put_slice(bytes);
            }
            HolderReply::Gap { from, to } => {
                out.put_u8(0x83);
                out.put_u64(*from);
                out.put_u64(*to);
            }
            HolderReply::Exited(end) => {
                out.put_u8(0x84);
                put_end(&mut out, end);
            }
            HolderReply::Status(snapshot) => put_snapshot(&mut out, snapshot),
            HolderReply::Stopped { survivors } => {
                out.put_u8(0x86);
                out.put_u32(*survivors);
            }
            HolderReply::Refused { code, text } => {
                out.put_u8(0x87);
                out.put_u16(*code);
                out.put_slice(text.as_bytes());
            }
            HolderReply::InputDropped { count } => {
                out.put_u8(0x88);
                out.put_u32(*count);
            }
            HolderReply::Replaced => out.put_u8(0x89),
            HolderReply::Suspended(is_suspended) => {
                out.put_u8(0x8a);
                out.put_u8(u8::from(*is_suspended));
            }
        }
        out.freeze()
    }
}

fn put_snapshot(out: &mut BytesMut, snapshot: &HolderStatus) {
    out.put_u8(0x85);
    put_size(out, snapshot.size);
    out.put_u64(snapshot.oldest);
    out.put_u64(snapshot.end);
    out.put_u8(u8::from(snapshot.ended.is_some()));
    if let Some(end) = &snapshot.ended {
        put_end(out, end);
    }
}

fn put_size(out: &mut BytesMut, size: PaneSize) {
    out.put_u16(size.cols);
    out.put_u16(size.rows);
    out.put_u16(size.x_pixels);
    out.put_u16(size.y_pixels);
}

fn put_end(out: &mut BytesMut, end: &ExitRecord) {
    let (kind, number) = match end.exit {
        ProcessExit::Code(code) => (0, code),
        ProcessExit::Signal(signal) => (1, signal),
        // A running holder knows its program's end; others find out that it went with the machine.
        ProcessExit::Vanished
        | ProcessExit::MachineStopped
        | ProcessExit::SessionStopped
        | ProcessExit::Together => (2, 0),
    };
    out.put_u8(kind);
    out.put_i32(number);
    out.put_u64(end.ended_at.0);
    out.put_u8(match end.by {
        ExitedBy::Itself => 0,
        ExitedBy::Stop => 1,
        ExitedBy::Shutdown => 2,
    });
    out.put_u64(end.output);
}
