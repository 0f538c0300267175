//! Figures, and the reasons of failed turns, from the records that tools keep of their sessions: lines written since the last read go to
//! the meters and to the known state of the agent. A record only grows; it may be long, and it may contain anything.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use parking_lot::Mutex;

use crate::adapters::agents::LocalAgents;
use crate::adapters::agents::codex::rollout::RecordReader;
use crate::adapters::text_file;
use crate::agent_state::Source;
use crate::domain::{Attempt, AttemptId, Span, Timestamp};
use crate::read_model::ReadModel;
use crate::server::figures::usage::UsageMeters;
use crate::server::terminals::hub::AgentStates;

/// Time between two reads.
const EVERY: Span = Span::seconds(2);
/// Maximum bytes of one record that are read at a time; the next read continues there.
const MOST: u64 = 8 * 1024 * 1024;
/// Times in records are whole seconds.
const SECOND: Span = Span::seconds(1);
/// Bytes that are read at once, and the maximum length of a line that is kept.
const PIECE: usize = 64 * 1024;
const LONGEST_LINE: usize = 1024 * 1024;

/// Positions up to which the record of each agent at work was read.
#[derive(Debug, Default)]
pub(in crate::server) struct SessionFigures(Mutex<Looks>);

#[derive(Debug, Default)]
struct Looks {
    last: Option<Timestamp>,
    records: BTreeMap<AttemptId, RecordTail>,
}

/// The part of a record that was not read yet.
#[derive(Debug)]
struct RecordTail {
    path: PathBuf,
    read: u64,
    /// The beginning of a line whose end was not written yet.
    line: Vec<u8>,
    /// Set when the line is too long; the rest of it is skipped.
    is_too_long: bool,
    reader: RecordReader,
}

impl SessionFigures {
    /// Reads the records of all agents at work, if it is time to, and once more those that have just ended.
    pub(in crate::server) fn look(
        &self,
        agents: &LocalAgents,
        model: &ReadModel,
        meters: &UsageMeters,
        states: &AgentStates,
        now: Timestamp,
    ) {
        let mut looks = self.0.lock();
        if looks
            .last
            .is_some_and(|last| last <= now && now.since(last) < EVERY)
        {
            return;
        }
        looks.last = Some(now);
        let open = model.attempts.values().filter(|attempt| attempt.state.is_open());
        for attempt in open {
            looks.find(agents, attempt);
        }
        let Looks { records, .. } = &mut *looks;
        for (id, tail) in records.iter_mut() {
            if let Some(attempt) = model.attempts.get(id) {
                tail.tell(agents, attempt, meters, states);
            }
        }
        records.retain(|id, _| model.attempts.get(id).is_some_and(|row| row.state.is_open()));
    }

    /// Reads the record of one agent at once, because its turn is over: the agent may be gone before the next read.
    pub(in crate::server) fn look_at(
        &self,
        agents: &LocalAgents,
        attempt: &Attempt,
        meters: &UsageMeters,
        states: &AgentStates,
    ) {
        let mut looks = self.0.lock();
        looks.find(agents, attempt);
        if let Some(tail) = looks.records.get_mut(&attempt.id) {
            tail.tell(agents, attempt, meters, states);
        }
    }
}

impl Looks {
    /// Finds the record of an agent, if that was not found yet.
    fn find(&mut self, agents: &LocalAgents, attempt: &Attempt) {
        if let Some(of) = attempt
            .role_choice()
            .filter(|_| !self.records.contains_key(&attempt.id))
            && let Some(path) = agents.record(of, attempt.id)
        {
            self.records.insert(attempt.id, RecordTail::new(path));
        }
    }
}

impl RecordTail {
    fn new(path: PathBuf) -> RecordTail {
        RecordTail {
            path,
            read: 0,
            line: Vec::new(),
            is_too_long: false,
            reader: RecordReader::default(),
        }
    }

    /// Reports the new lines. Of the state only the last counts, and nothing from before the attempt: it may continue the session of
    /// another.
    fn tell(&mut self, agents: &LocalAgents, attempt: &Attempt, meters: &UsageMeters, states: &AgentStates) {
        let Some(of) = attempt.role_choice() else { return };
        let (mut figures, mut state) = (Vec::new(), None);
        let mut reader = std::mem::take(&mut self.reader);
        let read = self.read_on(|line| {
            let (report, at) = agents.read_record(of, &mut reader, line);
            figures.extend(report.figures.iter().cloned());
            if at.is_some_and(|at| at + SECOND >= attempt.created_at) {
                state = Some(report);
            }
        });
        self.reader = reader;
        match read {
            Ok(is_at_end) => meters.count_all(attempt.id, &figures, is_at_end),
            Err(error) => tracing::debug!("could not read {}: {error}", self.path.display()),
        }
        if let Some(report) = state {
            states.observe(attempt.id, Source::Stream, &report);
        }
    }

    /// Hands over each whole line that was written since. Returns true if that was all there is.
    fn read_on(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut file = text_file::open(&self.path)?;
        let length = file.metadata()?.len();
        if length < self.read {
            // The file was written from its beginning.
            *self = RecordTail::new(self.path.clone());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let end = length.min(self.read + MOST);
        let mut piece = vec![0; PIECE];
        while self.read < end {
            let many = file.read(&mut piece)?;
            if many == 0 {
                break;
            }
            self.read += many as u64;
            self.split(piece.get(..many).unwrap_or_default(), &mut take);
        }
        Ok(self.read >= length)
    }

    fn split(&mut self, piece: &[u8], take: &mut impl FnMut(&[u8])) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = part.ends_with(b"\n");
            if self.line.len() + part.len() > LONGEST_LINE {
                (self.is_too_long, self.line) = (true, Vec::new());
            }
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            if is_whole {
                if !self.is_too_long {
                    take(&self.line);
                }
                self.is_too_long = false;
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;

    use super::*;

    fn lines(tail: &mut RecordTail) -> (Vec<String>, bool) {
        let mut lines = Vec::new();
        let is_at_end = tail.read_on(|line| lines.push(String::from_utf8_lossy(line).trim_end().to_owned()));
        (lines, is_at_end.unwrap())
    }

    fn append(path: &Path, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(bytes).unwrap();
    }

    #[test]
    fn each_line_is_read_once_and_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        append(&path, b"one\ntw");
        let mut tail = RecordTail::new(path.clone());
        assert_eq!(lines(&mut tail), (vec!["one".to_owned()], true));
        append(&path, b"o\nthree\n");
        assert_eq!(
            lines(&mut tail),
            (vec!["two".to_owned(), "three".to_owned()], true)
        );
        assert_eq!(lines(&mut tail), (vec![], true));
        fs::write(&path, "new\n").unwrap();
        assert_eq!(lines(&mut tail), (vec!["new".to_owned()], true));
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_and_a_long_record_takes_several_looks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        append(&path, b"first\n");
        for _ in 0..3 {
            append(&path, &vec![b'x'; 4 * 1024 * 1024]);
        }
        append(&path, b"\nlast\n");
        let mut tail = RecordTail::new(path);
        assert_eq!(lines(&mut tail), (vec!["first".to_owned()], false));
        assert!(
            tail.line.capacity() <= 2 * LONGEST_LINE,
            "{}",
            tail.line.capacity()
        );
        assert_eq!(lines(&mut tail), (vec!["last".to_owned()], true));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_plain_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(RecordTail::new(path).read_on(|_| {}).is_err());
    }
}
