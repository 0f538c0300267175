//! What the hooks of an agent's tool say to the server, and what they are told.

use serde::{Deserialize, Serialize};

use crate::domain::{Ask, AskReply, AttemptId, Cost, ToolUse};

/// A call of a hook, proved by the token of its attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookCall {
    pub attempt: AttemptId,
    pub token: String,
    pub event: HookEvent,
    /// What the event says of the agent's state: the few fields of it that do, as JSON, at most [`LONGEST_STATE`] bytes.
    #[serde(default)]
    pub state: String,
    /// What the tool asks to be allowed, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<ToolUse>,
}

/// Most bytes of what an event says of an agent's state; what is longer says nothing.
pub const LONGEST_STATE: usize = 64 * 1024;

/// What happened in an agent's tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    /// It asks something and waits for the reply; the same ask may come again over another connection.
    Ask(Ask),
    /// What its session has used so far.
    Usage(UsageFigures),
    /// It is about to end its turn.
    TurnOver {
        /// Whether it was kept from that already.
        again: bool,
    },
    /// It only says what the agent does.
    Report,
}

/// What a tool says of what it uses; a part it does not say is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageFigures {
    /// Everything its session has cost, resumed ones included.
    pub cost: Option<Cost>,
    /// Tokens in its context now.
    pub used: Option<u64>,
    /// Room for tokens in its context.
    pub window: Option<u64>,
}

/// What a hook is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookReply {
    /// The tool goes on as if there were no hook.
    Nothing,
    Answer(AskReply),
    /// The turn is not over yet; why, for the agent.
    GoOn(String),
    /// What the agent should know in the turn that begins.
    Context(String),
}
