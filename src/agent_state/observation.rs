//! One thing that one source said of an agent at one time; how the sources rank and how long a report of each lives.

use std::fmt;

use super::doing::Doing;
use crate::domain::{Span, Timestamp};

/// How long a report lives that its source would not take back.
const SHORT: Span = Span::seconds(5);

/// Where a report of an agent's state comes from, highest rank first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The process has ended.
    ProcessExit,
    /// A status record in the output (OSC 7501).
    StatusRecord,
    /// A hook that the tool ran.
    Hook,
    /// The file in which the tool keeps the state of a running session.
    SessionFile,
    /// A transcript, a stream of events or a protocol of the tool.
    Stream,
    /// The title of the terminal's window.
    Title,
    /// A rule about what the screen shows.
    Screen,
}

/// What one source said of an agent at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub source: Source,
    pub at: Timestamp,
    pub seen: Seen,
}

/// What was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// What the agent does; replaces what the source said before.
    Doing(Doing),
    /// A subagent or background command of that id runs.
    Child { id: String, name: String },
    /// It runs no longer.
    ChildGone { id: String },
    /// These and no others run; pairs of id and name.
    Children(Vec<(String, String)>),
    /// The wait that this source reported is over: that of a subagent, or the agent's own.
    WaitOver { child: Option<String> },
    /// The source takes back all it said.
    Withdrawn,
}

impl Source {
    /// How long a report of this source lives; none when it lives until the source replaces it.
    pub(super) fn lifetime(self, doing: &Doing) -> Option<Span> {
        match (self, doing) {
            (Source::ProcessExit | Source::StatusRecord | Source::SessionFile | Source::Stream, _)
            | (Source::Screen, Doing::Blocked(_))
            | (Source::Hook, Doing::Blocked(_) | Doing::Limit { .. } | Doing::NotLoggedIn { .. }) => None,
            (Source::Hook | Source::Title | Source::Screen, _) => Some(SHORT),
        }
    }

    /// Whether its reports reach the server beside the terminal's output. What the output says is said again when it is read again.
    pub fn comes_beside_output(self) -> bool {
        match self {
            Source::Hook | Source::SessionFile | Source::Stream => true,
            Source::ProcessExit | Source::StatusRecord | Source::Title | Source::Screen => false,
        }
    }

    /// Whether the source does not notice the end of a wait, so that a key ends it.
    pub(super) fn is_sticky(self) -> bool {
        self == Source::Hook
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::ProcessExit => "exit",
            Source::StatusRecord => "status record",
            Source::Hook => "hook",
            Source::SessionFile => "session file",
            Source::Stream => "stream",
            Source::Title => "title",
            Source::Screen => "screen",
        })
    }
}
