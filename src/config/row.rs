//! The ways a row of the table of settings is written: `NAME: TYPE = values, spec;` with one function for each kind of values.

use std::borrow::Cow;

use crate::config::setting::{
    Setting, SettingDefault, SettingEffect, SettingSpec, SettingStatus, SettingTrust,
};
use crate::config::value::{ByteSize, ValueKind};
use crate::domain::Span;

/// Declares each row as a static of its name, and the list of them all.
macro_rules! settings {
    ($list:ident $($name:ident: $type:ty = $values:ident($($of:expr),+), $spec:expr;)+) => {
        $(
            /// A row of the table of settings; its spec says what it is for.
            pub static $name: Setting<$type> = $values($spec, $($of),+);
        )+
        /// The rows of this part of the table, in the order of the documentation.
        pub(in crate::config) static $list: &[&SettingSpec] = &[$(&$name.spec),+];
    };
}
pub(super) use settings;

pub(super) const FEW: ValueKind = ValueKind::Count { least: 1, most: 999 };
pub(super) const FEW_OR_NONE: ValueKind = ValueKind::Count { least: 0, most: 999 };
pub(super) const SPAN: ValueKind = ValueKind::Seconds { least: 0 };

/// A number from 1 to `most`.
pub(super) const fn count(spec: SettingSpec, most: i64, default: u32) -> Setting<u32> {
    let shown = Some(SettingDefault::Number(default as u64));
    setting(spec, ValueKind::Count { least: 1, most }, shown, default)
}

/// A number from 1 to `most`, or `auto`.
pub(super) const fn count_or_auto(spec: SettingSpec, most: i64, default: u32) -> Setting<u32> {
    let shown = Some(SettingDefault::Number(default as u64));
    setting(spec, ValueKind::CountOrAuto { most }, shown, default)
}

/// A number from 0 to `most`.
pub(super) const fn count_or_none(spec: SettingSpec, most: i64, default: u32) -> Setting<u32> {
    let shown = Some(SettingDefault::Number(default as u64));
    setting(spec, ValueKind::Count { least: 0, most }, shown, default)
}

pub(super) const fn seconds(spec: SettingSpec, least: i64, default: Span) -> Setting<Span> {
    let shown = Some(SettingDefault::Number(default.0 / 1000));
    setting(spec, ValueKind::Seconds { least }, shown, default)
}

pub(super) const fn decimal(spec: SettingSpec, default: f64) -> Setting<f64> {
    setting(
        spec,
        ValueKind::Decimal,
        Some(SettingDefault::Decimal(default)),
        default,
    )
}

pub(super) const fn switch(spec: SettingSpec, default: bool) -> Setting<bool> {
    setting(
        spec,
        ValueKind::Switch,
        Some(SettingDefault::Switch(default)),
        default,
    )
}

pub(super) const fn text(
    spec: SettingSpec,
    kind: ValueKind,
    default: &'static str,
) -> Setting<Cow<'static, str>> {
    let shown = Some(SettingDefault::Text(default));
    setting(spec, kind, shown, Cow::Borrowed(default))
}

/// A size in bytes; `shown` is how people write it.
pub(super) const fn size(spec: SettingSpec, shown: &'static str, default: ByteSize) -> Setting<ByteSize> {
    setting(spec, ValueKind::Size, Some(SettingDefault::Text(shown)), default)
}

/// Setting with a choice of words: the first means the default, the others mean `others` in this order.
pub(super) const fn choice<T: Copy>(
    spec: SettingSpec,
    words: &'static [&'static str],
    default: T,
    others: &'static [T],
) -> Setting<T> {
    let shown = match words.first() {
        Some(word) => Some(SettingDefault::Text(word)),
        None => None,
    };
    Setting {
        others,
        ..setting(spec, ValueKind::Choice(words), shown, default)
    }
}

/// Values of this kind; without one it is not set.
pub(super) const fn unset<T>(spec: SettingSpec, kind: ValueKind) -> Setting<Option<T>> {
    setting(spec, kind, None, None)
}

const fn setting<T>(
    spec: SettingSpec,
    kind: ValueKind,
    shown: Option<SettingDefault>,
    default: T,
) -> Setting<T> {
    Setting {
        spec: SettingSpec {
            kind,
            default: shown,
            ..spec
        },
        default,
        others: &[],
    }
}

pub(super) const fn used(
    name: &'static str,
    effect: SettingEffect,
    trust: SettingTrust,
    source: &'static str,
    doc: &'static str,
) -> SettingSpec {
    SettingSpec {
        name,
        kind: ValueKind::Text,
        default: None,
        doc,
        source,
        status: SettingStatus::Used,
        effect,
        trust,
        earlier: None,
    }
}

/// A setting that earlier programs have by another key.
pub(super) const fn known_as(earlier: &'static str, spec: SettingSpec) -> SettingSpec {
    SettingSpec {
        earlier: Some(earlier),
        ..spec
    }
}

/// Setting whose time is over, with its replacement.
pub(super) const fn obsolete(
    name: &'static str,
    source: &'static str,
    doc: &'static str,
    why: &'static str,
) -> SettingSpec {
    let status = SettingStatus::Obsolete(why);
    SettingSpec {
        status,
        ..used(name, SettingEffect::Never, SettingTrust::Harmless, source, doc)
    }
}

/// A setting of an earlier program that still does what it says.
pub(super) const fn earlier(
    name: &'static str,
    trust: SettingTrust,
    source: &'static str,
    doc: &'static str,
) -> SettingSpec {
    let status = SettingStatus::Legacy;
    SettingSpec {
        status,
        ..used(name, SettingEffect::AtOnce, trust, source, doc)
    }
}

/// A setting of an earlier program that has another key now; `doc` says which.
pub(super) const fn renamed(
    name: &'static str,
    kind: ValueKind,
    trust: SettingTrust,
    doc: &'static str,
) -> SettingSpec {
    SettingSpec {
        kind,
        ..earlier(name, trust, "C17, P51", doc)
    }
}

/// A setting of an earlier program that is kept and does nothing.
pub(super) const fn kept(name: &'static str, kind: ValueKind) -> SettingSpec {
    let doc = "Known from earlier programs; kept as it is, without effect in this version.";
    let status = SettingStatus::Kept;
    SettingSpec {
        kind,
        status,
        ..used(name, SettingEffect::Never, SettingTrust::Harmless, "P51", doc)
    }
}
