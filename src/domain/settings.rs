//! Settings that decide: numbers a person may set, as one plain value.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::RoleId;
use super::task::GateCommand;
use super::time::Span;

/// The settings that the board's rules depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardSettings {
    /// Most agents alive at a time (K48, `max_total_agents`).
    pub max_agents: u32,
    /// Most agents of a role alive at a time.
    pub max_by_role: BTreeMap<RoleId, u32>,
    /// Most attempts started in one turn.
    pub max_starts: u32,
    /// Longest run of one attempt (K32, `agent_timeout`).
    pub agent_timeout: Span,
    /// How long an agent may linger after its last word before it is stopped.
    pub linger: Span,
    /// Base branch of batches that name none (K61, K62).
    pub base: Option<String>,
    /// Gate commands of the project.
    pub gates: Vec<GateCommand>,
    /// First wait after an infrastructure failure; doubles up to five minutes.
    pub infra_backoff: Span,
    /// First wait after a crash; doubles up to five minutes.
    pub crash_backoff: Span,
    /// Overrides every workflow's rejection cooldown.
    pub cooldown: Option<Span>,
}

impl Default for BoardSettings {
    fn default() -> Self {
        BoardSettings {
            max_agents: 8,
            max_by_role: BTreeMap::new(),
            max_starts: 2,
            agent_timeout: Span::seconds(3600),
            linger: Span::seconds(5),
            base: None,
            gates: Vec::new(),
            infra_backoff: Span::seconds(5),
            crash_backoff: Span::seconds(10),
            cooldown: None,
        }
    }
}
