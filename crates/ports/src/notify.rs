//! Notifications for a person who may not be at any screen.

use dbs_domain::{AttemptId, BatchId, NoticeLevel, TaskId, Timestamp};

/// A message to a person who is at no screen, with everything that needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The same for the same things: a receiver that gets it twice can tell.
    pub id: String,
    pub project: String,
    pub at: Timestamp,
    /// How loud it is (P52).
    pub level: NoticeLevel,
    /// One line, which may hold words of an agent; nothing in it acts on a terminal.
    pub text: String,
    /// The same without any word of an agent, for those outside.
    pub redacted_text: String,
    /// What it is about; at most as many as there are tasks and runs.
    pub items: Vec<NotificationItem>,
}

/// One thing a notification is about, such as a question or a finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationItem {
    /// In one word: `question`, `permission`, `approval`, `gate`, `merge`, `held`, `failed`, `run`.
    pub kind: &'static str,
    pub task: Option<TaskId>,
    pub attempt: Option<AttemptId>,
    pub run: Option<(BatchId, String)>,
}

/// Why a notification could not be delivered; holds no secret and reads after "could not".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotifyError {
    /// It may work if it is tried again a little later.
    #[error("{0}")]
    Temporary(String),
    #[error("{0}")]
    Permanent(String),
}

/// Whether a delivery under way ends at once or at its own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// It ends at once: it is worth waiting for.
    Immediate,
    AtTimeLimit,
}

/// Delivers notifications to a person over one channel: a program of theirs or an HTTP POST.
pub trait Notifier: Send + Sync {
    /// Delivers a notification. Blocks, but not for long: each channel has its time limit.
    ///
    /// # Errors
    /// Why they could not be reached.
    fn send(&self, notification: &Notification) -> Result<(), NotifyError>;

    /// Delivers nothing more and cancels a delivery under way if it can: the server ends. May be called at any time, and more
    /// than once.
    fn cancel(&self) -> CancelOutcome;
}
