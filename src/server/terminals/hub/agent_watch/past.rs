//! The replay of a terminal's past: input that came meanwhile is newer, and is taken once more at its end.

use super::AgentWatch;
use crate::agent_state::{AgentReport, Source};
use crate::domain::Timestamp;

/// Maximum number of reports that are repeated once a terminal shows the present; of more, the newest.
pub(super) const MOST_REPEATED: usize = 64;

/// Input that comes to a server beside the output of an agent's terminal.
#[derive(Debug)]
pub(super) enum BesideOutput {
    Report(Source, AgentReport, Timestamp),
    /// A person typed a key.
    Input,
    /// The agent's ask was answered.
    Answered,
}

impl AgentWatch {
    /// Keeps an input for the end of the past, at that place among the kept ones, or behind them.
    pub(super) fn remember(&mut self, place: Option<usize>, what: impl FnOnce() -> BesideOutput) {
        if !self.is_past {
            return;
        }
        self.beside.insert(place.unwrap_or(self.beside.len()), what());
        if self.beside.len() > MOST_REPEATED {
            self.beside.pop_front();
        }
    }

    /// Notes that the terminal is replaying the past.
    pub(in crate::server::terminals::hub) fn begin_past(&mut self) {
        self.is_past = true;
    }

    /// Notes that the terminal shows the present. The agent's request to the server before this one is newer than the replayed past, and
    /// everything reported since is newer than that.
    pub(in crate::server::terminals::hub) fn end_past(
        &mut self,
        asked: Option<&AgentReport>,
        now: Timestamp,
    ) {
        self.is_past = false;
        let beside = std::mem::take(&mut self.beside);
        for what in &beside {
            // Otherwise a repeated report would count from its first time.
            if let BesideOutput::Report(source, ..) = what {
                self.state.forget(*source);
            }
        }
        if let Some(report) = asked {
            self.take(Source::Hook, now, report);
        }
        for what in beside {
            match what {
                BesideOutput::Report(source, report, _) => self.take(source, now, &report),
                BesideOutput::Input => self.state.input(now),
                BesideOutput::Answered => self.state.answered(now),
            }
        }
        self.look(now);
    }
}
