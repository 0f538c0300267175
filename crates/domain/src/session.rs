//! Sessions of agents: whether an attempt begins a conversation with its tool, or goes on with the one of an attempt that was
//! interrupted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::{AttemptId, RoleId};
use super::time::Timestamp;

/// The conversation with its tool that an attempt begins or goes on with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentSession {
    #[default]
    Fresh,
    /// It goes on in the workspace and with the session of an earlier attempt.
    Continued(Continuation),
}

/// Which session an attempt goes on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// The attempt that was interrupted. Nothing of it may run any more when the next one starts.
    pub after: AttemptId,
    pub origin: SessionOrigin,
}

/// The attempt that began a session. The session's id and the workspace are named after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOrigin {
    pub attempt: AttemptId,
    /// When that attempt was decided.
    pub created_at: Timestamp,
    /// What its agent was called.
    pub name: String,
}

impl AgentSession {
    /// Whether the attempt begins a session of its own.
    pub fn is_fresh(&self) -> bool {
        *self == AgentSession::Fresh
    }

    /// The session it goes on with, if it does.
    pub fn continuation(&self) -> Option<&Continuation> {
        match self {
            AgentSession::Fresh => None,
            AgentSession::Continued(continuation) => Some(continuation),
        }
    }
}

/// For which roles an agent that was interrupted is started again with its session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResumeRoles {
    pub by_role: BTreeMap<RoleId, bool>,
    /// Whether it is so for all other roles.
    pub others: bool,
}

impl ResumeRoles {
    /// Whether it is so for that role.
    pub fn allows(&self, role: &RoleId) -> bool {
        self.by_role.get(role).copied().unwrap_or(self.others)
    }

    /// Whether it is so for no role at all.
    pub fn is_none(&self) -> bool {
        !self.others && self.by_role.values().all(|allowed| !allowed)
    }
}
