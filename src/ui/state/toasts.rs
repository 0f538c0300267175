//! Toasts: short messages that disappear by themselves; those about the work are in the log afterwards. Data and its rules; drawn
//! elsewhere.

use super::UiState;
use crate::domain::{NoticeLevel, Span, Timestamp};

/// A short message on the screen that disappears by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub level: NoticeLevel,
    pub text: String,
    pub at: Timestamp,
    /// Number of times it came in a row.
    pub(crate) times: u32,
}

/// Time that a toast stays, in milliseconds.
pub(crate) const TOAST_MILLIS: u64 = 6_000;

/// Time within which the same toast is counted, not shown twice.
pub(crate) const TOGETHER: Span = Span::seconds(5);

/// Maximum number of toasts that wait to be logged; older ones are dropped first.
const MOST_UNLOGGED: usize = 100;

/// Maximum number of toasts shown at a time; older ones are dropped first.
pub(crate) const MOST_TOASTS: usize = 3;

impl UiState {
    /// Shows a toast that is in the log afterwards: the answer to a command, an event.
    pub fn show_toast(&mut self, now: Timestamp, level: NoticeLevel, text: impl Into<String>) {
        let Some(toast) = self.put_toast(now, level, text.into()) else {
            return;
        };
        self.unlogged.push(toast);
        if self.unlogged.len() > MOST_UNLOGGED {
            self.unlogged.remove(0);
        }
    }

    /// Shows the effect of a key, or the reason why it has none. It is of no interest afterwards.
    pub(crate) fn show_feedback(&mut self, now: Timestamp, level: NoticeLevel, text: impl Into<String>) {
        self.put_toast(now, level, text.into());
    }

    /// Puts a toast on the screen, and returns it if it is another one.
    fn put_toast(&mut self, now: Timestamp, level: NoticeLevel, text: String) -> Option<Toast> {
        self.toasts.retain(|toast| toast.is_visible(now));
        if let Some(last) = self
            .toasts
            .last_mut()
            .filter(|last| (last.level, &last.text) == (level, &text) && now.since(last.at) < TOGETHER)
        {
            last.times = last.times.saturating_add(1);
            last.at = now;
            return None;
        }
        let toast = Toast {
            level,
            text,
            at: now,
            times: 1,
        };
        self.toasts.push(toast.clone());
        if self.toasts.len() > MOST_TOASTS {
            self.toasts.remove(0);
        }
        Some(toast)
    }

    /// Returns the toasts since the last call, for the log; the actions of the board are already there.
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
