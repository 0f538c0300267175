//! What an agent does right now, as one word, and how that is known.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// What an agent is doing, the source that says so, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    pub doing: ActivityKind,
    /// From what: `exit`, `osc 7501`, `hook`, `title`, `signal`, `started`.
    pub source: String,
    pub since: Timestamp,
}

impl Activity {
    /// An activity seen by that source since then.
    pub fn new(doing: ActivityKind, source: &str, since: Timestamp) -> Activity {
        Activity {
            doing,
            source: source.to_owned(),
            since,
        }
    }

    /// Whether anything said what the agent does. That its process was started, or still runs, says nothing of it.
    pub fn is_known(&self) -> bool {
        !matches!(
            (&self.doing, self.source.as_str()),
            (ActivityKind::Working, "started" | "inventory")
        )
    }
}

/// What an agent is doing right now, such as working or waiting for a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    Starting,
    Working,
    /// Waits for a permission; the text says for what.
    Permission(String),
    Question(String),
    /// Its tool shows a dialog that only a person can answer, in the terminal: folder trust, login.
    Dialog(String),
    /// A usage limit stops it, until then when that is known; the words are its tool's.
    Limit {
        until: Option<Timestamp>,
        why: String,
    },
    /// Its tool has no valid login; its words, and how a person logs in.
    NotLoggedIn(String),
    /// Its turn failed, as when its provider was not reached, and it waits for the next prompt; the words of its tool.
    Failed(String),
    /// Its tool reported an error and waits; the words are its tool's.
    Error(String),
    Idle,
    Exited,
    Lost,
}

impl ActivityKind {
    /// Whether its turn is over and it waits for the next prompt.
    pub fn is_between_turns(&self) -> bool {
        matches!(self, ActivityKind::Idle | ActivityKind::Failed(_))
    }

    /// Whether a person is needed.
    pub fn needs_person(&self) -> bool {
        matches!(
            self,
            ActivityKind::Permission(_)
                | ActivityKind::Question(_)
                | ActivityKind::Dialog(_)
                | ActivityKind::Error(_)
        )
    }
}
