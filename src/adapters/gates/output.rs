//! Output of a gate that is kept: a file up to a limit, and the end in memory. The gate never waits for a full file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::adapters::child_process::output::OutputSink;
use crate::domain::Cause;
use crate::ports::trouble::io_trouble;

/// Maximum number of bytes of the end kept in memory.
const TAIL: usize = 8 * 1024;

/// Output of a running gate that was read so far.
pub(super) struct RecordedOutput {
    file: File,
    limit: u64,
    n_written: u64,
    pub(super) tail: Vec<u8>,
    pub(super) truncated: bool,
    /// Reason why the file lacks something it should have.
    pub(super) write_error: Option<Cause>,
}

impl RecordedOutput {
    pub(super) fn create(path: &Path, limit: u64) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            limit,
            n_written: 0,
            tail: Vec::new(),
            truncated: false,
            write_error: None,
        })
    }
}

impl OutputSink for RecordedOutput {
    fn take(&mut self, bytes: &[u8]) -> bool {
        self.tail.extend_from_slice(bytes);
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
        let room = usize::try_from(self.limit - self.n_written).unwrap_or(usize::MAX);
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.truncated |= kept.len() < bytes.len();
        if self.write_error.is_none() {
            match self.file.write_all(kept) {
                Ok(()) => self.n_written += kept.len() as u64,
                Err(error) => {
                    self.write_error = Some(io_trouble(error.kind()).cause(error.to_string()));
                }
            }
        }
        // The gate continues, so its output is still read.
        false
    }
}
