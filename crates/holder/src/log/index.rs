//! The index of a log: one JSON line per note, appended; thinned out when it grows over its limit. A line that cannot
//! be read (torn by a crash) is skipped.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{PaneSizeFormat, open_regular};
use dbs_domain::Timestamp;
use dbs_ports::holders::PaneSize;

/// Line of the log's index file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexEntry {
    Format {
        version: u32,
    },
    Segment {
        /// Number of the segment: the name of its file.
        number: u32,
        /// Offset of its first byte.
        start: u64,
        at: Timestamp,
    },
    /// Number of bytes written by then; one mark a second while output comes, and one more before each silence of a second.
    Mark {
        /// Offset of the next byte.
        offset: u64,
        at: Timestamp,
    },
    /// The terminal has this size from here on.
    Size {
        #[serde(with = "PaneSizeFormat")]
        size: PaneSize,
        /// Offset of the next byte.
        offset: u64,
        at: Timestamp,
    },
    /// Bytes that could not be stored: the disk was full.
    Incomplete {
        from: u64,
        to: u64,
        at: Timestamp,
    },
    /// Bytes that were removed to stay within the limit.
    Dropped {
        from: u64,
        to: u64,
        at: Timestamp,
    },
}

impl IndexEntry {
    /// Returns the time of the entry and the end of the log at that time, if it has them.
    pub fn time_mark(&self) -> Option<(Timestamp, u64)> {
        match self {
            IndexEntry::Segment { start, at, .. } => Some((*at, *start)),
            IndexEntry::Mark { offset, at } | IndexEntry::Size { offset, at, .. } => Some((*at, *offset)),
            IndexEntry::Format { .. } | IndexEntry::Incomplete { .. } | IndexEntry::Dropped { .. } => None,
        }
    }
}

/// Bytes of index above which marks are thinned out.
const INDEX_LIMIT: u64 = 1024 * 1024;
/// Notes kept in memory while the disk takes none; beyond that the oldest is forgotten.
const WAITING_LIMIT: usize = 256;

#[derive(Debug)]
pub(super) struct IndexWriter {
    path: PathBuf,
    file: File,
    /// Bytes of whole lines; remains of a failed write behind them are cut off.
    length: u64,
    waiting: Vec<IndexEntry>,
}

impl IndexWriter {
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let path = index_path(folder);
        let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
        let mut index = Self {
            path,
            file,
            length: 0,
            waiting: Vec::new(),
        };
        index.write(&IndexEntry::Format { version: 1 })?;
        Ok(index)
    }

    /// Writes a note, or fails and leaves no trace of it.
    pub(super) fn write(&mut self, note: &IndexEntry) -> io::Result<()> {
        while let Some(earlier) = self.waiting.first().cloned() {
            self.append(&earlier)?;
            self.waiting.remove(0);
        }
        self.append(note)
    }

    /// Writes a note now or, when the disk is full, before the next one that can be written.
    pub(super) fn remember(&mut self, note: IndexEntry) {
        if self.write(&note).is_err() {
            if self.waiting.len() >= WAITING_LIMIT {
                self.waiting.remove(0);
            }
            self.waiting.push(note);
        }
    }

    fn append(&mut self, note: &IndexEntry) -> io::Result<()> {
        let mut line = serde_json::to_vec(note).map_err(io::Error::other)?;
        line.push(b'\n');
        match self.file.write_all(&line) {
            Ok(()) => {
                self.length += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.length)?;
                Err(error)
            }
        }
    }

    /// Returns true if it is time for [`IndexWriter::thin_out`].
    pub(super) fn is_long(&self) -> bool {
        self.length > INDEX_LIMIT
    }

    /// Rewrites the index with half of its marks, and one note for all that was dropped.
    pub(super) fn thin_out(&mut self, oldest: u64, at: Timestamp) -> io::Result<()> {
        let notes = thinned(read_entries(&self.path)?, oldest, at);
        let part = self.path.with_extension("part");
        let mut file = OpenOptions::new().append(true).create(true).open(&part)?;
        file.set_len(0)?;
        let mut text = Vec::new();
        for note in &notes {
            serde_json::to_writer(&mut text, note).map_err(io::Error::other)?;
            text.push(b'\n');
        }
        file.write_all(&text)?;
        file.sync_data()?;
        fs::rename(&part, &self.path)?;
        self.file = file;
        self.length = text.len() as u64;
        Ok(())
    }

    pub(super) fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

fn thinned(notes: Vec<IndexEntry>, oldest: u64, at: Timestamp) -> Vec<IndexEntry> {
    let last_size_before = notes
        .iter()
        .rposition(|note| matches!(note, IndexEntry::Size { offset, .. } if *offset <= oldest));
    let mut kept = Vec::new();
    let mut is_even = false;
    for (place, note) in notes.into_iter().enumerate() {
        let keep = match &note {
            IndexEntry::Format { .. } => true,
            IndexEntry::Dropped { .. } => false,
            IndexEntry::Segment { start, .. } => *start >= oldest,
            IndexEntry::Size { offset, .. } => *offset > oldest || last_size_before == Some(place),
            IndexEntry::Incomplete { to, .. } => *to > oldest,
            IndexEntry::Mark { offset, .. } => {
                is_even = !is_even;
                is_even && *offset >= oldest
            }
        };
        if keep {
            kept.push(note);
        }
    }
    if oldest > 0 {
        kept.push(IndexEntry::Dropped {
            from: 0,
            to: oldest,
            at,
        });
    }
    kept
}

/// Reads all notes that can be read; empty if there is no index.
pub(super) fn read_entries(path: &Path) -> io::Result<Vec<IndexEntry>> {
    let file = match open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut notes = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        if let Ok(note) = serde_json::from_slice(&line?) {
            notes.push(note);
        }
    }
    Ok(notes)
}

pub(super) fn index_path(folder: &Path) -> PathBuf {
    folder.join("index.jsonl")
}
