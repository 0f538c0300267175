//! Reason something could not be done or found out: the kind of outside problem, known where it happened, and a text for people. No rule
//! looks into the text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of outside problem that stops work, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    /// A disk is full, or a quota on it is.
    Disk,
    /// No person has trusted what the project's files would start.
    Untrusted,
    /// A setting cannot be used as it is written.
    Settings,
    /// No agent is set, or its program is missing or cannot work (login, a wrong option).
    Agent,
    Network,
    /// Another program works in a repository.
    Lock,
    /// Damage to the files of the board.
    Database,
    /// Final refusal by an outside party, or a need that is known to be missing: asking again changes nothing.
    Refusal,
    /// Nothing can be merged into a base as things are, whatever the task: it is protected, or its commits cannot be signed.
    Base,
    /// Gates of the settings fail on the base itself, so that they say nothing about the work.
    Gates,
    #[default]
    Other,
}

impl TroubleKind {
    /// Returns two or three words for the kind.
    pub fn word(self) -> &'static str {
        match self {
            TroubleKind::Disk => "disk full",
            TroubleKind::Untrusted => "not trusted",
            TroubleKind::Settings => "settings",
            TroubleKind::Agent => "no agent",
            TroubleKind::Network => "no network",
            TroubleKind::Lock => "git locked",
            TroubleKind::Database => "database",
            TroubleKind::Refusal => "refused",
            TroubleKind::Base => "base closed",
            TroubleKind::Gates => "red before",
            TroubleKind::Other => "cannot start",
        }
    }

    /// Builds a cause of this kind; the text says what happened.
    pub fn cause(self, text: impl Into<String>) -> Cause {
        Cause {
            kind: self,
            text: text.into(),
        }
    }
}

/// Reason something could not be done or found out: the kind decides, the text is for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "StoredCause", into = "StoredCause")]
pub struct Cause {
    pub kind: TroubleKind,
    pub text: String,
}

impl Cause {
    /// Returns the cause with the attempted action in front of its text, as in `could not fetch: no answer`.
    #[must_use]
    pub fn after(self, tried: &str) -> Cause {
        Cause {
            text: format!("{tried}{}", self.text),
            kind: self.kind,
        }
    }

    /// Returns the first line of the text.
    pub fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Cause {}

impl From<String> for Cause {
    fn from(text: String) -> Cause {
        TroubleKind::Other.cause(text)
    }
}

impl From<&str> for Cause {
    fn from(text: &str) -> Cause {
        TroubleKind::Other.cause(text)
    }
}

/// Stored form of a cause. A cause of kind [`TroubleKind::Other`] is its text alone, which is also how all were stored before they had
/// kinds.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredCause {
    Text(String),
    Kinded { kind: TroubleKind, text: String },
}

impl From<StoredCause> for Cause {
    fn from(stored: StoredCause) -> Cause {
        match stored {
            StoredCause::Text(text) => text.into(),
            StoredCause::Kinded { kind, text } => kind.cause(text),
        }
    }
}

impl From<Cause> for StoredCause {
    fn from(cause: Cause) -> StoredCause {
        match cause.kind {
            TroubleKind::Other => StoredCause::Text(cause.text),
            kind => StoredCause::Kinded {
                kind,
                text: cause.text,
            },
        }
    }
}
