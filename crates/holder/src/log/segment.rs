//! Bytes and size of a segment: a raw file while it is written, a compressed one once it is closed.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::compression;
use super::paths::{packed_path, raw_path};
use crate::files::open_regular;

/// Removes a segment in every form; a file that does not exist counts as removed.
pub(super) fn remove(folder: &Path, number: u32) -> io::Result<()> {
    for path in [raw_path(folder, number), packed_path(folder, number)] {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// A log segment that is open for reading forwards.
pub(super) struct OpenSegment {
    source: SegmentSource,
    number: u32,
    start: u64,
    /// Offset of the byte that comes next from `source`.
    at: u64,
}

enum SegmentSource {
    Raw(File),
    Packed(Box<dyn Read + Send>, u64),
}

impl OpenSegment {
    /// Opens a segment; `None` when it is gone.
    pub(super) fn open(folder: &Path, number: u32, start: u64) -> io::Result<Option<Self>> {
        for attempt in [
            packed_path(folder, number),
            raw_path(folder, number),
            packed_path(folder, number),
        ] {
            let source = match open_regular(&attempt) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
                Ok(file) if attempt.extension().is_some_and(|end| end == "zst") => {
                    let (reader, length) = compression::unpack(file)?;
                    SegmentSource::Packed(reader, length)
                }
                Ok(file) => SegmentSource::Raw(file),
            };
            return Ok(Some(Self {
                source,
                number,
                start,
                at: start,
            }));
        }
        Ok(None)
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the offset behind the last byte, as of now: the segment being written grows.
    pub(super) fn end(&self) -> io::Result<u64> {
        Ok(self.start
            + match &self.source {
                SegmentSource::Raw(file) => file.metadata()?.len(),
                SegmentSource::Packed(_, length) => *length,
            })
    }

    /// Returns true if reading from here needs no new start.
    pub(super) fn can_reach(&self, offset: u64) -> bool {
        matches!(self.source, SegmentSource::Raw(_)) || offset >= self.at
    }

    /// Reads up to `most` bytes from `offset` on; empty at the end.
    pub(super) fn read(&mut self, offset: u64, most: usize) -> io::Result<Vec<u8>> {
        let most = most as u64;
        let mut bytes = Vec::new();
        match &mut self.source {
            SegmentSource::Raw(file) => {
                file.seek(SeekFrom::Start(offset - self.start))?;
                file.take(most).read_to_end(&mut bytes)?;
            }
            SegmentSource::Packed(reader, _) => {
                io::copy(&mut reader.take(offset - self.at), &mut io::sink())?;
                reader.take(most).read_to_end(&mut bytes)?;
            }
        }
        self.at = offset + bytes.len() as u64;
        Ok(bytes)
    }
}
