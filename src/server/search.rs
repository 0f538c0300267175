//! Looks for words in what all terminals have shown, in the logs their holders wrote: step by step, so that what was found so
//! far is seen at once and a search that nobody waits for any more simply goes no further. A step blocks: call it from a
//! blocking thread.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;

use memchr::memmem::Finder;

use self::plain_text::PlainTextParser;
use crate::adapters::holder::{HolderError, IndexEntry, LogChunk, LogReader};
use crate::adapters::store::SqliteStore;
use crate::domain::{AttemptId, Timestamp};
use crate::server::records::Records;
use crate::server::screens::holder_of;
use crate::term::sanitize;
use crate::ui::{ScreenId, TerminalMatch, TerminalMatches, TerminalSearch};

mod plain_text;

/// Bytes of logs that are read in one step; then what was found is shown.
const BYTES_PER_STEP: u64 = 16 * 1024 * 1024;
const CHUNK: usize = 256 * 1024;
/// Most lines of one terminal that are listed; older ones are counted.
const MAX_LINES_PER_TERMINAL: usize = 40;
/// Most lines of all; from then on lines are counted only.
const MAX_LINES: usize = 400;
/// Most letters of a line that are kept, those around the words.
const MAX_LINE_CHARS: usize = 300;

/// A running search in everything that the session's terminals have shown.
#[derive(Debug)]
pub(super) struct HistorySearch {
    pattern: SearchPattern,
    waiting: VecDeque<SearchedLog>,
    current: Option<LogSearch>,
    found: TerminalSearch,
    listed: usize,
}

/// Terminal, name and folder of a log to be searched.
#[derive(Debug)]
struct SearchedLog {
    screen: ScreenId,
    name: String,
    folder: PathBuf,
}

/// Search of one log, with the position and the matches so far.
struct LogSearch {
    place: SearchedLog,
    log: LogReader,
    offset: u64,
    plain: PlainTextParser,
    /// Until which byte had been written when; the first not passed yet is the first.
    marks: VecDeque<(u64, Timestamp)>,
    at: Timestamp,
    lines: FoundLines,
}

impl std::fmt::Debug for LogSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogSearch")
            .field("place", &self.place)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

/// Whether a search has more to read or is finished.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchProgress {
    More,
    Finished,
}

impl HistorySearch {
    /// Looks for those words in what all terminals have shown; these shells run.
    pub(super) fn start(records: &Records, running: &[u64], words: &str) -> HistorySearch {
        HistorySearch::of(searchable_logs(records, running), words)
    }

    fn of(places: Vec<SearchedLog>, words: &str) -> HistorySearch {
        HistorySearch {
            pattern: SearchPattern::new(words),
            found: TerminalSearch {
                total: places.len(),
                ..TerminalSearch::default()
            },
            waiting: places.into(),
            current: None,
            listed: 0,
        }
    }

    pub(super) fn found(&self) -> TerminalSearch {
        self.found.clone()
    }

    pub(super) fn step(&mut self) -> SearchProgress {
        let mut left = BYTES_PER_STEP;
        while left > 0 {
            let Some(mut reading) = self.next_log() else {
                return SearchProgress::Finished;
            };
            match reading.read(&self.pattern) {
                Ok(Some(bytes)) => {
                    left = left.saturating_sub(bytes);
                    self.current = Some(reading);
                }
                Ok(None) => self.add_matches(reading),
                Err(error) => {
                    tracing::warn!("could not {error}");
                    self.found.unreadable += 1;
                    self.add_matches(reading);
                }
            }
        }
        SearchProgress::More
    }

    /// The log that is being read, or the next one.
    fn next_log(&mut self) -> Option<LogSearch> {
        if let Some(reading) = self.current.take() {
            return Some(reading);
        }
        loop {
            let place = self.waiting.pop_front()?;
            match LogSearch::begin(place) {
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
    fn add_matches(&mut self, mut reading: LogSearch) {
        reading.end(&self.pattern);
        self.found.searched += 1;
        let (mut lines, mut left_out) = reading.lines.newest_first();
        let room = MAX_LINES.saturating_sub(self.listed);
        left_out += lines.len().saturating_sub(room);
        lines.truncate(room);
        self.listed += lines.len();
        if !lines.is_empty() || left_out > 0 {
            self.found.terminals.push(TerminalMatches {
                screen: reading.place.screen,
                name: reading.place.name,
                lines,
                left_out,
            });
        }
    }
}

impl LogSearch {
    fn begin(place: SearchedLog) -> Result<LogSearch, HolderError> {
        let log = LogReader::open(&place.folder)?;
        let marks: VecDeque<(u64, Timestamp)> = log.index_entries()?.iter().filter_map(mark).collect();
        let at = marks.front().map_or(Timestamp::default(), |(_, at)| *at);
        Ok(LogSearch {
            place,
            log,
            offset: 0,
            plain: PlainTextParser::default(),
            marks,
            at,
            lines: FoundLines::default(),
        })
    }

    /// Reads a piece; answers how many bytes, or nothing at the end.
    fn read(&mut self, words: &SearchPattern) -> Result<Option<u64>, HolderError> {
        match self.log.read_from(self.offset, CHUNK)? {
            LogChunk::Bytes { offset, bytes } => {
                let (marks, at, lines) = (&mut self.marks, &mut self.at, &mut self.lines);
                self.plain.feed(&bytes, &mut |line, taken| {
                    if words.matches(line) {
                        let end = offset + u64::try_from(taken).unwrap_or(0);
                        pass(marks, at, end);
                        lines.put(words.excerpt(line), *at);
                    }
                });
                let many = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                self.offset = offset + many;
                Ok(Some(many))
            }
            LogChunk::Gap { to, .. } => {
                self.offset = to;
                Ok(Some(1))
            }
            LogChunk::End => Ok(None),
        }
    }

    fn end(&mut self, words: &SearchPattern) {
        let (marks, at, lines, offset) = (&mut self.marks, &mut self.at, &mut self.lines, self.offset);
        self.plain.finish(&mut |line, _| {
            if words.matches(line) {
                pass(marks, at, offset);
                lines.put(words.excerpt(line), *at);
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

fn mark(note: &IndexEntry) -> Option<(u64, Timestamp)> {
    match note {
        IndexEntry::Segment { start, at, .. } => Some((*start, *at)),
        IndexEntry::Mark { offset, at } | IndexEntry::Size { offset, at, .. } => Some((*offset, *at)),
        IndexEntry::Format { .. } | IndexEntry::Incomplete { .. } | IndexEntry::Dropped { .. } => None,
    }
}

/// The text that is searched for, with case ignored unless it has capitals. Without capitals they are found in both.
#[derive(Debug)]
enum SearchPattern {
    Exact(Finder<'static>),
    Folded(Finder<'static>, usize),
    Unicode(String),
}

impl SearchPattern {
    fn new(words: &str) -> SearchPattern {
        if words.chars().any(char::is_uppercase) {
            SearchPattern::Exact(Finder::new(words).into_owned())
        } else if words.is_ascii() {
            SearchPattern::Folded(Finder::new(words).into_owned(), words.len())
        } else {
            SearchPattern::Unicode(words.to_lowercase())
        }
    }

    fn matches(&self, line: &[u8]) -> bool {
        self.first(line).is_some()
    }

    /// The byte at which they occur first; about where, when letters are longer in lower case.
    fn first(&self, line: &[u8]) -> Option<usize> {
        match self {
            SearchPattern::Exact(words) => words.find(line),
            SearchPattern::Folded(words, least) if line.len() >= *least => {
                words.find(&line.to_ascii_lowercase())
            }
            SearchPattern::Folded(..) => None,
            SearchPattern::Unicode(words) => String::from_utf8_lossy(line).to_lowercase().find(words),
        }
    }

    /// The line as it is shown: what surrounds the words, nothing that steers a terminal.
    fn excerpt(&self, line: &[u8]) -> String {
        let from = self.first(line).unwrap_or(0).saturating_sub(MAX_LINE_CHARS / 2);
        let part = line.get(from..).unwrap_or_default();
        let text = String::from_utf8_lossy(part).replace('\t', " ");
        // A cut may have torn a letter apart.
        let text = text.trim_start_matches('\u{fffd}').trim();
        sanitize(text).chars().take(MAX_LINE_CHARS).collect()
    }
}

/// Matching lines of one terminal, each once, newest kept.
#[derive(Debug, Default)]
struct FoundLines {
    by_age: BTreeMap<u64, TerminalMatch>,
    ages: HashMap<String, u64>,
    next: u64,
    left_out: usize,
}

impl FoundLines {
    fn put(&mut self, text: String, at: Timestamp) {
        let turn = self.ages.insert(text.clone(), self.next);
        let before = turn.and_then(|turn| self.by_age.remove(&turn));
        let times = before.map_or(0, |before| before.count);
        let times = times.saturating_add(1);
        self.by_age.insert(
            self.next,
            TerminalMatch {
                at,
                text,
                count: times,
            },
        );
        self.next += 1;
        if self.by_age.len() > MAX_LINES_PER_TERMINAL
            && let Some((_, oldest)) = self.by_age.pop_first()
        {
            self.ages.remove(&oldest.text);
            self.left_out += 1;
        }
    }

    fn newest_first(self) -> (Vec<TerminalMatch>, usize) {
        (self.by_age.into_values().rev().collect(), self.left_out)
    }
}

/// The terminals of a session: conductor, shells, then the agents there are logs of, the newest first, then ended shells.
fn searchable_logs(records: &Records, running: &[u64]) -> Vec<SearchedLog> {
    let place = |screen, name| SearchedLog {
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
    let mut agents: Vec<AttemptId> = attempts_with_logs(records);
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

fn attempts_with_logs(records: &Records) -> Vec<AttemptId> {
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
