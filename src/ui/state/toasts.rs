//! Toasts: short messages that disappear by themselves and stand in the log afterwards. Data and its rules; drawn elsewhere.

use super::UiState;
use crate::domain::{NoticeLevel, Span, Timestamp};

/// A short message on the screen that disappears by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub level: NoticeLevel,
    pub text: String,
    pub at: Timestamp,
    /// How often it came in a row.
    pub(crate) times: u32,
}

/// How long a toast stays.
pub(crate) const TOAST_MILLIS: u64 = 6_000;

/// The same toast again within that time is counted, not shown twice (A11).
pub(crate) const TOGETHER: Span = Span::seconds(5);

/// Toasts that wait to be logged; older ones go first.
const MOST_UNLOGGED: usize = 100;

/// Toasts shown at a time; older ones go first.
pub(crate) const MOST_TOASTS: usize = 3;

impl UiState {
    /// Shows a toast: the answer to a command, an event.
    pub fn show_toast(&mut self, now: Timestamp, level: NoticeLevel, text: impl Into<String>) {
        let text = text.into();
        self.toasts.retain(|toast| toast.is_visible(now));
        if let Some(last) = self
            .toasts
            .last_mut()
            .filter(|last| (last.level, &last.text) == (level, &text) && now.since(last.at) < TOGETHER)
        {
            last.times = last.times.saturating_add(1);
            last.at = now;
            return;
        }
        let toast = Toast {
            level,
            text,
            at: now,
            times: 1,
        };
        self.unlogged.push(toast.clone());
        if self.unlogged.len() > MOST_UNLOGGED {
            self.unlogged.remove(0);
        }
        self.toasts.push(toast);
        if self.toasts.len() > MOST_TOASTS {
            self.toasts.remove(0);
        }
    }

    /// The toasts since the last call, for the log; what the board did stands there already.
    pub fn take_messages(&mut self) -> Vec<Toast> {
        let mut messages = std::mem::take(&mut self.unlogged);
        messages.retain(|message| message.level != NoticeLevel::Success);
        messages
    }
}

impl Toast {
    pub(crate) fn is_visible(&self, now: Timestamp) -> bool {
        now.apart(self.at).0 < TOAST_MILLIS
    }
}
