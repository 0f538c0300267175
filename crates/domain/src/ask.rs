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

    /// The option that these words name: by its number from 1, by its label, or by the first words of its label alone. None where
    /// they name none, or more than one.
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

    /// The options with their numbers, for people; empty where there are none.
    pub fn numbered_options(&self) -> String {
        let numbered = (1..).zip(&self.options);
        let numbered: Vec<String> = numbered
            .map(|(number, option)| format!("{number} {option}"))
            .collect();
        numbered.join("; ")
    }

    /// The only option of a dialog that says yes, such as `Yes, I trust this folder`.
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

/// The number that these words are, with a full stop behind it or without.
fn number_of(words: &str) -> Option<usize> {
    words.trim().trim_end_matches('.').parse().ok()
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
    /// A dialog of the tool itself: folder trust, login, theme, billing. Only a person answers it.
    Dialog,
}

impl AskKind {
    /// Returns true where a person chooses among entries, and not between yes and no.
    pub fn has_entries(self) -> bool {
        matches!(self, AskKind::Question | AskKind::Dialog)
    }
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
    /// A person answers in its terminal; of a dialog whose entries are known one can be chosen from outside.
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

    /// Returns true while it waits for an answer: none was given, or the one that was given did not arrive.
    pub fn waits(&self, now: Timestamp) -> bool {
        let is_typed = matches!(self.ask.channel, AskChannel::Keys | AskChannel::Terminal);
        let has_answer = self
            .given()
            .is_some_and(|answer| !is_typed || now.since(answer.at) < KEYS_TIMEOUT);
        self.closed.is_none() && !has_answer
    }

    /// Returns true while its agent's terminal may show it, so that a text typed there would be taken for an answer. The tool itself
    /// takes a request away from there once it has the reply.
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
    /// The answer that these words are to a question or a dialog: one of its options where they name one, else the words where the
    /// ask takes words and they are no number. None where they answer nothing.
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
