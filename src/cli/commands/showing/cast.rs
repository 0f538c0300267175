//! What a terminal showed, as a recording that players of asciicast (version 2) understand: a line about it, then a line for every
//! piece of output and every change of size. Reads the log only, nothing is played here.
//!
//! The log knows how large the terminal was at every byte, and when what was written about once a second: what came between two
//! marks is spread evenly between them, and what came after a silence comes at its end.

use std::process::ExitCode;

use crate::adapters::holder::{Chunk, HolderError, LogReader, Note};
use crate::adapters::out;
use crate::cli::commands::Outcome;
use crate::cli::commands::showing::following::say_gone;
use crate::domain::{AttemptId, Span, Timestamp};
use crate::ports::holders::PaneSize;

/// Bytes read at a time.
const PIECE: usize = 64 * 1024;
/// Between two pieces of output that came within one mark and the next.
const STEP: Span = Span(100);
/// Marks farther apart have a silence between them.
const SILENCE: Span = Span::seconds(2);
/// The size where the log does not tell.
const USUAL: PaneSize = PaneSize::cells(120, 40);

/// Prints the recording of an attempt, as far as its log goes.
pub(super) fn print(attempt: AttemptId, mut log: LogReader) -> Outcome {
    let failed = |error: HolderError| format!("could not {error}");
    let notes = log.notes().map_err(failed)?;
    let title = format!("attempt {attempt}");
    let mut gone = |from, to| say_gone(attempt, from, to);
    let mut read = |offset| log.read_from(offset, PIECE);
    record(&title, &notes, &mut read, &mut gone, &mut |line| {
        out::bytes(format!("{line}\n").as_bytes());
    })
    .map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// Tells every line of the recording, and what is missing: from which byte to which.
fn record(
    title: &str,
    notes: &[Note],
    read: &mut dyn FnMut(u64) -> Result<Chunk, HolderError>,
    gone: &mut dyn FnMut(u64, u64),
    tell: &mut dyn FnMut(&str),
) -> Result<(), HolderError> {
    let mut next = read(0)?;
    if let Chunk::Gap { from, to } = next {
        gone(from, to);
        next = read(to)?;
    }
    let first = match &next {
        Chunk::Bytes { offset, .. } => *offset,
        Chunk::Gap { to, .. } => *to,
        Chunk::End => 0,
    };
    let times = Times::among(notes);
    let mut tape = Tape::begin(title, notes, (first, times.begun(first)), tell);
    let mut at = first;
    loop {
        match next {
            Chunk::Bytes { bytes, .. } => {
                tape.written(&times, at, &bytes);
                at += bytes.len() as u64;
            }
            Chunk::Gap { from, to } => {
                gone(from, to);
                at = to;
            }
            Chunk::End => break,
        }
        if out::is_unread() {
            return Ok(());
        }
        next = read(at)?;
    }
    tape.end();
    Ok(())
}

/// So much was written by then.
type Known = (u64, Timestamp);

/// When what was written, as far as the log tells: offsets and times, both growing.
struct Times(Vec<Known>);

impl Times {
    fn among(notes: &[Note]) -> Times {
        let known = notes.iter().filter_map(|note| match note {
            Note::Segment {
                start: offset, at, ..
            }
            | Note::Mark { offset, at }
            | Note::Size { offset, at, .. } => Some((*offset, *at)),
            Note::Format { .. } | Note::Incomplete { .. } | Note::Dropped { .. } => None,
        });
        let mut known: Vec<Known> = known.collect();
        known.sort_by_key(|(offset, _)| *offset);
        // A clock that was set back must not turn the recording round.
        let mut latest = Timestamp::default();
        for (_, at) in &mut known {
            latest = latest.max(*at);
            *at = latest;
        }
        Times(known)
    }

    /// When the recording begins that has this byte first.
    fn begun(&self, offset: u64) -> Timestamp {
        let (before, after) = self.around(offset);
        before.or(after).map_or_else(Timestamp::default, |(_, at)| at)
    }

    /// The last that is known before that byte, and the first behind it.
    fn around(&self, offset: u64) -> (Option<Known>, Option<Known>) {
        let behind = self.0.partition_point(|(known, _)| *known <= offset);
        let before = behind.checked_sub(1).and_then(|before| self.0.get(before));
        (before.copied(), self.0.get(behind).copied())
    }

    /// When that byte came, and up to which one the same holds.
    fn of(&self, offset: u64) -> (Timestamp, u64) {
        match self.around(offset) {
            (Some((from, begun)), Some((to, ended))) => {
                let took = ended.since(begun);
                if took > SILENCE {
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

/// The recording so far.
struct Tape<'a> {
    begun: Timestamp,
    latest: Timestamp,
    /// Sizes that are still to come: from which byte on, since when.
    sizes: std::collections::VecDeque<(u64, Timestamp, PaneSize)>,
    /// The beginning of a character whose end is still to come.
    torn: Vec<u8>,
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Tape<'a> {
    /// Tells the first line.
    fn begin(title: &str, notes: &[Note], (first, begun): Known, tell: &'a mut dyn FnMut(&str)) -> Tape<'a> {
        let mut sizes: std::collections::VecDeque<_> = notes
            .iter()
            .filter_map(|note| match note {
                Note::Size { size, offset, at } => Some((*offset, *at, *size)),
                _ => None,
            })
            .collect();
        let mut size = USUAL;
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
        tell(&head.to_string());
        Tape {
            begun,
            latest: begun,
            sizes,
            torn: Vec::new(),
            tell,
        }
    }

    /// Tells output; its first byte has this offset.
    fn written(&mut self, times: &Times, mut offset: u64, mut bytes: &[u8]) {
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

    /// Tells the sizes that hold from that byte on.
    fn resized(&mut self, offset: u64) {
        while let Some((_, at, size)) = self.sizes.pop_front_if(|(from, ..)| *from <= offset) {
            self.event(at, "r", &format!("{}x{}", size.cols, size.rows));
        }
    }

    /// Tells what is left.
    fn end(&mut self) {
        let torn = String::from_utf8_lossy(&std::mem::take(&mut self.torn)).into_owned();
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
        (self.tell)(&format!(
            "[{}.{:03}, \"{kind}\", {text}]",
            since / 1000,
            since % 1000
        ));
    }

    /// These bytes as text; a character that is not complete waits for the next ones.
    fn text(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.torn);
        all.extend_from_slice(bytes);
        let end = all.len().saturating_sub(3);
        let torn = (end..all.len()).find(|at| {
            let rest = all.get(*at..).unwrap_or_default();
            std::str::from_utf8(rest)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        });
        if let Some(torn) = torn {
            self.torn = all.split_off(torn);
        }
        String::from_utf8_lossy(&all).into_owned()
    }
}

#[cfg(test)]
mod tests;
