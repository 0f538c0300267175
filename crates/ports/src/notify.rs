//! Notifications for a person who may not be at any screen.

use dbs_domain::{AttemptId, BatchId, NoticeLevel, TaskId, Timestamp};

/// A message to a person who is at no screen, with everything that needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Id, equal for equal items: a receiver that gets the notification twice can detect it.
    pub id: String,
    pub project: String,
    pub at: Timestamp,
    /// Urgency of the notification (P52).
    pub level: NoticeLevel,
    /// Text of one line, which may hold words of an agent; nothing in it acts on a terminal.
    pub text: String,
    /// Text without any word of an agent, for channels outside.
    pub redacted_text: String,
    /// Things the notification is about; at most as many as there are tasks and runs.
    pub items: Vec<NotificationItem>,
}

/// Thing that a notification is about, such as a question or a finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationItem {
    /// Kind in one word: `question`, `permission`, `approval`, `gate`, `merge`, `held`, `failed`, `run`.
    pub kind: &'static str,
    pub task: Option<TaskId>,
    pub attempt: Option<AttemptId>,
    pub run: Option<(BatchId, String)>,
}

/// Error of a delivery; holds no secret and reads after "could not".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotifyError {
    /// Failure that may not occur again a little later.
    #[error("{0}")]
    Temporary(String),
    #[error("{0}")]
    Permanent(String),
}

/// End of a delivery under way: at once or at its own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelOutcome {
    /// Delivery that ends at once: it is worth waiting for.
    Immediate,
    AtTimeLimit,
}

/// Delivers notifications to a person over one channel: a program of theirs or an HTTP POST.
pub trait Notifier: Send + Sync {
    /// Delivers a notification. Blocks, but not for long: each channel has its time limit.
    ///
    /// # Errors
    /// When the person could not be reached.
    fn send(&self, notification: &Notification) -> Result<(), NotifyError>;

    /// Delivers nothing more and cancels a delivery under way if it can: the server ends. May be called at any time, and more than once.
    fn cancel(&self) -> CancelOutcome;
}
