//! Report that a reader made of some bytes of one source: observations, figures, asks, the cause of an end.

use super::doing::Doing;
use super::meter::Figures;
use super::observation::{Observation, Seen, Source};
use crate::domain::event::EndCause;
use crate::domain::{AskChannel, AskKind, Timestamp};

/// Content of one line, file or message of a source. Empty when nothing in it is understood.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentReport {
    /// Observations in the order in which they hold.
    pub seen: Vec<Seen>,
    pub figures: Vec<Figures>,
    pub asks: Vec<AskReport>,
    /// Reason why the agent ended, or will end, in the words of its tool.
    pub end: Option<EndCause>,
    /// The tool's own id of the session, with which it is resumed.
    pub session: Option<String>,
}

/// News of an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskReport {
    /// A person is asked.
    Raised {
        /// The tool's id of the request; `None` if the source gives none, as hooks do.
        id: Option<String>,
        kind: AskKind,
        text: String,
        /// The answers it offers; empty for a permission and when any text will do.
        options: Vec<String>,
        channel: AskChannel,
    },
    /// The request of that id is answered or withdrawn.
    Settled { id: String },
}

impl AgentReport {
    /// A report of one thing and nothing else.
    pub fn of(seen: Seen) -> AgentReport {
        AgentReport {
            seen: vec![seen],
            ..AgentReport::default()
        }
    }

    /// Creates a report of the agent's activity and nothing else.
    pub fn doing(doing: Doing) -> AgentReport {
        AgentReport::of(Seen::Doing(doing))
    }

    /// Returns its observations, as that source made them at that time.
    pub fn observations(&self, source: Source, at: Timestamp) -> Vec<Observation> {
        let seen = self.seen.iter().cloned();
        seen.map(|seen| Observation { source, at, seen }).collect()
    }
}
