//! Lines above the screen in a small form: the bytes of their text, runs of styles, and a flag if they continue in the next line. Must give
//! back exactly the same lines as long as the width stays the same.
//!
//! An emulator's own history takes 8 bytes and more for every cell, written or not; here a line takes about 12 bytes more
//! than its text. Three limits hold, and at each of them the oldest lines are dropped: the number of lines, the bytes of all of them (960
//! for each line that may be kept, the memory of 120 cells of an emulator, so that no program gets more memory by another style on every
//! cell), and 64 KiB of hyperlinks a line.
//!
//! Another width does not change the kept lines. Lines that were wrapped at the old width are wrapped again whenever they are read
//! ([`rewrap`]), so that a terminal that was narrow for a moment has lost nothing.

mod block;
mod line;
mod line_writer;
mod packed;
mod rewrap;
mod style;
#[cfg(test)]
mod tests;

pub use line_writer::LineWriter;
pub use packed::PackedHistory;
