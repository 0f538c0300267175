//! Current activity of an agent, as its sources report it. Finer than on the board, made when it is asked for, stored nowhere.

use serde::Serialize;

use crate::domain::{Span, Timestamp};

/// Current activity of an agent, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LiveActivity {
    /// Activity in words for people, such as `working: Bash` or `limit until 14:00`.
    pub words: String,
    /// The source that counts; `None` if nothing was reported yet.
    pub source: Option<String>,
    /// Time since when that source has reported this.
    pub since: Timestamp,
    /// Time since its last report.
    #[serde(rename = "age_ms")]
    pub age: Span,
    /// True if the report is old and nothing newer says otherwise.
    pub is_stale: bool,
    /// True if the agent waits for a person. The board decides whether one can answer: a moment later, and only an ask that it has taken.
    pub is_waiting: bool,
    /// Subagents and background commands that run for it.
    pub children: Vec<String>,
    /// All sources, highest rank first.
    pub sources: Vec<SourceReport>,
}

/// Report of one source about an agent, and the reason why it counts or does not.
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
    /// Returns true if it says more of an agent than the board does, which only knows that it works or is idle.
    pub fn is_finer(&self) -> bool {
        self.source.is_some() && !self.is_waiting
    }

    /// Returns the activity and the children that run, in one line.
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
    /// Returns the last report of the source, and its age.
    pub fn words(&self) -> String {
        format!("{}: reported {}, {} ago", self.source, self.says, self.age)
    }

    /// Returns a line with the source, its report, the report's age, and the reason why it counts or does not.
    pub fn line(&self) -> String {
        let mark = if self.counts { "counts" } else { "does not count" };
        format!(
            "{}: {}, {} ago; {mark}: {}",
            self.source, self.says, self.age, self.why
        )
    }
}
