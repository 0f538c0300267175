//! Sessions of agents: an attempt begins a conversation with its tool, or continues the one of an attempt that was interrupted; and the
//! tool shows its own interface meanwhile, or does not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::id::{AttemptId, RoleId};
use super::time::Timestamp;

/// Conversation with its tool that an attempt begins or continues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentSession {
    #[default]
    Fresh,
    /// Continued session, in the workspace of an earlier attempt.
    Continued(Continuation),
    /// Fresh session in the workspace of an attempt whose context was full.
    Restarted(SessionRestart),
}

/// Session that an attempt continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// Attempt that was interrupted. Nothing of it may run any more when the next one starts.
    pub after: AttemptId,
    pub origin: SessionOrigin,
}

/// Attempt that began a session. The session's id and the workspace are named after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOrigin {
    pub attempt: AttemptId,
    /// Time at which that attempt was decided.
    pub created_at: Timestamp,
    /// Number of comments on the attempt's task at that time.
    #[serde(default)]
    pub comments_before: usize,
    /// Name of the attempt's agent.
    pub name: String,
    /// Folder of the work, if it is named after another attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Attempt and folder whose work a fresh session continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRestart {
    /// Attempt whose context was full. Nothing of it may run any more when the next one starts.
    pub after: AttemptId,
    pub folder: String,
    /// Number of this session at its stage, from 1; the first restart begins session 2.
    pub session: u32,
}

impl SessionOrigin {
    /// Returns the name of the folder the session works in: its agent's name and its number, so that a name used twice over the life of a
    /// project never means the same folder.
    pub fn workspace_folder(&self) -> String {
        let own = || format!("{}-{}", self.name, self.attempt);
        self.folder.clone().unwrap_or_else(own)
    }
}

impl AgentSession {
    /// Returns true if the attempt begins a session of its own in a workspace of its own.
    pub fn is_fresh(&self) -> bool {
        *self == AgentSession::Fresh
    }

    /// Returns the session that the attempt continues, if it does.
    pub fn continuation(&self) -> Option<&Continuation> {
        match self {
            AgentSession::Fresh | AgentSession::Restarted(_) => None,
            AgentSession::Continued(continuation) => Some(continuation),
        }
    }

    /// Returns the attempt whose workspace this one takes over, if it does.
    pub fn follows(&self) -> Option<AttemptId> {
        match self {
            AgentSession::Fresh => None,
            AgentSession::Continued(continuation) => Some(continuation.after),
            AgentSession::Restarted(restart) => Some(restart.after),
        }
    }

    /// Returns the fresh session that the attempt begins after one whose context was full, if it does.
    pub fn restart(&self) -> Option<&SessionRestart> {
        match self {
            AgentSession::Fresh | AgentSession::Continued(_) => None,
            AgentSession::Restarted(restart) => Some(restart),
        }
    }
}

/// Display in the terminal of an agent.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AgentDisplay {
    /// The tool's own interface.
    #[default]
    Visible,
    /// Transcript that this program writes of a tool without an interface.
    Headless,
}

impl AgentDisplay {
    /// Returns the other display.
    #[must_use]
    pub fn other(self) -> AgentDisplay {
        match self {
            AgentDisplay::Visible => AgentDisplay::Headless,
            AgentDisplay::Headless => AgentDisplay::Visible,
        }
    }

    /// Returns the agent's way of working with this display, in words that follow its name.
    pub fn words(self) -> &'static str {
        match self {
            AgentDisplay::Visible => "with its tool's own interface",
            AgentDisplay::Headless => "without its tool's interface",
        }
    }
}

/// Roles for which an interrupted agent is started again with its session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResumeRoles {
    pub by_role: BTreeMap<RoleId, bool>,
    /// True if the agents of all other roles are started again.
    pub others: bool,
}

impl ResumeRoles {
    /// Returns true if agents of that role are started again.
    pub fn allows(&self, role: &RoleId) -> bool {
        self.by_role.get(role).copied().unwrap_or(self.others)
    }

    /// Returns true if no role's agents are started again.
    pub fn is_none(&self) -> bool {
        !self.others && self.by_role.values().all(|allowed| !allowed)
    }
}
