//! Messages of the hooks of an agent's tool to the server, and the replies.

use serde::{Deserialize, Serialize};

use crate::domain::{Ask, AskReply, AttemptId, Cost, ToolUse};

/// A call of a hook, proved by the token of its attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookCall {
    pub attempt: AttemptId,
    pub token: String,
    pub event: HookEvent,
    /// State of the agent according to the event: the few fields of it that concern the state, as JSON, at most [`LONGEST_STATE`] bytes.
    #[serde(default)]
    pub state: String,
    /// Permission that the tool asks for, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<ToolUse>,
}

/// Maximum number of bytes of the state in an event; a longer one is ignored.
pub const LONGEST_STATE: usize = 64 * 1024;

/// Event in an agent's tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    /// Question that waits for the reply; the same ask may come again over another connection.
    Ask(Ask),
    /// Usage of its session so far.
    Usage(UsageFigures),
    /// Turn that is about to end.
    TurnOver {
        /// True if the tool was already kept from ending it.
        again: bool,
    },
    /// Report of the agent's activity only.
    Report,
}

/// Usage that a tool reports; a part that it does not report is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageFigures {
    /// Cost of its session, with all earlier ones that it resumed.
    pub cost: Option<Cost>,
    /// Tokens in its context now.
    pub used: Option<u64>,
    /// Room for tokens in its context.
    pub window: Option<u64>,
    /// Calls of tools so far, if no fill of the context is known.
    #[serde(default)]
    pub tool_calls: Option<u32>,
    /// Model that answers.
    #[serde(default)]
    pub model: Option<String>,
}

/// Reply to a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookReply {
    /// No reply: the tool continues as if there were no hook.
    Nothing,
    Answer(AskReply),
    /// Reason why the turn is not over yet, for the agent.
    GoOn(String),
    /// Text that the agent should know in the turn that begins.
    Context(String),
}
