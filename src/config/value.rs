//! Kinds of values, and the reading of their text. The key decides the kind: `1` is a number for one key and yes for another.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::adapters::notify::check_address;
use crate::domain::DailyHours;
use crate::domain::commit_template::{self, is_message_template, is_template};
use crate::formats::inner_path::escape_reason;
use crate::formats::permissions::read_setting;
use crate::keymap::Keymap;

/// Kind of values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Count {
        least: i64,
        /// The most allowed.
        most: i64,
    },
    /// The same from 1, or `auto`.
    CountOrAuto {
        /// The most allowed.
        most: i64,
    },
    /// A length of time in whole seconds; `90s`, `5m`, `2h` are understood.
    Seconds {
        least: i64,
    },
    /// A number that may have a fraction, not negative.
    Decimal,
    /// Yes or no: `true 1 yes on` or `false 0 no off` (K68).
    Switch,
    /// Any text but the empty one.
    Text,
    /// The first line of a commit, with names between braces.
    CommitTemplate,
    /// The whole message of a commit, with names between braces.
    MessageTemplate,
    /// Lower-case letters, digits and dashes, beginning with a letter; at most 16.
    Name,
    /// A key of the keyboard that can come before others: `ctrl-b`, `alt-a`, `F1`.
    Key,
    /// A command line: a program and arguments; no shell reads it.
    Words,
    /// The same, or nothing.
    WordsOrNone,
    /// A command line that names the file of a story's tests.
    TestCommand,
    /// A path inside of the project.
    InnerPath,
    /// The path of a story's tests inside of the project: its last part holds `{name}`.
    TestPath,
    /// Paths inside of the project with commas between; empty: none.
    InnerPaths,
    /// Words with commas between, or a list of them; empty: none.
    List,
    /// Commands for a shell, one in each line or a list of them; empty: none.
    Commands,
    /// The same of names of variables, in which `*` matches any text.
    VariableNames,
    /// Value of a variable whose name is the last part of the key.
    Variable,
    /// An address of the web something can be posted to.
    Address,
    Secret,
    /// Room on a disk, such as `5GiB`.
    Size,
    /// Hours of the day like `22:00-07:00`, several with commas between; empty: none.
    Hours,
    Choice(&'static [&'static str]),
    /// Rules on what the tools of agents may do.
    Permissions,
}

/// Word for a number that is measured.
pub(super) const AUTO: &str = "auto";

/// A checked value of a setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// A whole number, or seconds.
    Count(i64),
    Decimal(f64),
    Switch(bool),
    Text(String),
    Secret(SecretText),
}

/// A text that is never printed, such as a token.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    /// The text, for the one use it is for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

/// Number of bytes, as settings write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub u64);

impl ByteSize {
    /// Reads a number with a unit; only 0 needs none.
    pub(super) fn of(text: &str) -> Option<ByteSize> {
        let at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at_checked(at)?;
        let unit = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" if digits == "0" => 1,
            "m" | "mb" | "mib" => 1 << 20,
            "g" | "gb" | "gib" => 1 << 30,
            "t" | "tb" | "tib" => 1 << 40,
            _ => return None,
        };
        digits.parse::<u64>().ok()?.checked_mul(unit).map(ByteSize)
    }
}

/// Text shown instead of a secret.
const HIDDEN: &str = "(set, not shown)";

/// Error of a value that does not fit its setting; it says what would.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be {0}")]
pub struct ValueError(pub(super) String);

impl ValueKind {
    /// Reads `text`; the error says what would be right.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn parse(&self, text: &str) -> Result<SettingValue, ValueError> {
        let entries = self.entries(text.trim());
        let trimmed = entries.as_deref().unwrap_or_else(|| text.trim());
        let as_text = || SettingValue::Text(trimmed.to_owned());
        let fitting = match self {
            ValueKind::Count { least, most } => count(trimmed, *least, *most),
            ValueKind::CountOrAuto { .. } if trimmed == AUTO => Some(as_text()),
            ValueKind::CountOrAuto { most } => count(trimmed, 1, *most),
            ValueKind::Seconds { least } => seconds(trimmed)
                .filter(|found| found >= least)
                .map(SettingValue::Count),
            ValueKind::Decimal => decimal(trimmed),
            ValueKind::Switch => switch(trimmed).map(SettingValue::Switch),
            ValueKind::Text => (!trimmed.is_empty()).then(|| SettingValue::Text(text.to_owned())),
            ValueKind::CommitTemplate => is_template(trimmed).then(as_text),
            ValueKind::MessageTemplate => is_message_template(trimmed).then(as_text),
            ValueKind::Name => is_name(trimmed).then(as_text),
            ValueKind::Key => key(trimmed).map(SettingValue::Text),
            ValueKind::Words => is_command(trimmed).then(as_text),
            ValueKind::WordsOrNone => (trimmed.is_empty() || is_command(trimmed)).then(as_text),
            ValueKind::TestCommand => is_test_command(trimmed).then(as_text),
            ValueKind::InnerPath => is_inner_path(trimmed).then(as_text),
            ValueKind::TestPath => is_test_path(trimmed).then(as_text),
            ValueKind::InnerPaths => listed(trimmed).all(is_inner_path).then(as_text),
            ValueKind::List => is_line(trimmed).then(as_text),
            ValueKind::Commands => trimmed.lines().all(is_line).then(as_text),
            ValueKind::VariableNames => listed(trimmed).all(is_variable_pattern).then(as_text),
            ValueKind::Variable => (!text.contains('\0')).then(|| SettingValue::Text(text.to_owned())),
            ValueKind::Address => check_address(trimmed).is_ok().then(as_text),
            ValueKind::Secret => {
                is_secret(trimmed).then(|| SettingValue::Secret(SecretText(trimmed.to_owned())))
            }
            ValueKind::Size => ByteSize::of(trimmed).map(|_| as_text()),
            ValueKind::Hours => {
                (trimmed.parse::<DailyHours>().ok()).map(|hours| SettingValue::Text(hours.to_string()))
            }
            ValueKind::Choice(words) => words.contains(&trimmed).then(as_text),
            ValueKind::Permissions => read_setting(trimmed).is_ok().then(as_text),
        };
        fitting.ok_or_else(|| {
            ValueError(if self.is_private() {
                self.to_string()
            } else {
                format!("{self}, not `{text}`")
            })
        })
    }

    /// Returns the entries of a list as files write it, `["a", "b"]`, as one text; `None` if the text is no list, or the kind has none.
    pub(super) fn entries(&self, text: &str) -> Option<String> {
        let between = match self {
            ValueKind::List | ValueKind::InnerPaths | ValueKind::VariableNames => ", ",
            ValueKind::Commands => "\n",
            _ => return None,
        };
        let list: toml_edit::Value = text.starts_with('[').then(|| text.parse().ok()).flatten()?;
        let words = list.as_array()?.iter().map(toml_edit::Value::as_str);
        Some(words.collect::<Option<Vec<&str>>>()?.join(between))
    }

    /// Returns true if a wrong value must not be shown: it may hold a password.
    pub fn is_private(&self) -> bool {
        matches!(self, ValueKind::Secret | ValueKind::Address)
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueKind::Count { least, most } => write!(f, "a whole number from {least} to {most}"),
            ValueKind::CountOrAuto { most } => write!(f, "a whole number from 1 to {most}, or {AUTO}"),
            ValueKind::Seconds { least: 0 } => f.write_str("seconds, or a time like 90s, 5m, 2h"),
            ValueKind::Seconds { least } => {
                write!(f, "seconds, or a time like 90s, 5m, 2h, at least {least}")
            }
            ValueKind::Decimal => f.write_str("a number like 1 or 0.5"),
            ValueKind::Switch => f.write_str("true, 1, yes, on or false, 0, no, off"),
            ValueKind::Text => f.write_str("a text"),
            ValueKind::CommitTemplate => {
                write!(
                    f,
                    "one line of at most 200 bytes, which may contain {}",
                    commit_template::NAMES
                )
            }
            ValueKind::MessageTemplate => {
                write!(
                    f,
                    "a text of at most 2000 bytes, which may contain {}, {{subject}}, {{branch}} and {{base}}",
                    commit_template::NAMES
                )
            }
            ValueKind::Name => f.write_str("a short name of lower-case letters, digits and dashes"),
            ValueKind::Key => f.write_str("a key like ctrl-b, alt-a or F1 that means nothing else"),
            ValueKind::Words => f.write_str("a command line"),
            ValueKind::WordsOrNone => f.write_str("a command line, or nothing"),
            ValueKind::TestCommand => f.write_str("a command line with `{file}` or `{name}` in it"),
            ValueKind::InnerPath => f.write_str("a path inside of the project, written with `/`"),
            ValueKind::TestPath => f.write_str(
                "a path inside of the project whose last part holds `{name}`, like tests/{name}.py",
            ),
            ValueKind::InnerPaths => {
                f.write_str("paths inside of the project, several with commas between, or nothing")
            }
            ValueKind::List => f.write_str("words, several with commas between, or nothing"),
            ValueKind::Commands => f.write_str("commands, several as a list or one in each line, or nothing"),
            ValueKind::VariableNames => f.write_str(
                "names of variables, in which `*` matches any text, several with commas between, or nothing",
            ),
            ValueKind::Variable => f.write_str("the text of a variable"),
            ValueKind::Address => {
                f.write_str("an address like https://example.org/path, without a password in it")
            }
            ValueKind::Secret => f.write_str("a text that is never shown"),
            ValueKind::Size => f.write_str("a size like 500MiB or 5GiB, or 0"),
            ValueKind::Hours => {
                f.write_str("hours like 22:00-07:00, several with commas between, or nothing")
            }
            ValueKind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            ValueKind::Permissions => {
                f.write_str("one of ask, edits, allow, deny, or rules like `allow run make*; ask`")
            }
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Count(number) => write!(f, "{number}"),
            SettingValue::Decimal(number) => write!(f, "{number}"),
            SettingValue::Switch(yes) => write!(f, "{yes}"),
            SettingValue::Text(text) => f.pad(text),
            SettingValue::Secret(_) => f.pad(HIDDEN),
        }
    }
}

fn count(text: &str, least: i64, most: i64) -> Option<SettingValue> {
    let number: i64 = text.parse().ok()?;
    (least..=most)
        .contains(&number)
        .then_some(SettingValue::Count(number))
}

/// Maximum accepted time: ten years. A longer one is a slip.
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

fn decimal(text: &str) -> Option<SettingValue> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(SettingValue::Decimal(number))
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
    (is_special && plain && Keymap::with_overrides(&format!("prefix = '{written}'")).is_ok())
        .then_some(written)
}

fn is_command(text: &str) -> bool {
    shell_words::split(text).is_ok_and(|words| !words.is_empty())
}

/// The entries of a list with commas between.
pub(super) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|entry| !entry.is_empty())
}

/// Returns true if a text may be the name of a variable, or a pattern of such names.
fn is_variable_pattern(text: &str) -> bool {
    text.chars().all(|c| c == '*' || is_of_variable(c))
}

/// Returns true if the settings may give a variable of that name a value: this program's own variables say who an agent is.
pub(super) fn is_free_variable(name: &str) -> bool {
    let is_own = ["DBS_", "DEBUSSY_"].iter().any(|own| name.starts_with(own));
    !is_own && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_of_variable)
}

fn is_of_variable(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | ')')
}

/// Returns true if a command says which tests it is for; without that, it would run those of all stories.
fn is_test_command(text: &str) -> bool {
    is_command(text) && ["{file}", "{name}"].iter().any(|name| text.contains(name))
}

fn is_inner_path(text: &str) -> bool {
    is_line(text) && escape_reason(text).is_none()
}

fn is_test_path(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    is_inner_path(text) && name.contains("{name}")
}

fn is_line(text: &str) -> bool {
    !text.chars().any(char::is_control)
}

/// Returns true if the text can be in the head of a request.
fn is_secret(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

fn is_name(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= 16 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(letter)
}
