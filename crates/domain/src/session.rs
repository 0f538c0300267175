//! Sessions of agents: whether an attempt begins a conversation with its tool, or goes on with the one of an attempt that was
//! interrupted; and whether its tool shows its own interface meanwhile.

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
    /// It begins a session of its own, in the workspace of an attempt whose context was full.
    Restarted(SessionRestart),
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
    /// How many comments its task had then.
    #[serde(default)]
    pub comments_before: usize,
    /// What its agent was called.
    pub name: String,
    /// The folder it works in, where that is named after another attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// After which attempt, and in which folder, a fresh session goes on with the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRestart {
    /// The attempt whose context was full. Nothing of it may run any more when the next one starts.
    pub after: AttemptId,
    pub folder: String,
    /// Which session of its stage this is, from 1; the first restart begins session 2.
    pub session: u32,
}

impl SessionOrigin {
    /// Name of the folder in which it works: its agent's name and its number, so that a name used twice over the life of a project
    /// never means the same folder.
    pub fn workspace_folder(&self) -> String {
        let own = || format!("{}-{}", self.name, self.attempt);
        self.folder.clone().unwrap_or_else(own)
    }
}

impl AgentSession {
    /// Whether the attempt begins a session of its own.
    pub fn is_fresh(&self) -> bool {
        *self == AgentSession::Fresh
    }

    /// The session it goes on with, if it does.
    pub fn continuation(&self) -> Option<&Continuation> {
        match self {
            AgentSession::Fresh | AgentSession::Restarted(_) => None,
            AgentSession::Continued(continuation) => Some(continuation),
        }
    }

    /// The attempt whose workspace it takes over, if it does.
    pub fn follows(&self) -> Option<AttemptId> {
        match self {
            AgentSession::Fresh => None,
            AgentSession::Continued(continuation) => Some(continuation.after),
            AgentSession::Restarted(restart) => Some(restart.after),
        }
    }

    /// The fresh session that it begins after one whose context was full, if it does.
    pub fn restart(&self) -> Option<&SessionRestart> {
        match self {
            AgentSession::Fresh | AgentSession::Continued(_) => None,
            AgentSession::Restarted(restart) => Some(restart),
        }
    }
}

/// What the terminal of an agent shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentDisplay {
    /// The tool's own interface.
    #[default]
    Visible,
    /// A transcript that this program writes of a tool without an interface.
    Headless,
}

impl AgentDisplay {
    /// The other one.
    #[must_use]
    pub fn other(self) -> AgentDisplay {
        match self {
            AgentDisplay::Visible => AgentDisplay::Headless,
            AgentDisplay::Headless => AgentDisplay::Visible,
        }
    }

    /// How an agent works then, in words that follow its name.
    pub fn words(self) -> &'static str {
        match self {
            AgentDisplay::Visible => "with its tool's own interface",
            AgentDisplay::Headless => "without its tool's interface",
        }
    }
}

impl std::fmt::Display for AgentDisplay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AgentDisplay::Visible => "visible",
            AgentDisplay::Headless => "headless",
        })
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
