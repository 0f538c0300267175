//! Protocol 1 between a holder and a server: frozen, because a holder outlives the server that started it and must be
//! understood by any later one.
//!
//! A frame is a length (4 bytes, big endian, the kind counted) and that many bytes: one for the kind, then the fields in the order below,
//! integers big endian. At most 1 MiB. Fields that follow the known ones are ignored, a reply of an unknown kind is skipped by the server,
//! a request of an unknown kind is answered with `Refused 1`: so a later minor version may add something.
//!
//! | kind | request | fields |
//! |---|---|---|
//! | 01 | Hello | version u16; the first frame, answered by Welcome or `Refused 2` |
//! | 02 | Attach | from u64: output from there on, from the log and then live, without a seam. The newest attached peer gets it, an older one gets Replaced and nothing more. Beyond the end means the end |
//! | 03 | Input | bytes for the program; queued up to 8 MiB, more is dropped, and the reply reports it |
//! | 04 | Resize | cols u16, rows u16, x pixels u16, y pixels u16; under 2 is taken as 2 |
//! | 05 | Stop | grace in ms u32: terminate, then hang-up, grace, kill; answered by Stopped when the end is on disk |
//! | 06 | Snapshot | answered by Snapshot |
//! | 07 | Detach | the holder closes this connection |
//! | 08 | Pace | ms u32: output for this peer is collected so long at most, 0 is not at all, as at first. A few pieces after a silence or after input, floods, replies and the end are not held back. Later than the others: an older holder answers `Refused 1` and sends all at once |
//! | 09 | Resume | none: a suspended program continues. Later than the others: an older holder answers `Refused 1` |
//!
//! | kind | reply | fields |
//! |---|---|---|
//! | 81 | Welcome | version u16, holder's process id u32 |
//! | 82 | Output | offset u64, bytes; already in the log when it is sent |
//! | 83 | Gap | from u64, to u64: these bytes are no longer (or never were) stored |
//! | 84 | Exited | an end; sent after the last Output |
//! | 85 | Snapshot | cols, rows, x, y pixels u16 each; oldest u64, end u64 (offsets in the log); u8 0 = runs, 1 = ended, then an end |
//! | 86 | Stopped | survivors u32 |
//! | 87 | Refused | code u16 (1 unknown request, 2 version, 3 malformed), text in UTF-8 |
//! | 88 | `InputDropped` | count of bytes u32 |
//! | 89 | Replaced | none |
//! | 8a | Suspended | u8 1 = the program is suspended, 0 = it continues; to the attached peer, and at once after Attach if it is suspended |
//!
//! An end is: u8 0 = code, 1 = signal, 2 = unknown; its number i32; its time, in ms since 1970, u64; u8 0 = by itself, 1 = stop, 2 =
//! shutdown; bytes of output in all u64.

mod decode;
mod encode;

use bytes::Bytes;

use super::files::ExitRecord;
use dbs_ports::holders::PaneSize;

/// The version spoken here.
pub const VERSION: u16 = 1;

/// The longest frame, in bytes.
pub const MAX_FRAME: usize = 1024 * 1024;

/// Message from the server to a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderRequest {
    /// Opens the conversation.
    Hello {
        /// The version the server speaks.
        version: u16,
    },
    /// Sends output from here on.
    Attach {
        /// Offset of the first byte wanted.
        from: u64,
    },
    /// Types these bytes.
    Input(Bytes),
    /// Changes the size of the terminal.
    Resize(PaneSize),
    /// Ends the program and all it started.
    Stop {
        /// Milliseconds between asking and killing.
        grace: u32,
    },
    /// Asks for the status.
    Status,
    /// Closes this connection.
    Detach,
    /// Collects output for this peer before it is sent.
    Pace {
        /// Milliseconds at most; zero sends it at once.
        longest: u32,
    },
    /// Continues a suspended program.
    Resume,
}

/// Message from a holder to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderReply {
    /// Answers Hello.
    Welcome {
        /// The version the holder speaks.
        version: u16,
        /// Process id of the holder.
        pid: u32,
    },
    /// Output of the program.
    Output {
        /// Offset of the first byte.
        offset: u64,
        /// The bytes.
        bytes: Bytes,
    },
    /// Bytes that cannot be had any more.
    Gap {
        /// The first.
        from: u64,
        /// The first that can be had again.
        to: u64,
    },
    /// The program has ended, all output was sent.
    Exited(ExitRecord),
    /// Answers Status.
    Status(HolderStatus),
    /// The stop is through and the end is on disk.
    Stopped {
        /// Processes that could not be ended.
        survivors: u32,
    },
    /// A request was not understood.
    Refused {
        /// 1 unknown request, 2 version, 3 malformed.
        code: u16,
        /// The reason as text for people.
        text: String,
    },
    /// The program does not read; this much input was thrown away.
    InputDropped {
        /// Bytes.
        count: u32,
    },
    /// A newer peer is attached now.
    Replaced,
    /// The program is suspended, as by Ctrl-Z, or continues.
    Suspended(bool),
}

/// Terminal size, stored output range and exit of a holder's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderStatus {
    /// Size of the terminal.
    pub size: PaneSize,
    /// Offset of the oldest byte still stored.
    pub oldest: u64,
    /// Bytes of output so far: the offset of the next.
    pub end: u64,
    /// The end, once there is one.
    pub ended: Option<ExitRecord>,
}

/// Error of decoding a frame: unknown kind or malformed payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// Kind that is unknown: made by a newer version.
    Kind(u8),
    /// Frame that ends too early or has a field that makes no sense.
    Malformed,
}

#[cfg(test)]
mod tests;
