//! Recent notices: a bounded ring that any number of readers follow by position.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::domain::{Notice, Timestamp};
use crate::read_model::LogLine;

/// Lines kept in memory; older ones are in the store.
const CAPACITY: usize = 5_000;

/// A bounded ring of recent notices that any number of readers follow by position. Cheap to clone; all clones are the same ring.
#[derive(Debug, Clone)]
pub struct Journal {
    ring: Arc<Mutex<VecDeque<Arc<LogLine>>>>,
    last: watch::Sender<u64>,
}

impl Default for Journal {
    fn default() -> Self {
        Journal {
            ring: Arc::default(),
            last: watch::Sender::new(0),
        }
    }
}

impl Journal {
    /// Adds a line; positions begin at 1 and have no gaps. A full ring forgets its oldest.
    pub fn add(&self, at: Timestamp, notice: Notice) {
        let seq = {
            let mut ring = self.ring.lock();
            let seq = ring.back().map_or(1, |line| line.seq + 1);
            if ring.len() == CAPACITY {
                ring.pop_front();
            }
            ring.push_back(Arc::new(LogLine { seq, at, notice }));
            seq
        };
        self.last.send_replace(seq);
    }

    /// Lines after position `seq`, oldest first.
    pub fn after(&self, seq: u64) -> Vec<Arc<LogLine>> {
        let ring = self.ring.lock();
        let first = ring.front().map_or(1, |line| line.seq);
        let skip = usize::try_from((seq + 1).saturating_sub(first)).unwrap_or(usize::MAX);
        ring.iter().skip(skip).cloned().collect()
    }

    /// Position of the last line; 0 before the first.
    pub fn last(&self) -> u64 {
        *self.last.borrow()
    }

    /// Changes whenever a line is added; its value is the last position.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::NoticeLevel;

    fn notice(text: &str) -> Notice {
        Notice {
            level: NoticeLevel::Info,
            kind: "spawn".into(),
            task: None,
            attempt: None,
            text: text.into(),
        }
    }

    #[test]
    fn a_reader_gets_every_line_after_its_position_once() {
        let journal = Journal::default();
        for n in 0..3 {
            journal.add(Timestamp(n), notice(&n.to_string()));
        }
        let seqs: Vec<u64> = journal.after(1).iter().map(|line| line.seq).collect();
        assert_eq!(seqs, [2, 3]);
        assert!(journal.after(3).is_empty());
    }

    #[test]
    fn a_full_ring_forgets_its_oldest_line() {
        let journal = Journal::default();
        for n in 0..=CAPACITY {
            journal.add(Timestamp(0), notice(&n.to_string()));
        }
        let all = journal.after(0);
        assert_eq!(all.len(), CAPACITY);
        assert_eq!(all.first().map(|line| line.seq), Some(2));
    }
}
