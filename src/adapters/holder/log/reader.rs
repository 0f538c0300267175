//! Reading a log, also while it is written, compressed and shortened: by offset, across segments and gaps.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::index::{Note, index_path, read_notes};
use super::segment::OpenSegment;
use crate::adapters::holder::HolderError;

/// Reads the log of one attempt.
pub struct LogReader {
    folder: PathBuf,
    /// Number of each segment the index names, by its first offset.
    segments: BTreeMap<u64, u32>,
    open: Option<OpenSegment>,
}

/// What is at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Bytes; the first has this offset.
    Bytes {
        /// Offset of the first.
        offset: u64,
        /// At least one.
        bytes: Vec<u8>,
    },
    /// Nothing is stored from here to there.
    Gap {
        /// The offset asked for.
        from: u64,
        /// The next stored byte.
        to: u64,
    },
    /// Nothing is stored from here on, so far.
    End,
}

/// The end of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tail {
    /// Offset of the first byte.
    pub offset: u64,
    /// The bytes; across a gap only those behind it.
    pub bytes: Vec<u8>,
}

impl LogReader {
    /// Opens the log below this attempt's folder; where there is none yet, it is empty.
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

    /// All notes of the index, in the order they were made.
    ///
    /// # Errors
    /// When the index exists and cannot be read.
    pub fn notes(&self) -> Result<Vec<Note>, HolderError> {
        let path = index_path(&self.folder);
        read_notes(&path).map_err(HolderError::io(format!("read {}", path.display())))
    }

    /// Up to `most` bytes from this offset on, or what is there instead. Reading onwards is cheap, going back opens
    /// the segment again.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn read_from(&mut self, offset: u64, most: usize) -> Result<Chunk, HolderError> {
        for _ in 0..2 {
            match self.at(offset, most).map_err(self.reading(offset))? {
                Chunk::End | Chunk::Gap { .. } => self.reload()?,
                found @ Chunk::Bytes { .. } => return Ok(found),
            }
        }
        self.at(offset, most).map_err(self.reading(offset))
    }

    /// Offset behind the last stored byte.
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

    /// The last `most` bytes.
    ///
    /// # Errors
    /// When a file exists and cannot be read.
    pub fn tail(&mut self, most: u64) -> Result<Tail, HolderError> {
        let mut at = self.end()?.saturating_sub(most);
        let mut tail = Tail {
            offset: at,
            bytes: Vec::new(),
        };
        loop {
            match self.read_from(at, 256 * 1024)? {
                Chunk::Bytes { mut bytes, .. } => {
                    at += bytes.len() as u64;
                    tail.bytes.append(&mut bytes);
                }
                Chunk::Gap { to, .. } => {
                    at = to;
                    tail = Tail {
                        offset: to,
                        bytes: Vec::new(),
                    };
                }
                Chunk::End => return Ok(tail),
            }
        }
    }

    fn reload(&mut self) -> Result<(), HolderError> {
        let segment = |note: Note| match note {
            Note::Segment { number, start, .. } => Some((start, number)),
            _ => None,
        };
        self.segments = self.notes()?.into_iter().filter_map(segment).collect();
        Ok(())
    }

    fn at(&mut self, offset: u64, most: usize) -> io::Result<Chunk> {
        if let Some((&start, _)) = self.segments.range(..=offset).next_back()
            && self.select(start, offset)?
            && let Some(open) = &mut self.open
            && offset < open.end()?
        {
            let bytes = open.read(offset, most)?;
            if !bytes.is_empty() {
                return Ok(Chunk::Bytes { offset, bytes });
            }
        }
        let later: Vec<u64> = self
            .segments
            .range(offset + 1..)
            .map(|(start, _)| *start)
            .collect();
        for start in later {
            if self.select(start, start)? && self.open.as_ref().map_or(Ok(start), OpenSegment::end)? > start {
                return Ok(Chunk::Gap {
                    from: offset,
                    to: start,
                });
            }
        }
        Ok(Chunk::End)
    }

    /// Has the segment that begins at `start` open and ready to read from `offset`; false when it is gone.
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
