//! Values to the payload of a frame.

use bytes::{BufMut, Bytes, BytesMut};

use super::{Reply, Request, Snapshot};
use crate::adapters::holder::records::ExitRecord;
use crate::domain::Exit;
use crate::ports::holders::{EndedBy, PaneSize};

impl Request {
    /// The payload of the frame: kind and fields.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            Request::Hello { version } => {
                out.put_u8(0x01);
                out.put_u16(*version);
            }
            Request::Attach { from } => {
                out.put_u8(0x02);
                out.put_u64(*from);
            }
            Request::Input(bytes) => {
                out.put_u8(0x03);
                out.put_slice(bytes);
            }
            Request::Resize(size) => {
                out.put_u8(0x04);
                put_size(&mut out, *size);
            }
            Request::Stop { grace } => {
                out.put_u8(0x05);
                out.put_u32(*grace);
            }
            Request::Snapshot => out.put_u8(0x06),
            Request::Detach => out.put_u8(0x07),
        }
        out.freeze()
    }
}

impl Reply {
    /// The payload of the frame: kind and fields.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::new();
        match self {
            Reply::Welcome { version, pid } => {
                out.put_u8(0x81);
                out.put_u16(*version);
                out.put_u32(*pid);
            }
            Reply::Output { offset, bytes } => {
                out.reserve(9 + bytes.len());
                out.put_u8(0x82);
                out.put_u64(*offset);
                out.put_slice(bytes);
            }
            Reply::Gap { from, to } => {
                out.put_u8(0x83);
                out.put_u64(*from);
                out.put_u64(*to);
            }
            Reply::Exited(end) => {
                out.put_u8(0x84);
                put_end(&mut out, end);
            }
            Reply::Snapshot(snapshot) => put_snapshot(&mut out, snapshot),
            Reply::Stopped { survivors } => {
                out.put_u8(0x86);
                out.put_u32(*survivors);
            }
            Reply::Refused { code, text } => {
                out.put_u8(0x87);
                out.put_u16(*code);
                out.put_slice(text.as_bytes());
            }
            Reply::InputDropped { count } => {
                out.put_u8(0x88);
                out.put_u32(*count);
            }
            Reply::Replaced => out.put_u8(0x89),
        }
        out.freeze()
    }
}

fn put_snapshot(out: &mut BytesMut, snapshot: &Snapshot) {
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
        Exit::Code(code) => (0, code),
        Exit::Signal(signal) => (1, signal),
        Exit::Vanished => (2, 0),
    };
    out.put_u8(kind);
    out.put_i32(number);
    out.put_u64(end.ended_at.0);
    out.put_u8(match end.by {
        EndedBy::Itself => 0,
        EndedBy::Stop => 1,
        EndedBy::Shutdown => 2,
    });
    out.put_u64(end.output);
}
