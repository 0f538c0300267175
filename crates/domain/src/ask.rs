//! What an agent wants to know of a person before it goes on, with an identity of its own: answered once, whoever answers it, also
//! over a restart.

use serde::{Deserialize, Serialize};

use super::id::AskId;
use super::time::Timestamp;

/// Longest text of an ask in bytes, and of each of its options.
pub const LONGEST_ASK: usize = 8 * 1024;

/// Something an agent waits for a person to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Given by the source that reported it; unique within its attempt.
    pub id: AskId,
    pub kind: AskKind,
    /// What is asked, in one line or a few.
    pub text: String,
    /// The answers it offers, in its order; empty when any text will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    pub channel: AskChannel,
}

/// What sort of decision an ask is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// May it use this tool?
    Permission,
    /// A question with options, or one that wants a text.
    Question,
    /// May it carry out this plan?
    Plan,
    /// A dialog of the tool itself: folder trust, login, theme, billing. Only a person answers it, in the terminal.
    Dialog,
}

/// The way an answer to an ask goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskChannel {
    /// Keys are typed into its terminal while it still shows the ask.
    Keys,
    /// A hook or protocol request of the tool waits for the reply to this very ask.
    Request,
    /// A line is typed; the agent reads it as a prompt.
    Line,
    /// Only a person in its terminal can answer.
    Terminal,
}

/// A person's, or a rule's, answer to an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskReply {
    Allow,
    /// Allow this and the like of it for as long as the agent's session lasts.
    AllowAlways,
    /// Deny; the text tells the agent why, and may be empty.
    Deny(String),
    /// Option number so many, from 0.
    Choose(usize),
    Text(String),
}

/// An ask of an attempt and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskRecord {
    pub ask: Ask,
    pub since: Timestamp,
    pub state: AskState,
}

/// Whether an ask is open, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskState {
    Open,
    /// Somebody answered it here; the answer is on its way or was delivered.
    Answered {
        by: String,
        reply: AskReply,
        at: Timestamp,
        /// Why the answer did not arrive, if so; then nobody else's can arrive either.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<String>,
    },
    /// The agent no longer asks: it was answered in its terminal, or the agent went on or ended.
    Withdrawn {
        at: Timestamp,
    },
}

impl AskRecord {
    /// Whether it still waits for an answer.
    pub fn is_open(&self) -> bool {
        self.state == AskState::Open
    }
}

impl AskReply {
    /// What was answered, in words for people.
    pub fn words(&self, ask: &Ask) -> String {
        match self {
            AskReply::Allow => "allowed".to_owned(),
            AskReply::AllowAlways => "always allowed".to_owned(),
            AskReply::Deny(why) if why.is_empty() => "denied".to_owned(),
            AskReply::Deny(why) => format!("denied: {why}"),
            AskReply::Choose(number) => {
                let option = ask.options.get(*number);
                format!(
                    "chose {}",
                    option.map_or("an option it does not offer", String::as_str)
                )
            }
            AskReply::Text(text) => format!("answered: {text}"),
        }
    }
}
