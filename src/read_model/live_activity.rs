//! What an agent does right now, as its sources say it. Finer than the board keeps it, made when somebody looks, stored nowhere.

use serde::Serialize;

use crate::domain::{Span, Timestamp};

/// What an agent does right now, and from what that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveActivity {
    /// In words for people, such as `working: Bash` or `limit until 14:00`.
    pub words: String,
    /// The source that counts; none when nothing was reported yet.
    pub source: Option<String>,
    /// Since when that source says so.
    pub since: Timestamp,
    /// How long ago it last said so.
    #[serde(rename = "age_ms")]
    pub age: Span,
    /// The report is old, and nothing newer says otherwise.
    pub is_stale: bool,
    /// It waits for a person. Whether one can answer, the board says: a moment later, and only of an ask that it has taken.
    pub is_waiting: bool,
    /// Subagents and background commands that run for it.
    pub children: Vec<String>,
    /// All sources, highest rank first.
    pub sources: Vec<SourceReport>,
}

/// What one source says of an agent, and why it counts or does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceReport {
    pub source: String,
    pub says: String,
    #[serde(rename = "age_ms")]
    pub age: Span,
    pub counts: bool,
    pub why: String,
}

impl LiveActivity {
    /// Whether it says more of an agent than that the board holds it to work or to be idle.
    pub fn is_finer(&self) -> bool {
        self.source.is_some() && !self.is_waiting
    }

    /// What it does and what runs for it, in one line.
    pub fn summary(&self) -> String {
        let stale = if self.is_stale { " (an old report)" } else { "" };
        match self.children.as_slice() {
            [] => format!("{}{stale}", self.words),
            [one] => format!("{}{stale}; runs {one}", self.words),
            [one, rest @ ..] => format!("{}{stale}; runs {one} and {} more", self.words, rest.len()),
        }
    }
}

impl SourceReport {
    /// What it reported last, and how long ago.
    pub fn words(&self) -> String {
        format!("{}: reported {}, {} ago", self.source, self.says, self.age)
    }

    /// Source, what it says, how old that is, and why it counts or does not.
    pub fn line(&self) -> String {
        let mark = if self.counts { "counts" } else { "does not count" };
        format!(
            "{}: {}, {} ago; {mark}: {}",
            self.source, self.says, self.age, self.why
        )
    }
}
