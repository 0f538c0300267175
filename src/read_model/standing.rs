//! Standing of a task, or activity of an agent, in words: the same on the screen, on the command line and in data for programs.

use serde::Serialize;

use crate::domain::Timestamp;

/// The states of tasks and agents that views tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DisplayStatus {
    Backlog,
    /// Waits for a slot.
    Queued,
    Waiting,
    Starting,
    Running,
    /// Alive, but silent.
    Quiet,
    /// An agent between two turns.
    Idle,
    /// A person must act.
    NeedsYou,
    /// Stuck until a person acts.
    Held,
    Gate,
    /// Will be tried again.
    Retry,
    Paused,
    /// Nothing certain is known.
    Unsure,
    /// Kept from starting by a setting, or by its plan.
    Hindered,
    Failed,
    Skipped,
    Done,
}

/// Standing of a task or an attempt: a word, the reason, and the command for the next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    #[serde(skip)]
    pub mark: DisplayStatus,
    /// A few words, such as `held` or `retry in 7s`.
    pub word: String,
    /// Fewer words for the same, if there is little room.
    #[serde(skip)]
    pub short: Option<&'static str>,
    /// Reason, if there is more to say than the word; it may have several lines.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Command for the next step, and its effect.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub way: String,
    #[serde(skip)]
    pub since: Timestamp,
}

impl Standing {
    /// Creates a standing since that time, whose word says everything.
    pub(super) fn new(mark: DisplayStatus, word: impl Into<String>, since: Timestamp) -> Standing {
        Standing {
            mark,
            word: word.into(),
            short: None,
            reason: String::new(),
            way: String::new(),
            since,
        }
    }

    #[must_use]
    pub(super) fn because(self, reason: impl Into<String>) -> Standing {
        let reason = reason.into();
        Standing { reason, ..self }
    }

    #[must_use]
    pub(super) fn way(self, way: impl Into<String>) -> Standing {
        let way = way.into();
        Standing { way, ..self }
    }

    /// State and reason in one line.
    pub fn line(&self) -> String {
        self.joined(self.reason.lines().next().unwrap_or_default())
    }

    /// State and reason in full, and the command that leads on.
    pub fn sentence(&self) -> String {
        let mut sentence = self.joined(&self.reason);
        if !self.way.is_empty() {
            sentence.extend(["; ", &self.way]);
        }
        sentence
    }

    fn joined(&self, reason: &str) -> String {
        let between = match self.mark {
            _ if reason.is_empty() => "",
            DisplayStatus::Retry => ", after: ",
            DisplayStatus::Waiting => "; ",
            _ => ": ",
        };
        format!("{}{between}{reason}", self.word)
    }
}
