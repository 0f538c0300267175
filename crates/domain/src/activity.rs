//! Current activity of an agent as one word, and the source it is known from.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Activity of an agent, the source that reports it, and the time it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    pub doing: ActivityKind,
    /// Source of the report: `exit`, `osc 7501`, `hook`, `title`, `signal`, `started`.
    pub source: String,
    pub since: Timestamp,
}

impl Activity {
    /// Creates an activity that the source reports since the given time.
    pub fn new(doing: ActivityKind, source: &str, since: Timestamp) -> Activity {
        Activity {
            doing,
            source: source.to_owned(),
            since,
        }
    }

    /// Returns true if the activity is known from the agent's tool or its screen, which also show the end of its turns. Signals and answers
    /// do not.
    pub fn is_reported_by_tool(&self) -> bool {
        matches!(
            self.source.as_str(),
            "osc 7501" | "hook" | "stream" | "title" | "screen"
        )
    }

    /// Returns true if a source reported what the agent does. The start of its process, or that it still runs, says nothing of it.
    pub fn is_known(&self) -> bool {
        !matches!(
            (&self.doing, self.source.as_str()),
            (ActivityKind::Working, "started" | "inventory")
        )
    }
}

/// Current activity of an agent, such as working or waiting for a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    Starting,
    Working,
    /// Turn that is over while commands or subagents of the agent still run; the text names them.
    Background(String),
    /// Wait for a permission; the text says for what.
    Permission(String),
    Question(String),
    /// Dialog of the agent's tool that only a person can answer, in the terminal: folder trust, login.
    Dialog(String),
    /// Usage limit that stops the agent, with its end if that is known; the words are its tool's.
    Limit {
        until: Option<Timestamp>,
        why: String,
    },
    /// No valid login of the agent's tool; the tool's words, and how a person logs in.
    NotLoggedIn(String),
    /// Turn that failed, for example because the provider was not reached; the agent waits for the next prompt. The words are its tool's.
    Failed(String),
    /// Error reported by the agent's tool, which waits; the words are the tool's.
    Error(String),
    Idle,
    /// Program that is suspended, as by Ctrl-Z, and does nothing until it is continued.
    Suspended,
    Exited,
    Lost,
}

impl ActivityKind {
    /// Returns true if the agent, or something that it has started, works.
    pub fn is_work(&self) -> bool {
        matches!(self, ActivityKind::Working | ActivityKind::Background(_))
    }

    /// Returns true if the agent's turn is over and it waits for the next prompt.
    pub fn is_between_turns(&self) -> bool {
        matches!(self, ActivityKind::Idle | ActivityKind::Failed(_))
    }

    /// Returns true if a person is needed.
    pub fn needs_person(&self) -> bool {
        matches!(
            self,
            ActivityKind::Permission(_)
                | ActivityKind::Question(_)
                | ActivityKind::Dialog(_)
                | ActivityKind::Error(_)
                | ActivityKind::Suspended
        )
    }
}
