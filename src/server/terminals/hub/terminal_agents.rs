//! Facts about agents that the terminals need and that the board and the agents' tools know, by the numbers of attempts.

use crate::adapters::agents::{ReadScreen, TypedPrompt};
use crate::agent_state::{AgentReport, Doing};
use crate::domain::event::EndCause;
use crate::domain::{AttemptId, Timestamp};

/// Source of facts about the agents in the terminals. Each method answers for an agent of which nothing is known by default.
pub trait TerminalAgents: Send + Sync {
    /// Takes in the last signals of a program, before the engine learns that it has ended.
    fn before_end(&self) {}

    /// Returns the cause of an agent's end that its last lines name.
    fn end_cause(&self, _attempt: AttemptId, _tail: &str) -> Option<EndCause> {
        None
    }

    /// Reads the report of an agent's tool from a title of its terminal.
    fn read_title(&self, _attempt: AttemptId, _title: &str) -> AgentReport {
        AgentReport::default()
    }

    /// Reads the state of an agent with its interface from its screen, where its tool has a rule for it.
    fn read_screen(&self, _attempt: AttemptId, _screen: &str) -> Option<Doing> {
        None
    }

    /// Returns the way a person logs in to the tool of an agent, if that is known.
    fn login_hint(&self, _attempt: AttemptId) -> Option<String> {
        None
    }

    /// Returns the prompt of an agent that is still to be typed into its terminal.
    fn prompt_to_type(&self, _attempt: AttemptId) -> Option<TypedPrompt> {
        None
    }

    /// Returns the reader for the screen of an agent while its tool has reported nothing.
    fn screen_reader(&self, _attempt: AttemptId) -> Option<ReadScreen> {
        None
    }

    /// Returns true if the tool of an agent keeps its sessions, so that a person may end it and go on later.
    fn keeps_sessions(&self, _attempt: AttemptId) -> bool {
        false
    }

    /// Returns true if the terminal of an agent shows the interface of its tool, and not a transcript or nothing that is known.
    fn has_interface(&self, _attempt: AttemptId) -> bool {
        false
    }

    /// Reads the end of a usage limit from the words of an agent's tool about it.
    fn limit_end(&self, _attempt: AttemptId, _words: &str) -> Option<Timestamp> {
        None
    }

    /// Returns true if an error that the tool of an agent reports is a failed turn, which another prompt continues.
    fn continues_after_errors(&self, _attempt: AttemptId) -> bool {
        false
    }

    /// Returns the request of an agent to a server before this one that still waits for its reply.
    fn request_before(&self, _attempt: AttemptId) -> Option<AgentReport> {
        None
    }
}

/// Facts of which nothing is known.
#[cfg(test)]
#[derive(Debug)]
pub(super) struct NoAgents;

#[cfg(test)]
impl TerminalAgents for NoAgents {}
