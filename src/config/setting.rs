//! Declaration of a setting: one row of the schema with its key, its type, its one default and its documentation for people. The program
//! reads it with [`super::Config::value`] by the name of its row, so a value that has a default is never missing.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::config::value::{ByteSize, SecretText, SettingValue, ValueError, ValueKind, is_free_variable};
use crate::domain::Span;

/// Specification of one setting or family of settings, for people and for the readers of files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingSpec {
    /// Key of the setting; a part in angle brackets means any name.
    pub name: &'static str,
    pub kind: ValueKind,
    /// Value when the setting is not set; `None`: not set.
    pub default: Option<SettingDefault>,
    /// Purpose of the setting, in one sentence.
    pub doc: &'static str,
    pub source: &'static str,
    pub status: SettingStatus,
    pub effect: SettingEffect,
    /// Danger of the value; decides whether a person must have seen it before it is used from a file of the project.
    pub trust: SettingTrust,
    /// Key of earlier programs that is used where this one is not set.
    pub earlier: Option<&'static str>,
}

/// Default of a setting, as people write it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SettingDefault {
    /// A whole number, or seconds.
    Number(u64),
    Decimal(f64),
    Switch(bool),
    Text(&'static str),
}

/// Status of a setting: in use, obsolete, from an earlier program, or only kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingStatus {
    Used,
    /// Setting whose time is over; the text names its replacement.
    Obsolete(&'static str),
    /// Setting of an earlier program that still does what its doc says; listed if it is set.
    Legacy,
    /// Setting that is known and kept, without effect in this version.
    Kept,
}

/// Time at which another value of a setting comes into force while a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingEffect {
    /// Effect as soon as the file is read, within two seconds.
    AtOnce,
    /// Effect on attempts that are started from then on.
    NextAttempt,
    /// Effect at the next start of the server.
    NextStart,
    /// No effect: the setting does nothing in this version.
    Never,
}

/// Danger of the value of a setting; all but the harmless ones are used from a project's files only once they are trusted. The most
/// dangerous first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingTrust {
    /// Setting that names a program that is started, or a file that a program is steered by.
    Runs,
    /// Setting that says where something about the project is sent.
    Sends,
    /// Setting that says which agent works, or what agents may do.
    Steers,
    /// Setting that starts nothing, sends nothing and gives no agent another task.
    Harmless,
}

impl fmt::Display for SettingDefault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingDefault::Number(number) => number.fmt(f),
            SettingDefault::Decimal(number) => number.fmt(f),
            SettingDefault::Switch(yes) => yes.fmt(f),
            SettingDefault::Text(text) => text.fmt(f),
        }
    }
}

impl fmt::Display for SettingEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SettingEffect::AtOnce => "at once",
            SettingEffect::NextAttempt => "at the next attempt",
            SettingEffect::NextStart => "at the next start",
            SettingEffect::Never => "never",
        })
    }
}

impl Serialize for SettingEffect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Beginnings of the keys of settings that only screens and notifications read.
const FOR_PEOPLE: [&str; 11] = [
    "glyphs",
    "keys.",
    "layout",
    "motion",
    "mouse",
    "notif",
    "paste_preview",
    "session.",
    "terminal.clipboard",
    "terminal.engine",
    "theme",
];

impl SettingSpec {
    /// Returns true if `path` is this key, or one of the family.
    pub fn covers<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> bool {
        let fits = |(own, other): (&str, &str)| own == other || (own.starts_with('<') && !other.is_empty());
        let mut path = path.into_iter();
        let all = self
            .name
            .split('.')
            .all(|own| path.next().is_some_and(|other| fits((own, other))));
        all && path.next().is_none()
    }

    /// Reads a value of the key with those parts.
    ///
    /// # Errors
    /// When the value does not fit, or the key is of a variable that cannot be set.
    pub(super) fn parse(&self, path: &[&str], text: &str) -> Result<SettingValue, ValueError> {
        if self.kind == ValueKind::Variable && !path.last().is_some_and(|name| is_free_variable(name)) {
            let why = "named like a variable, with letters, digits and `_`, and not with DBS_ in front";
            return Err(ValueError(why.to_owned()));
        }
        self.kind.parse(text)
    }

    /// Returns whether tasks wait while it has a value that cannot be used; otherwise only a screen or a notification is without it.
    pub(super) fn is_needed_for_work(&self) -> bool {
        let has_effect = matches!(self.status, SettingStatus::Used | SettingStatus::Legacy);
        has_effect && !FOR_PEOPLE.iter().any(|begin| self.name.starts_with(begin))
    }

    /// Returns the reason why the setting has no effect, if it has none.
    pub fn note(&self) -> Option<&'static str> {
        match self.status {
            SettingStatus::Used | SettingStatus::Legacy => None,
            SettingStatus::Obsolete(why) => Some(why),
            SettingStatus::Kept => Some("without effect in this version"),
        }
    }

    /// Returns the name of the environment variable without `DBS_` before it.
    pub(super) fn variable(&self) -> String {
        self.name.replace('.', "_").to_ascii_uppercase()
    }

    /// Returns true if the setting is a family of many keys.
    pub fn is_family(&self) -> bool {
        self.name.contains('<')
    }
}

/// Row of the table with the type of its values. `Option` is the type of values that may be unset.
#[derive(Debug)]
pub struct Setting<T: 'static> {
    pub(super) spec: SettingSpec,
    pub(super) default: T,
    /// Values of the words after the first, where the values are words.
    pub(super) others: &'static [T],
}

impl<T> Setting<T> {
    /// Returns its key.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// Returns true if `key` is this setting, or one of the family.
    pub fn covers(&self, key: &str) -> bool {
        self.spec.covers(key.split('.'))
    }
}

/// A type that values of settings are read into.
pub trait FromSettingValue: Sized {
    /// The value as this type; `None` if it is of another kind.
    fn from_value(value: &SettingValue) -> Option<Self>;
}

/// Lets each type be read from values of one kind.
macro_rules! read_from {
    ($($type:ty: $kind:ident($value:ident) => $read:expr;)+) => {$(
        impl FromSettingValue for $type {
            fn from_value(value: &SettingValue) -> Option<$type> {
                match value {
                    SettingValue::$kind($value) => $read,
                    _ => None,
                }
            }
        }
    )+};
}

read_from! {
    Span: Count(number) => (*number).try_into().ok().map(Span::seconds);
    f64: Decimal(number) => Some(*number);
    bool: Switch(yes) => Some(*yes);
    String: Text(text) => Some(text.clone());
    Cow<'static, str>: Text(text) => Some(Cow::Owned(text.clone()));
    SecretText: Secret(secret) => Some(secret.clone());
}

impl FromSettingValue for ByteSize {
    fn from_value(value: &SettingValue) -> Option<ByteSize> {
        match value {
            SettingValue::Text(text) => ByteSize::of(text),
            _ => None,
        }
    }
}

impl FromSettingValue for u32 {
    fn from_value(value: &SettingValue) -> Option<u32> {
        match value {
            SettingValue::Count(number) => (*number).try_into().ok(),
            // Earlier programs write percents with a fraction.
            SettingValue::Decimal(number) if *number >= 1.0 => format!("{number:.0}").parse().ok(),
            _ => None,
        }
    }
}

impl<T: FromSettingValue> FromSettingValue for Option<T> {
    fn from_value(value: &SettingValue) -> Option<Option<T>> {
        T::from_value(value).map(Some)
    }
}
