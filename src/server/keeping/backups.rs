//! Times of the backups of the store while the server works: after a task has moved, at most every few minutes (K30, LK-45).

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::adapters::clock;
use crate::adapters::store::{SqliteStore, StoreFiles};
use crate::engine::journal::Journal;

const MIN_INTERVAL: Duration = Duration::from_mins(5);
/// Kinds of notices about a task that changed its stage or came to rest.
const TRIGGER_KINDS: [&str; 13] = [
    "advance",
    "close",
    "reject",
    "loop_blocked",
    "block",
    "empty_branch",
    "empty_branch_blocked",
    "release",
    "move",
    "park",
    "cancel",
    "retry",
    "skip",
];

/// Trigger of backups of the store: after a task has moved, at most every few minutes.
#[derive(Debug)]
pub(in crate::server) struct BackupTrigger {
    journal: Journal,
    changes: watch::Receiver<u64>,
    seen: u64,
    not_before: Instant,
}

impl BackupTrigger {
    /// Creates a trigger that counts from now on; the first move makes a copy at once.
    pub(in crate::server) fn new(journal: Journal) -> BackupTrigger {
        let changes = journal.changes();
        let seen = *changes.borrow();
        BackupTrigger {
            journal,
            changes,
            seen,
            not_before: Instant::now(),
        }
    }

    /// Waits until a copy should be made. May be dropped and called again at any time.
    pub(in crate::server) async fn due(&mut self) {
        loop {
            if let Some(last) = self.last_trigger() {
                tokio::time::sleep_until(self.not_before).await;
                self.seen = last;
                self.not_before = Instant::now() + MIN_INTERVAL;
                return;
            }
            if self.changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// Returns the last line, when a move is among the lines since the last copy.
    fn last_trigger(&mut self) -> Option<u64> {
        self.changes.borrow_and_update();
        let lines = self.journal.after(self.seen);
        let last = lines.last()?.seq;
        if lines
            .iter()
            .any(|line| TRIGGER_KINDS.contains(&line.notice.kind.as_str()))
        {
            return Some(last);
        }
        self.seen = last;
        None
    }
}

/// Makes a copy; work continues without it when that fails.
pub(in crate::server) fn back_up(files: &StoreFiles) {
    match SqliteStore::backup_while_running(files, clock::now()) {
        Ok(path) => tracing::debug!("the board was copied to {}", path.display()),
        Err(error) => tracing::warn!("could not {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{NoticeLevel, Timestamp};
    use crate::read_model::general_notice;

    fn add(journal: &Journal, kind: &str) {
        let notice = general_notice(NoticeLevel::Info, kind, String::new());
        journal.add(Timestamp(0), notice);
    }

    async fn is_due(copies: &mut BackupTrigger) -> bool {
        let due = tokio::time::timeout(Duration::from_millis(50), copies.due());
        due.await.is_ok()
    }

    #[tokio::test]
    async fn a_move_is_copied_at_once_and_the_next_one_only_minutes_later() {
        let journal = Journal::default();
        add(&journal, "advance");
        let mut copies = BackupTrigger::new(journal.clone());
        assert!(!is_due(&mut copies).await, "what was before");
        add(&journal, "progress");
        assert!(!is_due(&mut copies).await, "nothing moved");
        add(&journal, "advance");
        add(&journal, "spawn");
        let before = Instant::now();
        assert!(is_due(&mut copies).await);
        let pause = copies.not_before - before;
        assert!(
            pause >= Duration::from_mins(2),
            "only {pause:?} until the next copy"
        );
        add(&journal, "close");
        for _ in 0..3 {
            assert!(!is_due(&mut copies).await, "too early");
        }
        copies.not_before = Instant::now();
        assert!(is_due(&mut copies).await, "the move was not forgotten");
        assert!(!is_due(&mut copies).await);
    }
}
