//! Title of Codex's window: a spinner before the folder while it works, `[ ! ] Action Required` while it waits.

use crate::agent_state::{AgentReport, Doing, Seen, Wait};
use crate::domain::AskKind;

/// Reads a title.
pub fn read(title: &str) -> AgentReport {
    let title = title.trim();
    if title.starts_with("[ ") && title.contains("] Action Required") {
        return AgentReport::doing(Doing::Blocked(Wait::new(AskKind::Permission, "")));
    }
    match title.chars().next() {
        None => AgentReport::of(Seen::Withdrawn),
        Some('\u{2800}'..='\u{28ff}') => AgentReport::doing(Doing::WORKING),
        Some(_) => AgentReport::doing(Doing::Idle),
    }
}
