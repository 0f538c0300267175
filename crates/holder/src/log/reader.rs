//! Reader of a log, also while it is written, compressed and shortened: by offset, across segments and gaps.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::index::{IndexEntry, index_path, read_entries};
use super::segment::OpenSegment;
use crate::HolderError;

/// Reads the terminal log of one attempt by offset.
pub struct LogReader {
    folder: PathBuf,
    /// Number of each segment the index names, by its first offset.
    segments: BTreeMap<u64, u32>,
    open: Option<OpenSegment>,
}

/// Content of a log at an offset: bytes, a gap or its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogChunk {
    /// Bytes; the first has this offset.
    Bytes {
        offset: u64,
        /// At least one.
        bytes: Vec<u8>,
    },
    /// Nothing is stored from here to there.
    Gap {
        /// The offset asked for.
        from: u64,
        to: u64,
    },
    /// Nothing is stored from here on, so far.
    End,
}

/// The last bytes of a log and their offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogTail {
    /// Offset of the first byte.
    pub offset: u64,
    /// The bytes; across a gap only those behind it.
    pub bytes: Vec<u8>,
}

impl LogReader {
    /// Opens the log below this attempt's folder; if there is none yet, the log is empty.
    ///
    /// # Errors
    /// When the index exists and cannot be read.
    pub fn open(attempt: &Path) -> Result<Self, HolderError> {
        let mut log = Self {
            folder: attempt.join("tty"),
            segments: BTreeMap::new(),
            open: None,
        };
        log.reload()?;
        Ok(log)
    }

    /// Returns true if an attempt left a log: actions of the engine leave none, and old ones are removed.
    pub fn exists(attempt: &Path) -> bool {
        attempt.join("tty").is_dir()
    }

    /// Returns all notes of the index, in the order they were made.
    ///
    /// # Errors
    /// When the index exists and cannot be read.
    pub fn index_entries(&self) -> Result<Vec<IndexEntry>, HolderError> {
        let path = index_path(&self.folder);
        read_entries(&path).map_err(HolderError::io(format!("read {}", path.display())))
    }

    /// Reads up to `most` bytes from this offset on; a gap or the end if none are stored. Reading onwards is cheap, going back may open
    /// a segment again.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn read_from(&mut self, offset: u64, most: usize) -> Result<LogChunk, HolderError> {
        for _ in 0..2 {
            match self.at(offset, most).map_err(self.reading(offset))? {
                LogChunk::End | LogChunk::Gap { .. } => self.reload()?,
                found @ LogChunk::Bytes { .. } => return Ok(found),
            }
        }
        self.at(offset, most).map_err(self.reading(offset))
    }

    /// Hands over all stored bytes of a range, in pieces of at most `most`, each with its offset.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn read_range(
        &mut self,
        range: Range<u64>,
        most: usize,
        mut take: impl FnMut(u64, &[u8]),
    ) -> Result<(), HolderError> {
        let mut at = range.start;
        while at < range.end {
            let piece = usize::try_from(range.end - at).unwrap_or(most).min(most);
            match self.read_from(at, piece)? {
                LogChunk::Bytes { bytes, .. } => {
                    take(at, &bytes);
                    at += bytes.len() as u64;
                }
                LogChunk::Gap { to, .. } => at = to,
                LogChunk::End => break,
            }
        }
        Ok(())
    }

    /// Returns the offset behind the last stored byte.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn end(&mut self) -> Result<u64, HolderError> {
        self.reload()?;
        let starts: Vec<u64> = self.segments.keys().rev().copied().collect();
        for start in starts {
            if self.select(start, start).map_err(self.reading(start))? {
                let end = self.open.as_ref().map_or(Ok(start), OpenSegment::end);
                return end.map_err(self.reading(start));
            }
        }
        Ok(0)
    }

    /// Returns the last `most` bytes.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn tail(&mut self, most: u64) -> Result<LogTail, HolderError> {
        let mut at = self.end()?.saturating_sub(most);
        let mut tail = LogTail {
            offset: at,
            bytes: Vec::new(),
        };
        loop {
            match self.read_from(at, 256 * 1024)? {
                LogChunk::Bytes { mut bytes, .. } => {
                    at += bytes.len() as u64;
                    tail.bytes.append(&mut bytes);
                }
                LogChunk::Gap { to, .. } => {
                    at = to;
                    tail = LogTail {
                        offset: to,
                        bytes: Vec::new(),
                    };
                }
                LogChunk::End => return Ok(tail),
            }
        }
    }

    fn reload(&mut self) -> Result<(), HolderError> {
        let segment = |note: IndexEntry| match note {
            IndexEntry::Segment { number, start, .. } => Some((start, number)),
            _ => None,
        };
        self.segments = self.index_entries()?.into_iter().filter_map(segment).collect();
        Ok(())
    }

    fn at(&mut self, offset: u64, most: usize) -> io::Result<LogChunk> {
        if let Some((&start, _)) = self.segments.range(..=offset).next_back()
            && self.select(start, offset)?
            && let Some(open) = &mut self.open
            && offset < open.end()?
        {
            let bytes = open.read(offset, most)?;
            if !bytes.is_empty() {
                return Ok(LogChunk::Bytes { offset, bytes });
            }
        }
        let later: Vec<u64> = self
            .segments
            .range(offset + 1..)
            .map(|(start, _)| *start)
            .collect();
        for start in later {
            if self.select(start, start)? && self.open.as_ref().map_or(Ok(start), OpenSegment::end)? > start {
                return Ok(LogChunk::Gap {
                    from: offset,
                    to: start,
                });
            }
        }
        Ok(LogChunk::End)
    }

    /// Opens the segment that begins at `start`, ready to read from `offset`; false when the segment is gone.
    fn select(&mut self, start: u64, offset: u64) -> io::Result<bool> {
        let Some(&number) = self.segments.get(&start) else {
            return Ok(false);
        };
        if !self
            .open
            .as_ref()
            .is_some_and(|open| open.number() == number && open.can_reach(offset))
        {
            self.open = OpenSegment::open(&self.folder, number, start)?;
        }
        Ok(self.open.is_some())
    }

    fn reading(&self, offset: u64) -> impl FnOnce(io::Error) -> HolderError + use<> {
        HolderError::io(format!(
            "read the log in {} at byte {offset}",
            self.folder.display()
        ))
    }
}
