//! Search of words in the output of all terminals, in the logs their holders wrote: step by step, so that results so far are shown at once
//! and an abandoned search simply does not continue. A step blocks: call it from a blocking thread.

use crate::domain::cut::cut_chars;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::PathBuf;

use memchr::memmem::Finder;

use self::plain_text::PlainTextParser;
use crate::adapters::holder::{HolderError, IndexEntry, LogChunk, LogReader};
use crate::adapters::store::SqliteStore;
use crate::domain::{AttemptId, Timestamp};
use crate::server::terminals::records::Records;
use crate::server::terminals::screens::holder_of;
use crate::term::sanitize;
use crate::ui::{ScreenId, TerminalMatch, TerminalMatches, TerminalSearch};

mod plain_text;

/// Bytes of logs that are read in one step; then the results are shown.
const BYTES_PER_STEP: u64 = 16 * 1024 * 1024;
const CHUNK: usize = 256 * 1024;
/// Maximum number of lines of one terminal that are listed; older ones are counted.
const MAX_LINES_PER_TERMINAL: usize = 40;
/// Maximum number of lines of all; further lines are only counted.
const MAX_LINES: usize = 400;
/// Maximum characters of a line that are kept, those around the words.
const MAX_LINE_CHARS: usize = 300;

/// A running search in everything that the session's terminals have shown.
pub(in crate::server) struct HistorySearch {
    pattern: SearchPattern,
    waiting: VecDeque<SearchedLog>,
    current: Option<LogSearch>,
    found: TerminalSearch,
    listed: usize,
}

/// Terminal, name and folder of a log to be searched.
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
    times: WriteTimes,
    lines: FoundLines,
}

/// Marks of the time at which a log had been written up to a byte; marks that were passed are removed.
struct WriteTimes {
    marks: VecDeque<(Timestamp, u64)>,
    at: Timestamp,
}

/// Progress of a search: there is more to read, or it is finished.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) enum SearchProgress {
    More,
    Finished,
}

impl HistorySearch {
    /// Starts a search of those words in the output of all terminals; these shells run.
    pub(in crate::server) fn start(records: &Records, running: &[u64], words: &str) -> HistorySearch {
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

    pub(in crate::server) fn found(&self) -> TerminalSearch {
        self.found.clone()
    }

    pub(in crate::server) fn step(&mut self) -> SearchProgress {
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

    /// Returns the log that is being read, or the next one.
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

    /// Adds the matches of one log to the others.
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
        let marks: VecDeque<_> = log
            .index_entries()?
            .iter()
            .filter_map(IndexEntry::time_mark)
            .collect();
        let at = marks.front().map_or(Timestamp::default(), |(at, _)| *at);
        Ok(LogSearch {
            place,
            log,
            offset: 0,
            plain: PlainTextParser::default(),
            times: WriteTimes { marks, at },
            lines: FoundLines::default(),
        })
    }

    /// Reads a piece; returns the number of bytes, or nothing at the end.
    fn read(&mut self, words: &SearchPattern) -> Result<Option<u64>, HolderError> {
        match self.log.read_from(self.offset, CHUNK)? {
            LogChunk::Bytes { offset, bytes } => {
                let (times, lines) = (&mut self.times, &mut self.lines);
                self.plain.feed(&bytes, &mut |line, taken| {
                    let end = offset + u64::try_from(taken).unwrap_or(0);
                    lines.put_match(words, line, || times.of(end));
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
        let (times, lines, offset) = (&mut self.times, &mut self.lines, self.offset);
        let mut take = |line: &[u8], _| lines.put_match(words, line, || times.of(offset));
        self.plain.finish(&mut take);
    }
}

impl WriteTimes {
    /// Returns the time of a byte: that of the last mark before it. Bytes are asked for in their order.
    fn of(&mut self, byte: u64) -> Timestamp {
        while let Some((time, _)) = self.marks.pop_front_if(|(_, offset)| *offset < byte) {
            self.at = time;
        }
        self.at
    }
}

/// Text to search, with case ignored unless it has capitals.
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

    /// Returns the byte of the first occurrence; an approximate one, when letters are longer in lower case.
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

    /// Returns the line as it is shown: the text around the words, without control sequences.
    fn excerpt(&self, line: &[u8]) -> String {
        let from = self.first(line).unwrap_or(0).saturating_sub(MAX_LINE_CHARS / 2);
        let part = line.get(from..).unwrap_or_default();
        let text = String::from_utf8_lossy(part).replace('\t', " ");
        // A cut may have torn a letter apart.
        let text = text.trim_start_matches('\u{fffd}').trim();
        cut_chars(&sanitize(text), MAX_LINE_CHARS).to_owned()
    }
}

/// Matching lines of one terminal, each once, newest kept.
#[derive(Default)]
struct FoundLines {
    by_age: BTreeMap<u64, TerminalMatch>,
    ages: HashMap<String, u64>,
    next: u64,
    left_out: usize,
}

impl FoundLines {
    /// Adds a line if it contains the words.
    fn put_match(&mut self, words: &SearchPattern, line: &[u8], at: impl FnOnce() -> Timestamp) {
        if words.first(line).is_some() {
            self.put(words.excerpt(line), at());
        }
    }

    fn put(&mut self, text: String, at: Timestamp) {
        let turn = self.ages.insert(text.clone(), self.next);
        let before = turn.and_then(|turn| self.by_age.remove(&turn));
        let count = before.map_or(1, |before| before.count.saturating_add(1));
        self.by_age.insert(self.next, TerminalMatch { at, text, count });
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

/// Returns the terminals of a session: shells, then the agents with logs, the newest first, then ended shells.
fn searchable_logs(records: &Records, running: &[u64]) -> Vec<SearchedLog> {
    let place = |screen: ScreenId, name: String| SearchedLog {
        screen,
        name,
        folder: records.folder(&holder_of(screen)),
    };
    let folders = records.names();
    let attempts = folders.iter().filter_map(|name| name.parse().ok());
    let mut attempts: Vec<AttemptId> = attempts.map(AttemptId).collect();
    attempts.sort_unstable_by_key(|id| Reverse(*id));
    // The output of an ended shell is there as long as its log is.
    let shells = folders
        .iter()
        .filter_map(|name| name.strip_prefix("shell-")?.parse().ok());
    let mut ended: Vec<u64> = shells.filter(|number| !running.contains(number)).collect();
    ended.sort_unstable_by_key(|number| Reverse(*number));
    let names = names(records);
    let name = |id: &AttemptId| {
        let known = names.get(id).cloned();
        known.unwrap_or_else(|| format!("attempt {id}"))
    };
    let shell = |number: &u64, ended| place(ScreenId::Shell(*number), format!("Shell {number}{ended}"));
    running
        .iter()
        .map(|number| shell(number, ""))
        .chain(attempts.iter().map(|id| place(ScreenId::Attempt(*id), name(id))))
        .chain(ended.iter().map(|number| shell(number, ", ended")))
        .filter(|place| place.folder.is_dir())
        .collect()
}

/// Returns the task and agent of every attempt there ever was.
fn names(records: &Records) -> HashMap<AttemptId, String> {
    let attempts = SqliteStore::open_reader(&records.store)
        .and_then(|reader| reader.map_or_else(|| Ok(Vec::new()), |reader| reader.attempts(AttemptId(0))))
        .unwrap_or_default();
    let name = |attempt: &crate::domain::Attempt| format!("{} {}", attempt.task, attempt.worker.name());
    attempts
        .iter()
        .map(|attempt| (attempt.id, name(attempt)))
        .collect()
}

#[cfg(test)]
mod tests;
