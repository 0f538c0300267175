//! The terminal log on disk: every byte a program wrote, in segments of 8 MiB, closed ones compressed, oldest dropped.
//! An offset counts from the program's first byte and never changes, whatever is dropped or compressed. Input is never
//! logged. `tty/index.jsonl` says where segments begin, when what was written, how large the terminal was, and which
//! bytes are missing.

mod compression;
mod index;
mod paths;
mod reader;
mod segment;
mod writer;

pub(super) use compression::pack;
pub use index::IndexEntry;
pub use reader::{LogChunk, LogReader, LogTail};
pub(super) use writer::LogWriter;

#[cfg(test)]
mod tests;
