//! What the title of Gemini CLI's window says.

use crate::agent_state::{AgentReport, Doing, Seen, Wait};
use crate::domain::AskKind;

/// What a title says.
pub fn read(title: &str) -> AgentReport {
    match title.trim().chars().next() {
        None => AgentReport::of(Seen::Withdrawn),
        Some('◇') => AgentReport::doing(Doing::Idle),
        Some('✦') => AgentReport::doing(Doing::WORKING),
        Some('✋') => AgentReport::doing(Doing::Blocked(Wait::new(AskKind::Permission, ""))),
        Some(_) => AgentReport::default(),
    }
}
