//! What an agent wants to know of a person before it goes on, with an identity of its own: answered once, whoever answers it, also
//! over a restart.

use serde::{Deserialize, Serialize};

use super::id::AskId;
use super::time::{Span, Timestamp};

/// Closed asks that are kept with an attempt, so that one that is reported again is known.
pub(super) const MOST_CLOSED_ASKS: usize = 32;

/// Asks of one attempt that may be open at a time; more are not taken.
pub(super) const MOST_OPEN_ASKS: usize = 16;

/// Asks of one attempt in all, after which no more are taken.
pub(super) const MOST_ASKS: u32 = 5_000;

/// Options of an ask that are kept, and their longest text in bytes: all of it is shown to everybody who looks.
const MOST_OPTIONS: usize = 16;
const LONGEST_OPTION: usize = 512;

/// Longest text of an ask in bytes.
const LONGEST_ASK: usize = 8 * 1024;

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

impl Ask {
    /// The ask with texts and options cut to their limits.
    #[must_use]
    pub fn bounded(mut self) -> Ask {
        cut(&mut self.text, LONGEST_ASK);
        self.options.truncate(MOST_OPTIONS);
        for option in &mut self.options {
            cut(option, LONGEST_OPTION);
        }
        self
    }
}

fn cut(text: &mut String, longest: usize) {
    text.truncate(text.floor_char_boundary(longest));
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AskAnswer>,
    /// Since when its agent no longer asks: it went on, was answered in its terminal, asks something else or has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Timestamp>,
}

/// The answer that was given to an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskAnswer {
    /// The person, or the setting that answers by itself.
    pub by: String,
    pub reply: AskReply,
    pub at: Timestamp,
    /// Why it did not reach the agent, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How long an agent that was answered by keys has to go on. Whatever it still asks then it asks again, or the keys were lost.
const KEYS_TIMEOUT: Span = Span::seconds(10);

impl AskRecord {
    /// One that has just appeared.
    pub fn new(ask: Ask, since: Timestamp) -> AskRecord {
        AskRecord {
            ask,
            since,
            answer: None,
            closed: None,
        }
    }

    /// The answer that was given, unless it is known that it did not arrive.
    pub fn given(&self) -> Option<&AskAnswer> {
        self.answer.as_ref().filter(|answer| answer.problem.is_none())
    }

    /// Whether it waits for an answer: nobody gave one, or the one that was given did not arrive.
    pub fn waits(&self, now: Timestamp) -> bool {
        let has_answer = self.given().is_some_and(|answer| {
            self.ask.channel != AskChannel::Keys || now.since(answer.at) < KEYS_TIMEOUT
        });
        self.closed.is_none() && !has_answer
    }
}

impl AskReply {
    /// What a person means who answers a question with these words: one of its options by number, from 1, or by name; else the words.
    pub fn from_words(ask: &Ask, words: &str) -> AskReply {
        let words = words.trim();
        let named = ask
            .options
            .iter()
            .position(|option| option.eq_ignore_ascii_case(words));
        let number = words
            .parse::<usize>()
            .ok()
            .and_then(|number| number.checked_sub(1));
        let chosen = named.or(number.filter(|number| *number < ask.options.len()));
        chosen.map_or_else(|| AskReply::Text(words.to_owned()), AskReply::Choose)
    }

    /// What was answered, in words for people.
    pub fn words(&self, ask: &Ask) -> String {
        match self {
            AskReply::Allow => "allowed".to_owned(),
            AskReply::AllowAlways => "always allowed".to_owned(),
            AskReply::Deny(why) if why.is_empty() => "denied".to_owned(),
            AskReply::Deny(why) => format!("denied ({why})"),
            AskReply::Choose(number) => {
                let option = ask.options.get(*number).map_or("another option", String::as_str);
                format!("chose {option} for")
            }
            AskReply::Text(text) => format!("answered {text} to"),
        }
    }
}
