//! The terminal log on disk: every byte a program wrote, in segments of 8 MiB, closed ones compressed, oldest dropped. An offset counts
//! from the program's first byte and never changes, whatever is dropped or compressed. Input is never logged. `tty/index.jsonl` records the
//! starts of segments, the times of output, the sizes of the terminal, and the missing bytes.

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
