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
    pub children: Vec<RunningChild>,
    /// All sources, highest rank first.
    pub sources: Vec<SourceReport>,
}

/// Subagent or background command of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunningChild {
    pub name: String,
    /// Time for which it runs.
    #[serde(rename = "age_ms")]
    pub age: Span,
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

/// Words for a tool that has reported nothing, and whose screen has not changed for a while.
const STILL: &str = "shows nothing new";

impl LiveActivity {
    /// Returns the activity of a tool that has reported nothing, and whose screen has not changed for a while.
    #[must_use]
    pub fn of_still_screen(self) -> LiveActivity {
        LiveActivity {
            words: format!("{STILL}: look at its terminal"),
            source: Some("screen".to_owned()),
            is_stale: false,
            ..self
        }
    }

    /// Returns true if nothing is known of the agent but that its screen does not change.
    pub fn is_still(&self) -> bool {
        self.words.starts_with(STILL)
    }

    /// Returns true if it says more of an agent than the board does, which only knows that it works or is idle.
    pub fn is_finer(&self) -> bool {
        self.source.is_some() && !self.is_waiting
    }

    /// Returns the activity and the children that run, in one line.
    pub fn summary(&self) -> String {
        let stale = if self.is_stale { " (an old report)" } else { "" };
        match self.children.as_slice() {
            [] => format!("{}{stale}", self.words),
            [one] => format!("{}{stale}; runs {}", self.words, one.name),
            [one, rest @ ..] => format!("{}{stale}; runs {} and {} more", self.words, one.name, rest.len()),
        }
    }
}

impl RunningChild {
    /// Returns its name, and the time for which it runs.
    pub fn line(&self) -> String {
        format!("{}  {}", self.name, self.age)
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
