//! What a value may be, and how its text is read. The key says what it is: `1` is a number for one key and yes for another.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::adapters::notify::check_address;
use crate::domain::Hours;
use crate::ui::Keymap;

/// What the values of a key are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Count {
        /// The least allowed.
        least: i64,
        /// The most allowed.
        most: i64,
    },
    /// A length of time in whole seconds; `90s`, `5m`, `2h` are understood.
    Seconds {
        /// The least allowed.
        least: i64,
    },
    /// A number that may have a fraction, not negative.
    Decimal,
    /// Yes or no: `true 1 yes on` or `false 0 no off` (K68).
    Switch,
    /// Any text but the empty one.
    Text,
    /// Lower-case letters, digits and dashes, beginning with a letter; at most 16.
    Name,
    /// A key of the keyboard that can stand before others: `ctrl-b`, `alt-a`, `F1`.
    Key,
    /// A command line: a program and arguments; no shell reads it.
    Words,
    /// An address of the web something can be posted to.
    Address,
    /// A text that is never shown.
    Secret,
    /// Hours of the day like `22:00-07:00`, several with commas between; empty: none.
    Hours,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A value that fits its key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A whole number, or seconds.
    Count(i64),
    /// A number with a fraction.
    Decimal(f64),
    /// Yes or no.
    Switch(bool),
    /// A text or a word.
    Text(String),
    /// A text that is never shown.
    Secret(Secret),
}

/// A text that is never shown: whoever prints the value it is in prints that there is one.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text, for the one use it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What is shown instead of a secret.
const HIDDEN: &str = "(set, not shown)";

impl Kind {
    /// Reads `text`; the error says what would be right.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let trimmed = text.trim();
        let fitting = match self {
            Kind::Count { least, most } => count(trimmed, *least, *most),
            Kind::Seconds { least } => seconds(trimmed).filter(|found| found >= least).map(Value::Count),
            Kind::Decimal => decimal(trimmed),
            Kind::Switch => switch(trimmed).map(Value::Switch),
            Kind::Text => (!trimmed.is_empty()).then(|| Value::Text(text.to_owned())),
            Kind::Name => is_name(trimmed).then(|| Value::Text(trimmed.to_owned())),
            Kind::Key => key(trimmed).map(Value::Text),
            Kind::Words => is_command(trimmed).then(|| Value::Text(trimmed.to_owned())),
            Kind::Address => (check_address(trimmed).is_ok()).then(|| Value::Text(trimmed.to_owned())),
            Kind::Secret => is_secret(trimmed).then(|| Value::Secret(Secret(trimmed.to_owned()))),
            Kind::Hours => (trimmed.parse::<Hours>().ok()).map(|hours| Value::Text(hours.to_string())),
            Kind::Choice(words) => words.contains(&trimmed).then(|| Value::Text(trimmed.to_owned())),
        };
        fitting.ok_or_else(|| {
            if self.is_private() {
                format!("must be {self}")
            } else {
                format!("must be {self}, not `{text}`")
            }
        })
    }

    /// Whether what was written stays unsaid when it is wrong: it may hold a password.
    pub fn is_private(&self) -> bool {
        matches!(self, Kind::Secret | Kind::Address)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Count { least, most } => write!(f, "a whole number from {least} to {most}"),
            Kind::Seconds { least: 0 } => f.write_str("seconds, or a time like 90s, 5m, 2h"),
            Kind::Seconds { least } => write!(f, "seconds, or a time like 90s, 5m, 2h, at least {least}"),
            Kind::Decimal => f.write_str("a number like 1 or 0.5"),
            Kind::Switch => f.write_str("true, 1, yes, on or false, 0, no, off"),
            Kind::Text => f.write_str("a text"),
            Kind::Name => f.write_str("a short name of lower-case letters, digits and dashes"),
            Kind::Key => f.write_str("a key like ctrl-b, alt-a or F1 that means nothing else"),
            Kind::Words => f.write_str("a command line"),
            Kind::Address => {
                f.write_str("an address like https://example.org/path, without a password in it")
            }
            Kind::Secret => f.write_str("a text that is never shown"),
            Kind::Hours => f.write_str("hours like 22:00-07:00, several with commas between, or nothing"),
            Kind::Choice(words) => write!(f, "one of {}", words.join(", ")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(number) => write!(f, "{number}"),
            Value::Decimal(number) => write!(f, "{number}"),
            Value::Switch(yes) => write!(f, "{yes}"),
            Value::Text(text) => f.pad(text),
            Value::Secret(_) => f.pad(HIDDEN),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Count(number) => serializer.serialize_i64(*number),
            Value::Decimal(number) => serializer.serialize_f64(*number),
            Value::Switch(yes) => serializer.serialize_bool(*yes),
            Value::Text(text) => serializer.serialize_str(text),
            Value::Secret(_) => serializer.serialize_str(HIDDEN),
        }
    }
}

fn count(text: &str, least: i64, most: i64) -> Option<Value> {
    let number: i64 = text.parse().ok()?;
    (least..=most).contains(&number).then_some(Value::Count(number))
}

/// The longest time that is taken: ten years. What is longer is a slip.
const LONGEST: i64 = 10 * 366 * 24 * 3600;

fn seconds(text: &str) -> Option<i64> {
    let (digits, unit) = match text.char_indices().last()? {
        (at, 's') => (text.get(..at)?, 1),
        (at, 'm') => (text.get(..at)?, 60),
        (at, 'h') => (text.get(..at)?, 3600),
        _ => (text, 1),
    };
    let number: i64 = digits.parse().ok()?;
    number
        .checked_mul(unit)
        .filter(|seconds| (0..=LONGEST).contains(seconds))
}

fn decimal(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(Value::Decimal(number))
}

fn switch(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// The key as the key file writes it. A plain letter is refused: it could not be typed any more.
fn key(text: &str) -> Option<String> {
    let short = text.to_ascii_lowercase();
    let written = [("ctrl-", "C-"), ("alt-", "A-")]
        .into_iter()
        .find_map(|(long, mark)| Some(format!("{mark}{}", short.strip_prefix(long)?)))
        .unwrap_or_else(|| text.to_owned());
    let is_special = ["C-", "A-"].iter().any(|mark| written.starts_with(mark))
        || (written.starts_with('F') && written.len() > 1);
    let plain = !written.contains(['\'', '\n']);
    (is_special && plain && Keymap::with(&format!("prefix = '{written}'")).is_ok()).then_some(written)
}

fn is_command(text: &str) -> bool {
    shell_words::split(text).is_ok_and(|words| !words.is_empty())
}

/// What can stand in the head of a request.
fn is_secret(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= 16 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(letter)
}
