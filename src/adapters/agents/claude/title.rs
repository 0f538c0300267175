//! Title of Claude Code's window. In a terminal that answers its status query the title stays plain and says nothing.

use crate::agent_state::{AgentReport, Doing, Seen};

/// Reads a title. An idle agent and one that waits for an answer have the same.
pub fn read(title: &str) -> AgentReport {
    match title.trim().chars().next() {
        None => AgentReport::of(Seen::Withdrawn),
        Some('✳') => AgentReport::doing(Doing::Idle),
        Some('◐' | '◑') => AgentReport::doing(Doing::WORKING),
        Some(_) => AgentReport::default(),
    }
}
