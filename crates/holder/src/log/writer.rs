//! Writer of a log: append, begin new segments, drop the oldest, survive a full disk. Nothing here waits until the disk has stored
//! anything; [`LogWriter::files_to_sync`] leaves that work to a thread that may wait.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::index::{IndexEntry, IndexWriter};
use super::paths::raw_path;
use super::{compression, segment};
use dbs_domain::Timestamp;
use dbs_ports::holders::PaneSize;

/// Bytes in a segment when the limit is generous.
const SEGMENT: u64 = 8 * 1024 * 1024;
/// Minimum size of a segment, in bytes; also more than any single append.
const SMALLEST_SEGMENT: u64 = 128 * 1024;
const MARK_EVERY: u64 = 1000;
/// Milliseconds between two tries while the disk is full.
const RETRY_EVERY: u64 = 200;

/// Writes the terminal log of one attempt in segments.
#[derive(Debug)]
pub(in super::super) struct LogWriter {
    folder: PathBuf,
    limit: u64,
    segment_size: u64,
    index: IndexWriter,
    segments: VecDeque<Segment>,
    /// The file of the last segment; `None` before the first byte and while the disk is full.
    current: Option<File>,
    end: u64,
    next_number: u32,
    full_disk: Option<FullDisk>,
    marked_at: Timestamp,
    /// Offset of the last mark.
    marked: u64,
    appended_at: Timestamp,
}

#[derive(Debug)]
struct Segment {
    number: u32,
    start: u64,
    length: u64,
    /// Bytes on disk.
    stored: u64,
    form: SegmentState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SegmentState {
    Open,
    Closed,
    Packed,
    /// Compressing failed; it stays raw.
    Incompressible,
}

/// Offset from which the full disk took no bytes, and the time at which writing is retried.
#[derive(Debug)]
struct FullDisk {
    from: u64,
    retry_at: Timestamp,
}

impl LogWriter {
    /// Begins a log below this attempt's folder. `limit` bounds the bytes on disk (without the index, which has 1 MiB of its own); under 1
    /// MiB it is taken as 1 MiB.
    pub(in super::super) fn create(
        attempt: &Path,
        limit: u64,
        size: PaneSize,
        now: Timestamp,
    ) -> io::Result<Self> {
        let folder = attempt.join("tty");
        fs::create_dir_all(&folder)?;
        let limit = limit.max(8 * SMALLEST_SEGMENT);
        let mut log = Self {
            index: IndexWriter::create(&folder)?,
            folder,
            limit,
            segment_size: (limit / 8).clamp(SMALLEST_SEGMENT, SEGMENT),
            segments: VecDeque::new(),
            current: None,
            end: 0,
            next_number: 1,
            full_disk: None,
            marked_at: Timestamp(0),
            marked: 0,
            appended_at: now,
        };
        log.resized(size, now);
        Ok(log)
    }

    /// Appends output of the program; at most [`SMALLEST_SEGMENT`] bytes. Never fails: bytes that the disk does not take leave a gap.
    /// Returns true if a full segment was closed and waits to be compressed.
    pub(in super::super) fn append(&mut self, bytes: &[u8], now: Timestamp) -> bool {
        let at = self.end;
        self.mark_before_silence(now);
        let is_full = self
            .segments
            .back()
            .is_some_and(|last| last.length + bytes.len() as u64 > self.segment_size);
        let stored = self.store(bytes, is_full, now);
        self.end = at + bytes.len() as u64;
        self.appended_at = now;
        if stored < bytes.len() {
            self.current = None;
            self.close_last();
            let since = at + stored as u64;
            let trouble = self.full_disk.get_or_insert(FullDisk {
                from: since,
                retry_at: now,
            });
            if now >= trouble.retry_at {
                trouble.retry_at = Timestamp(now.0 + RETRY_EVERY);
            }
        }
        if now.since(self.marked_at).0 >= MARK_EVERY {
            self.mark(now);
        }
        is_full
    }

    pub(in super::super) fn resized(&mut self, size: PaneSize, now: Timestamp) {
        self.index.remember(IndexEntry::Size {
            size,
            offset: self.end,
            at: now,
        });
    }

    pub(in super::super) fn oldest(&self) -> u64 {
        self.segments.front().map_or(self.end, |first| first.start)
    }

    /// Finishes the log: marks the end, closes the last segment, tries once more to note an open gap.
    pub(in super::super) fn finish(&mut self, now: Timestamp) {
        self.mark_before_silence(now);
        self.mark(now);
        if let Some(trouble) = self.full_disk.take() {
            self.index.remember(IndexEntry::Incomplete {
                from: trouble.from,
                to: self.end,
                at: now,
            });
        }
        self.close_last();
    }

    /// Returns handles of the files written to; syncing them may take long and needs no lock.
    pub(in super::super) fn files_to_sync(&self) -> Vec<File> {
        let current = self.current.as_ref().map(File::try_clone);
        current
            .into_iter()
            .chain([self.index.handle()])
            .flatten()
            .collect()
    }

    /// Returns the next closed segment to compress: its folder and number for [`super::pack`], without the lock.
    pub(in super::super) fn next_to_pack(&self) -> Option<(PathBuf, u32)> {
        let waiting = self
            .segments
            .iter()
            .find(|segment| segment.form == SegmentState::Closed)?;
        Some((self.folder.clone(), waiting.number))
    }

    /// Takes in the result of compressing: the new size. A segment dropped meanwhile stays dropped.
    pub(in super::super) fn packed(&mut self, number: u32, outcome: io::Result<u64>) {
        let found = self.segments.iter_mut().find(|segment| segment.number == number);
        let placed = outcome.and_then(|stored| {
            if found.is_some() {
                compression::put_in_place(&self.folder, number).map(|()| stored)
            } else {
                compression::discard(&self.folder, number);
                Ok(stored)
            }
        });
        if let Some(segment) = found {
            match placed {
                Ok(stored) => (segment.stored, segment.form) = (stored, SegmentState::Packed),
                Err(_) => segment.form = SegmentState::Incompressible,
            }
        }
    }

    /// Stores bytes and returns how many were stored, from the first on.
    fn store(&mut self, bytes: &[u8], is_full: bool, now: Timestamp) -> usize {
        match &self.full_disk {
            Some(trouble) if now < trouble.retry_at => return 0,
            Some(trouble) => return self.resume(bytes, trouble.from, now).unwrap_or(0),
            None => {}
        }
        if (self.current.is_none() || is_full) && self.begin_segment(now).is_err() {
            return 0;
        }
        let (Some(file), Some(last)) = (&mut self.current, self.segments.back_mut()) else {
            return 0;
        };
        let stored = write_what_fits(file, bytes);
        last.length += stored as u64;
        last.stored = last.length;
        stored
    }

    fn begin_segment(&mut self, now: Timestamp) -> io::Result<()> {
        self.current = None;
        self.close_last();
        self.drop_oldest(now);
        let (number, start) = (self.next_number, self.end);
        let path = raw_path(&self.folder, number);
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        // A failed try may have left bytes that belong to no offset.
        file.set_len(0)?;
        self.index.write(&IndexEntry::Segment {
            number,
            start,
            at: now,
        })?;
        self.next_number += 1;
        self.segments.push_back(Segment {
            number,
            start,
            length: 0,
            stored: 0,
            form: SegmentState::Open,
        });
        self.current = Some(file);
        Ok(())
    }

    /// Tries whether the disk takes bytes again; the gap is over only when the disk has taken all of these.
    fn resume(&mut self, bytes: &[u8], from: u64, now: Timestamp) -> io::Result<usize> {
        self.drop_oldest(now);
        let (number, start) = (self.next_number, self.end);
        let path = raw_path(&self.folder, number);
        let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
        let stored = file
            .set_len(0)
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| {
                self.index.write(&IndexEntry::Incomplete {
                    from,
                    to: start,
                    at: now,
                })
            })
            .and_then(|()| {
                self.index.write(&IndexEntry::Segment {
                    number,
                    start,
                    at: now,
                })
            });
        if let Err(error) = stored {
            fs::remove_file(path)?;
            return Err(error);
        }
        let length = bytes.len() as u64;
        self.next_number += 1;
        self.segments.push_back(Segment {
            number,
            start,
            length,
            stored: length,
            form: SegmentState::Open,
        });
        (self.current, self.full_disk) = (Some(file), None);
        Ok(bytes.len())
    }

    fn close_last(&mut self) {
        if let Some(last) = self
            .segments
            .back_mut()
            .filter(|last| last.form == SegmentState::Open)
        {
            last.form = SegmentState::Closed;
        }
    }

    /// Makes room for one segment to be written and one to be compressed.
    fn drop_oldest(&mut self, now: Timestamp) {
        let (from, mut to) = (self.oldest(), None);
        let room = self.limit.saturating_sub(2 * self.segment_size);
        while self.segments.iter().map(|segment| segment.stored).sum::<u64>() > room {
            let Some(oldest) = self.segments.pop_front() else {
                break;
            };
            if segment::remove(&self.folder, oldest.number).is_err() {
                self.segments.push_front(oldest);
                break;
            }
            to = Some(oldest.start + oldest.length);
        }
        if let Some(to) = to {
            self.index.remember(IndexEntry::Dropped { from, to, at: now });
        }
    }

    /// Marks the output before a silence, if it has no mark yet: output after the silence was not there all the while.
    fn mark_before_silence(&mut self, now: Timestamp) {
        if self.end > self.marked && now.since(self.appended_at).0 >= MARK_EVERY {
            self.mark(self.appended_at);
        }
    }

    fn mark(&mut self, now: Timestamp) {
        (self.marked_at, self.marked) = (now, self.end);
        self.index.remember(IndexEntry::Mark {
            offset: self.end,
            at: now,
        });
        if self.index.is_long() {
            // A failure leaves the long index, which is just as good.
            drop(self.index.thin_out(self.oldest(), now));
        }
    }
}

/// Writes until the disk takes no more; returns the number of bytes written.
fn write_what_fits(file: &mut File, bytes: &[u8]) -> usize {
    let mut stored = 0;
    while let Some(rest) = bytes.get(stored..).filter(|rest| !rest.is_empty()) {
        match file.write(rest) {
            Ok(0) => break,
            Ok(count) => stored += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    stored
}
