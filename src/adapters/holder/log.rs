//! The terminal log on disk: every byte a program wrote, in segments of 8 MiB, closed ones compressed, oldest dropped.
//! An offset counts from the program's first byte and never changes, whatever is dropped or compressed. Input is never
//! logged. `tty/index.jsonl` says where segments begin, when what was written, how large the terminal was, and which
//! bytes are missing.

mod index;
mod pack;
mod paths;
mod reader;
mod segment;
mod writer;

pub use index::Note;
pub(super) use pack::pack;
pub use reader::{Chunk, LogReader, Tail};
pub(super) use writer::LogWriter;

#[cfg(test)]
mod tests;
