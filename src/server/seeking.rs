//! Looks for words in what all terminals have shown, in the logs their holders wrote: step by step, so that what was found so
//! far is seen at once and a search that nobody waits for any more simply goes no further. A step blocks: call it from a
//! blocking thread.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;

use memchr::memmem::Finder;

use self::plain::Plain;
use crate::adapters::holder::{Chunk, HolderError, LogReader, Note};
use crate::adapters::store::SqliteStore;
use crate::domain::{AttemptId, Timestamp};
use crate::server::records::Records;
use crate::server::screens::holder_of;
use crate::term::sanitize;
use crate::ui::{Occurrence, Occurrences, OccurrencesIn, ScreenId};

mod plain;

/// Bytes of logs that are read in one step; then what was found is shown.
const STEP: u64 = 16 * 1024 * 1024;
/// Bytes read at a time.
const PIECE: usize = 256 * 1024;
/// Most lines of one terminal that are listed; older ones are counted.
const MOST_IN_ONE: usize = 40;
/// Most lines of all; from then on lines are counted only.
const MOST: usize = 400;
/// Most letters of a line that are kept, those around the words.
const LONGEST: usize = 300;

/// A search under way.
#[derive(Debug)]
pub(super) struct Search {
    words: Words,
    waiting: VecDeque<Place>,
    now: Option<Reading>,
    found: Occurrences,
    listed: usize,
}

/// A log that is to be searched.
#[derive(Debug)]
struct Place {
    screen: ScreenId,
    name: String,
    folder: PathBuf,
}

/// A log that is being searched.
struct Reading {
    place: Place,
    log: LogReader,
    offset: u64,
    plain: Plain,
    /// Until which byte had been written when; the first not passed yet is the first.
    marks: VecDeque<(u64, Timestamp)>,
    at: Timestamp,
    lines: Lines,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading")
            .field("place", &self.place)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

/// How far a search has come.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// There is more to be read.
    On,
    /// Everything was read.
    ToItsEnd,
}

impl Search {
    /// Looks for those words in what all terminals have shown; these shells run.
    pub(super) fn begin(records: &Records, running: &[u64], words: &str) -> Search {
        Search::of(places(records, running), words)
    }

    fn of(places: Vec<Place>, words: &str) -> Search {
        Search {
            words: Words::new(words),
            found: Occurrences {
                all: places.len(),
                ..Occurrences::default()
            },
            waiting: places.into(),
            now: None,
            listed: 0,
        }
    }

    /// What was found so far.
    pub(super) fn found(&self) -> Occurrences {
        self.found.clone()
    }

    /// Reads on for a while.
    pub(super) fn step(&mut self) -> Came {
        let mut left = STEP;
        while left > 0 {
            let Some(mut reading) = self.take() else {
                return Came::ToItsEnd;
            };
            match reading.read(&self.words) {
                Ok(Some(bytes)) => {
                    left = left.saturating_sub(bytes);
                    self.now = Some(reading);
                }
                Ok(None) => self.keep(reading),
                Err(error) => {
                    tracing::warn!("could not {error}");
                    self.found.unreadable += 1;
                    self.keep(reading);
                }
            }
        }
        Came::On
    }

    /// The log that is being read, or the next one.
    fn take(&mut self) -> Option<Reading> {
        if let Some(reading) = self.now.take() {
            return Some(reading);
        }
        loop {
            let place = self.waiting.pop_front()?;
            match Reading::begin(place) {
                Ok(reading) => return Some(reading),
                Err(error) => {
                    tracing::warn!("could not {error}");
                    self.found.unreadable += 1;
                    self.found.searched += 1;
                }
            }
        }
    }

    /// Puts what one log held among the others.
    fn keep(&mut self, mut reading: Reading) {
        reading.end(&self.words);
        self.found.searched += 1;
        let (mut lines, mut left_out) = reading.lines.newest_first();
        let room = MOST.saturating_sub(self.listed);
        left_out += lines.len().saturating_sub(room);
        lines.truncate(room);
        self.listed += lines.len();
        if !lines.is_empty() || left_out > 0 {
            self.found.of.push(OccurrencesIn {
                screen: reading.place.screen,
                name: reading.place.name,
                lines,
                left_out,
            });
        }
    }
}

impl Reading {
    fn begin(place: Place) -> Result<Reading, HolderError> {
        let log = LogReader::open(&place.folder)?;
        let marks: VecDeque<(u64, Timestamp)> = log.notes()?.iter().filter_map(mark).collect();
        let at = marks.front().map_or(Timestamp::default(), |(_, at)| *at);
        Ok(Reading {
            place,
            log,
            offset: 0,
            plain: Plain::default(),
            marks,
            at,
            lines: Lines::default(),
        })
    }

    /// Reads a piece; answers how many bytes, or nothing at the end.
    fn read(&mut self, words: &Words) -> Result<Option<u64>, HolderError> {
        match self.log.read_from(self.offset, PIECE)? {
            Chunk::Bytes { offset, bytes } => {
                let (marks, at, lines) = (&mut self.marks, &mut self.at, &mut self.lines);
                self.plain.feed(&bytes, &mut |line, taken| {
                    if words.occur_in(line) {
                        let end = offset + u64::try_from(taken).unwrap_or(0);
                        pass(marks, at, end);
                        lines.put(words.shown(line), *at);
                    }
                });
                let many = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                self.offset = offset + many;
                Ok(Some(many))
            }
            Chunk::Gap { to, .. } => {
                self.offset = to;
                Ok(Some(1))
            }
            Chunk::End => Ok(None),
        }
    }

    fn end(&mut self, words: &Words) {
        let (marks, at, lines, offset) = (&mut self.marks, &mut self.at, &mut self.lines, self.offset);
        self.plain.finish(&mut |line, _| {
            if words.occur_in(line) {
                pass(marks, at, offset);
                lines.put(words.shown(line), *at);
            }
        });
    }
}

/// The time of a byte: that of the last mark before it.
fn pass(marks: &mut VecDeque<(u64, Timestamp)>, at: &mut Timestamp, byte: u64) {
    while let Some((_, time)) = marks.pop_front_if(|(offset, _)| *offset < byte) {
        *at = time;
    }
}

fn mark(note: &Note) -> Option<(u64, Timestamp)> {
    match note {
        Note::Segment { start, at, .. } => Some((*start, *at)),
        Note::Mark { offset, at } | Note::Size { offset, at, .. } => Some((*offset, *at)),
        Note::Format { .. } | Note::Incomplete { .. } | Note::Dropped { .. } => None,
    }
}

/// Words that are looked for. Without capitals they are found in both.
#[derive(Debug)]
enum Words {
    Exact(Finder<'static>),
    /// Letters of ASCII in lower case.
    Folded(Finder<'static>, usize),
    /// In lower case.
    Unicode(String),
}

impl Words {
    fn new(words: &str) -> Words {
        if words.chars().any(char::is_uppercase) {
            Words::Exact(Finder::new(words).into_owned())
        } else if words.is_ascii() {
            Words::Folded(Finder::new(words).into_owned(), words.len())
        } else {
            Words::Unicode(words.to_lowercase())
        }
    }

    fn occur_in(&self, line: &[u8]) -> bool {
        self.first(line).is_some()
    }

    /// The byte at which they occur first; about where, when letters are longer in lower case.
    fn first(&self, line: &[u8]) -> Option<usize> {
        match self {
            Words::Exact(words) => words.find(line),
            Words::Folded(words, least) if line.len() >= *least => words.find(&line.to_ascii_lowercase()),
            Words::Folded(..) => None,
            Words::Unicode(words) => String::from_utf8_lossy(line).to_lowercase().find(words),
        }
    }

    /// The line as it is shown: what surrounds the words, nothing that steers a terminal.
    fn shown(&self, line: &[u8]) -> String {
        let from = self.first(line).unwrap_or(0).saturating_sub(LONGEST / 2);
        let part = line.get(from..).unwrap_or_default();
        let text = String::from_utf8_lossy(part).replace('\t', " ");
        // A cut may have torn a letter apart.
        let text = text.trim_start_matches('\u{fffd}').trim();
        sanitize(text).chars().take(LONGEST).collect()
    }
}

/// Lines of one terminal: each once, those written last are kept.
#[derive(Debug, Default)]
struct Lines {
    by_turn: BTreeMap<u64, Occurrence>,
    turns: HashMap<String, u64>,
    next: u64,
    left_out: usize,
}

impl Lines {
    fn put(&mut self, text: String, at: Timestamp) {
        let turn = self.turns.insert(text.clone(), self.next);
        let before = turn.and_then(|turn| self.by_turn.remove(&turn));
        let times = before.map_or(0, |before| before.times);
        let times = times.saturating_add(1);
        self.by_turn.insert(self.next, Occurrence { at, text, times });
        self.next += 1;
        if self.by_turn.len() > MOST_IN_ONE
            && let Some((_, oldest)) = self.by_turn.pop_first()
        {
            self.turns.remove(&oldest.text);
            self.left_out += 1;
        }
    }

    fn newest_first(self) -> (Vec<Occurrence>, usize) {
        (self.by_turn.into_values().rev().collect(), self.left_out)
    }
}

/// The terminals of a session: conductor, shells, then the agents there are logs of, the newest first, then ended shells.
fn places(records: &Records, running: &[u64]) -> Vec<Place> {
    let place = |screen, name| Place {
        screen,
        name,
        folder: records.folder(&holder_of(screen)),
    };
    let mut places = vec![place(ScreenId::Conductor, "Conductor".to_owned())];
    places.extend(
        running
            .iter()
            .map(|number| place(ScreenId::Shell(*number), format!("Shell {number}"))),
    );
    let names = names(records);
    let mut agents: Vec<AttemptId> = logged(records);
    agents.sort_unstable();
    places.extend(agents.into_iter().rev().map(|id| {
        let name = names.get(&id).cloned();
        place(
            ScreenId::Attempt(id),
            name.unwrap_or_else(|| format!("attempt {id}")),
        )
    }));
    // What an ended shell has shown is there as long as its log is.
    let mut ended = kept_shells(records);
    ended.retain(|number| !running.contains(number));
    places.extend(
        ended
            .into_iter()
            .map(|number| place(ScreenId::Shell(number), format!("Shell {number}, ended"))),
    );
    places.retain(|place| place.folder.is_dir());
    places
}

/// Shells that have a folder, the newest first.
fn kept_shells(records: &Records) -> Vec<u64> {
    let mut numbers: Vec<u64> = records
        .names()
        .iter()
        .filter_map(|name| name.strip_prefix("shell-")?.parse().ok())
        .collect();
    numbers.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
    numbers
}

/// Attempts that have a folder.
fn logged(records: &Records) -> Vec<AttemptId> {
    let names = records.names();
    names
        .iter()
        .filter_map(|name| name.parse().ok().map(AttemptId))
        .collect()
}

/// Task and agent of every attempt there ever was.
fn names(records: &Records) -> HashMap<AttemptId, String> {
    let attempts = SqliteStore::open_reader(&records.store)
        .and_then(|reader| reader.attempts(AttemptId(0)))
        .unwrap_or_default();
    let name = |attempt: &crate::domain::Attempt| format!("{} {}", attempt.task, attempt.worker.name());
    attempts
        .iter()
        .map(|attempt| (attempt.id, name(attempt)))
        .collect()
}

#[cfg(test)]
mod tests;
