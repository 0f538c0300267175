//! Questions of an agent to a person that it needs answered before it continues. Each has an identity of its own and is answered once, by
//! the first who answers it, even across a restart.

use crate::cut::cut_bytes;
use serde::{Deserialize, Serialize};

use super::id::AskId;
use super::time::{Span, Timestamp};

/// Number of closed asks kept with an attempt, so that an ask reported again is recognized.
pub(super) const MOST_CLOSED_ASKS: usize = 32;

/// Maximum number of open asks of one attempt; more are not accepted.
pub(super) const MOST_OPEN_ASKS: usize = 16;

/// Maximum number of asks of one attempt in total; after that no more are accepted.
pub(super) const MOST_ASKS: u32 = 5_000;

/// Number of options of an ask that are kept, and their longest text in bytes: all of it is shown to everybody who looks.
const MOST_OPTIONS: usize = 16;
const LONGEST_OPTION: usize = 512;

/// Maximum length of a text of an ask in bytes.
const LONGEST_ASK: usize = 8 * 1024;

/// Beginning of the ids of asks that were only seen in an agent's terminal.
const SEEN: &str = "screen-";

/// Beginning of the ids of questions that the engine asks about an agent that stands still.
const STANDSTILL: &str = "standstill-";

/// The one answer to an agent whose program is suspended.
pub(super) const CONTINUE: &str = "Yes, continue it";

/// Decision that an agent waits for a person to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Id given by the source that reported the ask; unique within its attempt.
    pub id: AskId,
    pub kind: AskKind,
    /// Question in one line or a few.
    pub text: String,
    /// Answers offered by the agent, in its order; empty when any text will do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    pub channel: AskChannel,
}

impl Ask {
    /// Returns the id of the ask with that number that was only seen in its agent's terminal.
    pub(super) fn seen_id(number: u32) -> AskId {
        AskId::new(format!("{SEEN}{number}"))
    }

    /// Returns true if the ask was only seen in its agent's terminal, so that no request of the tool waits for the reply.
    pub fn was_seen(&self) -> bool {
        self.id.as_str().starts_with(SEEN)
    }

    /// Returns true if the program of the agent is suspended, so that the answer is no key but continues it.
    pub fn is_suspension(&self) -> bool {
        self.was_seen() && self.options.iter().eq([CONTINUE])
    }

    /// Returns the question about an agent that stands still; `number` tells it from other asks of the attempt.
    pub fn about_standstill(number: u64, text: String) -> Ask {
        Ask {
            id: AskId::new(format!("{STANDSTILL}{number}")),
            kind: AskKind::Question,
            text,
            options: Vec::new(),
            channel: AskChannel::Line,
        }
    }

    /// Returns true if the engine asks it because the agent stands still. The question ends when the agent works again.
    pub fn is_standstill(&self) -> bool {
        self.id.as_str().starts_with(STANDSTILL)
    }

    /// Returns true if a person can say no to it, with a reason or without one.
    pub fn takes_no(&self) -> bool {
        match (self.kind, self.channel) {
            (AskKind::Dialog, _) | (_, AskChannel::Line) => false,
            (kind, AskChannel::Terminal) => kind == AskKind::Question && !self.was_seen(),
            (_, AskChannel::Request | AskChannel::Keys) => true,
        }
    }

    /// Returns the ask with texts and options cut to their limits.
    #[must_use]
    pub fn bounded(mut self) -> Ask {
        self.text.truncate(cut_bytes(&self.text, LONGEST_ASK).len());
        self.options.truncate(MOST_OPTIONS);
        for option in &mut self.options {
            option.truncate(cut_bytes(option, LONGEST_OPTION).len());
        }
        self
    }

    /// Returns the option that the words name: by its number from 1, by its label, or by the first words of its label alone. `None` if they
    /// name none, or more than one.
    pub fn option_named(&self, words: &str) -> Option<usize> {
        let words = words.trim().to_lowercase();
        let labels: Vec<String> = self
            .options
            .iter()
            .map(|label| label.trim().to_lowercase())
            .collect();
        let number = number_of(&words).and_then(|number| number.checked_sub(1));
        let by_number = number.filter(|number| *number < labels.len());
        let by_label = labels.iter().position(|label| *label == words);
        if by_number.or(by_label).is_some() {
            let agree = by_number.is_none() || by_label.is_none() || by_number == by_label;
            return by_number.or(by_label).filter(|_| agree);
        }
        let begins = |label: &str| {
            let rest = label.strip_prefix(&words)?;
            (!words.is_empty() && !rest.starts_with(char::is_alphanumeric)).then_some(())
        };
        let mut begun = (0..).zip(&labels).filter(|(_, label)| begins(label).is_some());
        let first = begun.next().map(|(at, _)| at);
        first.filter(|_| begun.next().is_none())
    }

    /// Returns the options with their numbers, for people; empty if there are none.
    pub fn numbered_options(&self) -> String {
        let numbered = (1..).zip(&self.options);
        let numbered: Vec<String> = numbered
            .map(|(number, option)| format!("{number} {option}"))
            .collect();
        numbered.join("; ")
    }

    /// Returns the only option of a dialog that says yes, such as `Yes, I trust this folder`.
    pub fn only_yes(&self) -> Option<usize> {
        let says_yes = |label: &String| {
            let label = label.trim().to_lowercase();
            let rest = label.strip_prefix("yes");
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let mut all = (0..).zip(&self.options).filter(|(_, label)| says_yes(label));
        let (yes, other) = (all.next().map(|(at, _)| at), all.next());
        yes.filter(|_| other.is_none() && self.kind == AskKind::Dialog)
    }
}

/// Parses the words as a number, with or without a full stop after it.
fn number_of(words: &str) -> Option<usize> {
    words.trim().trim_end_matches('.').parse().ok()
}

/// Kind of decision that an ask requests.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AskKind {
    /// Request to use a tool.
    Permission,
    /// Question with options, or one that wants a text.
    Question,
    /// Request to carry out a plan.
    Plan,
    /// Dialog of the tool itself: folder trust, login, theme, billing. Only a person answers it.
    Dialog,
}

impl AskKind {
    /// Returns true if a person chooses among entries, and not between yes and no.
    pub fn has_entries(self) -> bool {
        matches!(self, AskKind::Question | AskKind::Dialog)
    }
}

/// Way in which an answer reaches the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskChannel {
    /// Keys typed into the agent's terminal while it still shows the ask.
    Keys,
    /// Hook or protocol request of the tool that waits for the reply to this very ask.
    Request,
    /// Line typed into the terminal, which the agent reads as a prompt.
    Line,
    /// Answer by a person in the agent's terminal; an entry of a dialog can be chosen from outside if its entries are known.
    Terminal,
}

/// Answer of a person, or of a rule, to an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskReply {
    Allow,
    /// Permission for this and similar requests for as long as the agent's session lasts.
    AllowAlways,
    /// Denial; the text tells the agent why, and may be empty.
    Deny(String),
    /// Index of the chosen option, from 0.
    Choose(usize),
    Text(String),
}

/// Ask of an attempt, with its answer and its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskRecord {
    pub ask: Ask,
    pub since: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AskAnswer>,
    /// Time since which the agent no longer asks: it continued, was answered in its terminal, asks something else or has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Timestamp>,
}

/// Answer that was given to an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskAnswer {
    /// Name of the person, or of the setting that answers by itself.
    pub by: String,
    pub reply: AskReply,
    pub at: Timestamp,
    /// Reason the answer did not reach the agent, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Time an agent has to continue after an answer by keys. If it still asks after that, it asks again or the keys were lost.
const KEYS_TIMEOUT: Span = Span::seconds(10);

impl AskRecord {
    /// Creates the record of an ask that has just appeared.
    pub fn new(ask: Ask, since: Timestamp) -> AskRecord {
        AskRecord {
            ask,
            since,
            answer: None,
            closed: None,
        }
    }

    /// Returns the answer that was given, unless it is known that it did not arrive.
    pub fn given(&self) -> Option<&AskAnswer> {
        self.answer.as_ref().filter(|answer| answer.problem.is_none())
    }

    /// Returns true while the ask waits for an answer: none was given, or the one that was given did not arrive.
    pub fn waits(&self, now: Timestamp) -> bool {
        let is_typed = matches!(self.ask.channel, AskChannel::Keys | AskChannel::Terminal);
        let has_answer = self
            .given()
            .is_some_and(|answer| !is_typed || now.since(answer.at) < KEYS_TIMEOUT);
        self.closed.is_none() && !has_answer
    }

    /// Returns true while the agent's terminal may show the ask, so that a text typed there would be taken for an answer. The tool itself
    /// removes a request from the terminal once it has the reply.
    pub fn is_in_the_way(&self) -> bool {
        let is_shown = match self.ask.channel {
            AskChannel::Line => false,
            AskChannel::Request => self.given().is_none(),
            AskChannel::Keys | AskChannel::Terminal => true,
        };
        self.closed.is_none() && is_shown
    }
}

impl AskReply {
    /// Converts words to the answer to a question or a dialog: the option they name, or else the words themselves if the ask takes words
    /// and they are not a number. `None` if they do not answer the ask.
    pub fn from_words(ask: &Ask, words: &str) -> Option<AskReply> {
        if let Some(option) = ask.option_named(words) {
            return Some(AskReply::Choose(option));
        }
        let takes_words = match ask.channel {
            AskChannel::Line => true,
            AskChannel::Request => ask.options.is_empty() || number_of(words).is_none(),
            AskChannel::Keys => ask.options.is_empty(),
            AskChannel::Terminal => false,
        };
        let is_answer = takes_words && ask.kind == AskKind::Question && !words.trim().is_empty();
        is_answer.then(|| AskReply::Text(words.trim().to_owned()))
    }

    /// Returns the answer in words for people.
    pub fn words(&self, ask: &Ask) -> String {
        match self {
            AskReply::Deny(why) if !why.is_empty() => format!("denied ({why})"),
            _ => self.words_without_reason(ask),
        }
    }

    /// Returns the answer in words for people, without the reason for a no.
    pub fn words_without_reason(&self, ask: &Ask) -> String {
        match self {
            AskReply::Allow => "allowed".to_owned(),
            AskReply::AllowAlways => "always allowed".to_owned(),
            AskReply::Deny(_) => "denied".to_owned(),
            AskReply::Choose(number) => {
                let option = ask.options.get(*number).map_or("another option", String::as_str);
                format!("chose {option} for")
            }
            AskReply::Text(text) => format!("answered {text} to"),
        }
    }
}
