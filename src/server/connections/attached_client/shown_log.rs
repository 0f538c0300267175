//! The lines of the log that one client sees: those of the watcher log, and between them the messages that were shown to this
//! person alone.

use crate::engine::journal::Journal;
use crate::read_model::general_notice;
use crate::ui::{LogLine, Toast};

/// Numbers between two lines of the watcher log, for messages shown to one client between them.
const TOASTS_BETWEEN: u64 = 1_000;
/// Maximum number of lines of the watcher log a client keeps.
const MAX_LOG_LINES: usize = 2_000;

/// The log as one client sees it, up to a position in the watcher log.
#[derive(Default)]
pub(super) struct ShownLog {
    lines: Vec<LogLine>,
    position: u64,
}

impl ShownLog {
    /// Creates the log with the present lines of the watcher log, which do not count as new.
    pub(super) fn new(journal: &Journal) -> ShownLog {
        let mut log = ShownLog::default();
        log.read(journal);
        log
    }

    /// Returns the lines, oldest first.
    pub(super) fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    /// Adds the lines written to the watcher log since the last call; returns these lines.
    pub(super) fn read(&mut self, journal: &Journal) -> &[LogLine] {
        let known = self.lines.len();
        for line in journal.after(self.position) {
            self.position = line.seq;
            let mut line = LogLine::clone(&line);
            line.seq *= TOASTS_BETWEEN;
            self.lines.push(line);
        }
        self.lines.get(known..).unwrap_or_default()
    }

    /// Adds messages shown to this person (A11), and drops the oldest lines.
    pub(super) fn add_messages(&mut self, messages: Vec<Toast>) {
        for toast in messages {
            let last = self.lines.last();
            let is_there = last.is_some_and(|line| line.notice.text == toast.text);
            if is_there {
                continue;
            }
            self.lines.push(LogLine {
                seq: last.map_or(1, |line| line.seq + 1),
                at: toast.at,
                notice: general_notice(toast.level, "told", toast.text),
            });
        }
        let surplus = self.lines.len().saturating_sub(MAX_LOG_LINES);
        self.lines.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{NoticeLevel, Timestamp};

    #[test]
    fn what_was_written_before_a_client_attached_is_there_and_no_news_whatever_its_time() {
        let journal = Journal::default();
        let add = |at, text: &str| {
            journal.add(
                Timestamp(at),
                general_notice(NoticeLevel::Info, "settings", text.to_owned()),
            );
        };
        add(9_000, "old");
        let mut log = ShownLog::new(&journal);
        add(1_000, "new, of a clock that was set back");
        let news: Vec<_> = log.read(&journal).iter().map(|line| line.at.0).collect();
        assert_eq!(news, [1_000]);
        assert_eq!(log.lines().len(), 2);
        assert!(log.read(&journal).is_empty());
    }
}
