//! Observation of an agent by one source at one time; the rank of the sources and the lifetime of their reports.

use std::fmt;

use super::doing::Doing;
use crate::domain::{Span, Timestamp};

/// Lifetime of a report that its source would not take back.
const SHORT: Span = Span::seconds(5);

/// Source of a report of an agent's state, highest rank first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// End of the process.
    ProcessExit,
    /// Status record in the output (OSC 7501).
    StatusRecord,
    /// Hook that the tool ran.
    Hook,
    /// Transcript, stream of events or protocol of the tool.
    Stream,
    /// Title of the terminal's window.
    Title,
    /// Rule about the content of the screen.
    Screen,
}

/// Report of one source of an agent at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub source: Source,
    pub at: Timestamp,
    pub seen: Seen,
}

/// Content of an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Activity of the agent; replaces the earlier report of the source.
    Doing(Doing),
    /// Start or report of a subagent or background command of that id that runs.
    Child { id: String, name: String },
    /// End of the subagent or background command of that id.
    ChildGone { id: String },
    /// List of all that run, and no others; pairs of id and name.
    Children(Vec<(String, String)>),
    /// End of the wait that this source reported: that of a subagent, or the agent's own.
    WaitOver { child: Option<String> },
    /// Withdrawal of everything that the source reported.
    Withdrawn,
}

impl Source {
    /// Returns the lifetime of a report of this source; `None` if it lives until the source replaces it.
    pub(super) fn lifetime(self, doing: &Doing) -> Option<Span> {
        match (self, doing) {
            (Source::ProcessExit | Source::StatusRecord | Source::Stream, _)
            | (
                Source::Screen,
                Doing::Blocked(_) | Doing::NotLoggedIn { .. } | Doing::Idle | Doing::Done { .. },
            )
            | (Source::Hook, Doing::Blocked(_) | Doing::Limit { .. } | Doing::NotLoggedIn { .. }) => None,
            (Source::Hook | Source::Title | Source::Screen, _) => Some(SHORT),
        }
    }

    /// Returns true if its reports reach the server beside the terminal's output. Reports in the output repeat when the output is read
    /// again.
    pub fn comes_beside_output(self) -> bool {
        match self {
            Source::Hook | Source::Stream => true,
            Source::ProcessExit | Source::StatusRecord | Source::Title | Source::Screen => false,
        }
    }

    /// Returns true if the source does not notice the end of a wait, so that a key ends it.
    pub fn is_sticky(self) -> bool {
        self == Source::Hook
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::ProcessExit => "exit",
            Source::StatusRecord => "status record",
            Source::Hook => "hook",
            Source::Stream => "stream",
            Source::Title => "title",
            Source::Screen => "screen",
        })
    }
}
