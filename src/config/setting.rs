//! How a setting is declared: one row of the schema with its key, its type, its one default and what people read of it.
//! The program reads it with [`super::Config::value`] by the name of its row, so a value that has a default is never missing.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

use crate::config::value::{SecretText, SettingValue, ValueKind};
use crate::domain::Span;

/// What people and the readers of files know of one setting or family of settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettingSpec {
    /// Its key; a part in angle brackets stands for any name.
    pub name: &'static str,
    pub kind: ValueKind,
    /// Its value when nobody sets it; `None`: not set.
    pub default: Option<SettingDefault>,
    /// What it is for, in one sentence.
    pub doc: &'static str,
    pub source: &'static str,
    pub status: SettingStatus,
    pub effect: SettingEffect,
    /// Whether a person must have seen its value before it is heeded, where a file of the project has it.
    pub trust: SettingTrust,
    /// The key of earlier programs that is heeded where this one is not set.
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

/// Whether a setting is in use, obsolete, from an earlier program, or only kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingStatus {
    Used,
    /// Its time is over; the text says what took its place.
    Obsolete(&'static str),
    /// As written for an earlier program, it still does what its doc says; listed where it is set.
    Legacy,
    /// Known and kept, without effect in this version.
    Kept,
}

/// When another value of a setting comes into force while a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingEffect {
    /// As soon as the file is read, within two seconds.
    AtOnce,
    /// For attempts that are started from then on.
    NextAttempt,
    /// When the server is started the next time.
    NextStart,
    /// Never: it does nothing in this version.
    Never,
}

/// What the value of a setting can do; all but the harmless ones are heeded from a project's files only once they are trusted.
/// The most dangerous first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingTrust {
    /// It names a program that is started, or a file that a program is steered by.
    Runs,
    /// It says where something about the project is sent.
    Sends,
    /// It says which agent works, or what agents may do.
    Steers,
    /// It starts nothing, sends nothing and gives no agent another task.
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
    /// Whether `path` is this key, or one of the family.
    pub fn covers<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> bool {
        let fits = |(own, other): (&str, &str)| own == other || (own.starts_with('<') && !other.is_empty());
        let mut path = path.into_iter();
        let all = self
            .name
            .split('.')
            .all(|own| path.next().is_some_and(|other| fits((own, other))));
        all && path.next().is_none()
    }

    /// Returns whether tasks wait while it has a value that cannot be used; otherwise only a screen or a notification is without it.
    pub(super) fn is_needed_for_work(&self) -> bool {
        let has_effect = matches!(self.status, SettingStatus::Used | SettingStatus::Legacy);
        has_effect && !FOR_PEOPLE.iter().any(|begin| self.name.starts_with(begin))
    }

    /// Why it has no effect, when it has none.
    pub fn note(&self) -> Option<&'static str> {
        match self.status {
            SettingStatus::Used | SettingStatus::Legacy => None,
            SettingStatus::Obsolete(why) => Some(why),
            SettingStatus::Kept => Some("without effect in this version"),
        }
    }

    /// Its name as the environment has it, behind `DBS_`.
    pub(super) fn variable(&self) -> String {
        self.name.replace('.', "_").to_ascii_uppercase()
    }

    /// Whether it stands for many keys.
    pub fn is_family(&self) -> bool {
        self.name.contains('<')
    }
}

/// A row of the table with the type of its values. `Option` is the type of what may be not set.
#[derive(Debug)]
pub struct Setting<T: 'static> {
    pub(super) spec: SettingSpec,
    pub(super) default: T,
    /// Values of the words after the first, where the values are words.
    pub(super) others: &'static [T],
}

impl<T> Setting<T> {
    /// Whether `key` is this setting, or one of the family.
    pub fn covers(&self, key: &str) -> bool {
        self.spec.covers(key.split('.'))
    }
}

/// A type that values of settings are read into.
pub trait FromSettingValue: Sized {
    /// The value as this type; `None` where it is of another kind.
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
