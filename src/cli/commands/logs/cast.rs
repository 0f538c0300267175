//! Recording of a terminal in a form that players of asciicast (version 2) understand: a line about it, then a line for every piece of
//! output and every change of size. Reads the log only, nothing is played here.
//!
//! The log has the size of the terminal at every byte, and time marks about once a second: output between two marks is spread evenly
//! between them, and output after a silence is put at its end.

use crate::adapters::holder::{HolderError, IndexEntry, LogChunk, LogReader};
use crate::cli::commands::logs::log_follower::warn_dropped;
use crate::cli::commands::prelude::*;
use crate::domain::{AttemptId, Span, Timestamp};
use crate::ports::holders::PaneSize;

const PIECE: usize = 64 * 1024;
/// Time between two pieces of output within one mark and the next.
const STEP: Span = Span(100);
/// Distance of marks from which there is a silence between them.
const IDLE_GAP: Span = Span::seconds(2);
/// Size where the log has none.
const DEFAULT_SIZE: PaneSize = PaneSize::cells(120, 40);

/// Prints the recording of an attempt, as far as its log goes.
pub(super) fn print(attempt: AttemptId, mut log: LogReader) -> CommandResult {
    let notes = log.index_entries()?;
    let title = format!("attempt {attempt}");
    let mut gone = |from, to| warn_dropped(attempt, from, to);
    let mut read = |offset| log.read_from(offset, PIECE);
    record(&title, &notes, &mut read, &mut gone, &mut |line| {
        output::bytes(format!("{line}\n").as_bytes());
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Emits every line of the recording, and reports what is missing: from which byte to which.
fn record(
    title: &str,
    notes: &[IndexEntry],
    read: &mut dyn FnMut(u64) -> Result<LogChunk, HolderError>,
    gone: &mut dyn FnMut(u64, u64),
    emit: &mut dyn FnMut(&str),
) -> Result<(), HolderError> {
    let mut next = read(0)?;
    if let LogChunk::Gap { from, to } = next {
        gone(from, to);
        next = read(to)?;
    }
    let first = match &next {
        LogChunk::Bytes { offset, .. } => *offset,
        LogChunk::Gap { to, .. } => *to,
        LogChunk::End => 0,
    };
    let times = OutputTimes::among(notes);
    let mut cast = CastWriter::begin(title, notes, (first, times.begun(first)), emit);
    let mut at = first;
    loop {
        match next {
            LogChunk::Bytes { bytes, .. } => {
                cast.output(&times, at, &bytes);
                at += bytes.len() as u64;
            }
            LogChunk::Gap { from, to } => {
                gone(from, to);
                at = to;
            }
            LogChunk::End => break,
        }
        if output::is_unread() {
            return Ok(());
        }
        next = read(at)?;
    }
    cast.end();
    Ok(())
}

/// Log offset and the time by which it was written.
type TimeMark = (u64, Timestamp);

/// Times at which output was written, as far as the log's index records them.
struct OutputTimes(Vec<TimeMark>);

impl OutputTimes {
    fn among(notes: &[IndexEntry]) -> OutputTimes {
        let marks = notes.iter().filter_map(IndexEntry::time_mark);
        let mut known: Vec<TimeMark> = marks.map(|(at, offset)| (offset, at)).collect();
        known.sort_by_key(|(offset, _)| *offset);
        // A clock that was set back must not turn the recording round.
        let mut latest = Timestamp::default();
        for (_, at) in &mut known {
            latest = latest.max(*at);
            *at = latest;
        }
        OutputTimes(known)
    }

    /// Returns the time at which a recording begins that has this byte first.
    fn begun(&self, offset: u64) -> Timestamp {
        let (before, after) = self.around(offset);
        before.or(after).map_or_else(Timestamp::default, |(_, at)| at)
    }

    /// Returns the last mark before that byte, and the first behind it.
    fn around(&self, offset: u64) -> (Option<TimeMark>, Option<TimeMark>) {
        let behind = self.0.partition_point(|(known, _)| *known <= offset);
        let before = behind.checked_sub(1).and_then(|before| self.0.get(before));
        (before.copied(), self.0.get(behind).copied())
    }

    /// Returns the time of that byte, and the first byte for which it does not hold any more.
    fn of(&self, offset: u64) -> (Timestamp, u64) {
        match self.around(offset) {
            (Some((from, begun)), Some((to, ended))) => {
                let took = ended.since(begun);
                if took > IDLE_GAP {
                    return (ended, to);
                }
                let steps = (took.0 / STEP.0).max(1);
                let (done, many) = (offset - from, to - from);
                let step = ((done + 1) * steps).div_ceil(many);
                let until = from + many * step / steps;
                (begun + Span(took.0 * step / steps), until.max(offset + 1))
            }
            (None, Some((to, at))) => (at, to),
            (Some((_, at)), None) => (at, u64::MAX),
            (None, None) => (Timestamp::default(), u64::MAX),
        }
    }
}

struct CastWriter<'a> {
    begun: Timestamp,
    latest: Timestamp,
    /// Sizes that are still to come: the first byte each holds for, and its time.
    sizes: std::collections::VecDeque<(u64, Timestamp, PaneSize)>,
    /// The beginning of a character whose end is still to come.
    partial_char: Vec<u8>,
    emit: &'a mut dyn FnMut(&str),
}

impl<'a> CastWriter<'a> {
    fn begin(
        title: &str,
        notes: &[IndexEntry],
        (first, begun): TimeMark,
        emit: &'a mut dyn FnMut(&str),
    ) -> CastWriter<'a> {
        let mut sizes: std::collections::VecDeque<_> = notes
            .iter()
            .filter_map(|note| match note {
                IndexEntry::Size { size, offset, at } => Some((*offset, *at, *size)),
                _ => None,
            })
            .collect();
        let mut size = DEFAULT_SIZE;
        while let Some((_, _, earlier)) = sizes.pop_front_if(|(from, ..)| *from <= first) {
            size = earlier;
        }
        let head = serde_json::json!({
            "version": 2,
            "width": size.cols,
            "height": size.rows,
            "timestamp": begun.0 / 1000,
            "title": title,
        });
        emit(&head.to_string());
        CastWriter {
            begun,
            latest: begun,
            sizes,
            partial_char: Vec::new(),
            emit,
        }
    }

    /// Emits output; its first byte has this offset.
    fn output(&mut self, times: &OutputTimes, mut offset: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.resized(offset);
            let (at, until) = times.of(offset);
            let many = usize::try_from(until - offset).unwrap_or(usize::MAX);
            let (piece, rest) = bytes.split_at(many.min(bytes.len()));
            let text = self.text(piece);
            self.event(at, "o", &text);
            offset += piece.len() as u64;
            bytes = rest;
        }
    }

    /// Emits the sizes that hold from that byte on.
    fn resized(&mut self, offset: u64) {
        while let Some((_, at, size)) = self.sizes.pop_front_if(|(from, ..)| *from <= offset) {
            self.event(at, "r", &format!("{}x{}", size.cols, size.rows));
        }
    }

    fn end(&mut self) {
        let torn = String::from_utf8_lossy(&std::mem::take(&mut self.partial_char)).into_owned();
        self.event(self.latest, "o", &torn);
        self.resized(u64::MAX);
    }

    fn event(&mut self, at: Timestamp, kind: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.latest = self.latest.max(at);
        let since = self.latest.since(self.begun).0;
        let text = serde_json::Value::from(text);
        (self.emit)(&format!(
            "[{}.{:03}, \"{kind}\", {text}]",
            since / 1000,
            since % 1000
        ));
    }

    /// Returns these bytes as text; an incomplete character waits for the next ones.
    fn text(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.partial_char);
        all.extend_from_slice(bytes);
        let end = all.len().saturating_sub(3);
        let torn = (end..all.len()).find(|at| {
            let rest = all.get(*at..).unwrap_or_default();
            std::str::from_utf8(rest)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        });
        if let Some(torn) = torn {
            self.partial_char = all.split_off(torn);
        }
        String::from_utf8_lossy(&all).into_owned()
    }
}

#[cfg(test)]
mod tests;
