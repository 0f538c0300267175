//! All sources laid over each other, strongest first, and the questions that can be asked of the result.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::adapters::text_file;
use crate::config::environment_names::{ENVIRONMENT, near_miss, path_of};
use crate::config::error::ConfigError;
use crate::config::files::{ConfigFiles, dialect};
use crate::config::origin::{ConfigOverrides, SettingOrigin};
use crate::config::raw::{RawSetting, RawValue, TrustedValue};
use crate::config::schema::{keys, member_of, nearest_key, spec_of};
use crate::config::setting::{
    FromSettingValue, Setting, SettingEffect, SettingSpec, SettingStatus, SettingTrust,
};
use crate::config::value::{SettingValue, ValueError, ValueKind};
use crate::domain::UntrustedFiles;
use crate::formats::agent_kind::AgentKinds;
use crate::formats::finding::{Finding, FindingLevel};

/// All settings of a project with their origins, read from every source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    values: BTreeMap<Vec<String>, Vec<(SettingValue, SettingOrigin)>>,
    /// Keys in the order they were written: families are listed so.
    order: Vec<Vec<String>>,
    diagnostics: Vec<Finding>,
    /// Values and files that cannot be used although the work depends on them; reads after "could not use".
    unusable: Vec<String>,
    /// Parts of the project's files that are not trusted, and so not among the values.
    pub(super) untrusted: Option<UntrustedFiles>,
    /// Kinds of agents of the project that are trusted.
    pub(super) agent_kinds: AgentKinds,
}

/// A setting with its value, its origin and the values it overrides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResolvedSetting {
    pub key: String,
    /// Value of the setting; `None`: not set.
    pub value: Option<SettingValue>,
    pub origin: SettingOrigin,
    /// Values it hides, strongest first, with their origins.
    pub hidden: Vec<(SettingValue, SettingOrigin)>,
    pub doc: &'static str,
    pub kind: String,
    pub row: &'static str,
    /// Reason why the setting has no effect, if it has none.
    pub note: Option<&'static str>,
    /// Time at which another value comes into force while a server runs.
    pub effect: SettingEffect,
}

impl Config {
    /// Reads all sources. Never fails: an unusable value is ignored and reported, and the next source's value holds.
    pub fn read(places: &ConfigFiles, given: &ConfigOverrides) -> Config {
        let mut config = Config::default();
        let mut found = flags(given);
        config.environment(given, &mut found);
        for file in places.project.iter().chain(&places.user) {
            config.file(file, &mut found);
        }
        for value in found {
            config.add(value);
        }
        config
    }

    /// Returns the same settings, with only the trusted values of the project's executable settings: as written where the files still have
    /// the trusted text, else as they were trusted. All other executable settings of these files wait.
    pub(super) fn read_trusted(
        places: &ConfigFiles,
        given: &ConfigOverrides,
        trusted: &[TrustedValue],
    ) -> Config {
        let mut config = Config::default();
        let mut found = flags(given);
        config.environment(given, &mut found);
        let mut project = Vec::new();
        for file in &places.project {
            config.file(file, &mut project);
        }
        let (guarded, others): (Vec<_>, Vec<_>) = project.into_iter().partition(RawSetting::is_guarded);
        let waits = |raw: &&RawSetting| !trusted.iter().any(|one| raw.is(one));
        for waiting in guarded.iter().filter(waits) {
            // Nothing of it is used; its faults are reported all the same.
            config.checked(waiting);
        }
        found.extend(others);
        found.extend(trusted.iter().map(|one| {
            let written = strongest(&guarded, &one.key).filter(|raw| raw.is(one));
            written.cloned().unwrap_or_else(|| one.raw())
        }));
        for file in &places.user {
            config.file(file, &mut found);
        }
        for value in found {
            config.add(value);
        }
        config
    }

    /// Returns the problems of what could not be understood; nothing of it was lost.
    pub fn diagnostics(&self) -> &[Finding] {
        &self.diagnostics
    }

    /// Returns the settings that cannot be used although the work depends on them, a line each; reads after "could not use".
    pub(super) fn unusable(&self) -> &[String] {
        &self.unusable
    }

    /// Returns one setting with its origin and the values it hides.
    ///
    /// # Errors
    /// [`ConfigError::UnknownKey`], with the nearest key.
    pub fn explain(&self, key: &str) -> Result<ResolvedSetting, ConfigError> {
        let path: Vec<&str> = key.split('.').collect();
        match spec_of(&path) {
            Some(known) => Ok(self.shown(known, key.to_owned(), &owned(key))),
            None => Err(ConfigError::unknown(key)),
        }
    }

    /// The value of one setting; `None`: not set.
    ///
    /// # Errors
    /// [`ConfigError::UnknownKey`], with the nearest key.
    pub fn get(&self, key: &str) -> Result<Option<SettingValue>, ConfigError> {
        self.explain(key).map(|shown| shown.value)
    }

    /// All settings that have an effect, and the others that were set; in the order of the documentation.
    pub fn list(&self) -> Vec<ResolvedSetting> {
        let mut all = Vec::new();
        for known in keys() {
            if known.is_family() {
                let members = self.members(known);
                all.extend(members.map(|path| self.shown(known, path.join("."), path)));
                continue;
            }
            let path = owned(known.name);
            if !matches!(known.status, SettingStatus::Kept | SettingStatus::Legacy)
                || self.values.contains_key(&path)
            {
                all.push(self.shown(known, known.name.to_owned(), &path));
            }
        }
        all
    }

    /// Returns the value of a setting; its default if it is not set.
    pub fn value<T: FromSettingValue + Clone>(&self, setting: &Setting<T>) -> T {
        let set = self.all(&setting.spec, &owned(setting.spec.name)).first();
        set.and_then(|(value, _)| T::from_value(value))
            .unwrap_or_else(|| setting.default.clone())
    }

    /// Returns the value that the chosen word of a setting means.
    pub fn choice<T: Copy>(&self, setting: &Setting<T>) -> T {
        let ValueKind::Choice(words) = setting.spec.kind else {
            return setting.default;
        };
        let chosen = self
            .strongest(&owned(setting.spec.name))
            .and_then(String::from_value);
        let chosen = chosen.and_then(|chosen| words.iter().skip(1).position(|word| *word == chosen));
        let other = chosen.and_then(|index| setting.others.get(index));
        other.copied().unwrap_or(setting.default)
    }

    /// A text or a word, if it is set: for members of families and keys that are known only while the program runs.
    pub fn text(&self, key: &str) -> Option<String> {
        String::from_value(&self.get(key).ok()??)
    }

    /// The members of a family with the names they were given, in the order they were written first.
    pub fn family<T: FromSettingValue>(&self, family: &Setting<Option<T>>) -> Vec<(String, T)> {
        let own = family.spec.name.split('.').position(|part| part.starts_with('<'));
        let members = self.members(&family.spec).filter_map(|path| {
            let value = T::from_value(self.strongest(path)?)?;
            Some((path.get(own?)?.clone(), value))
        });
        members.collect()
    }

    /// The strongest value that was set.
    fn strongest(&self, path: &[String]) -> Option<&SettingValue> {
        let (value, _) = self.values.get(path)?.first()?;
        Some(value)
    }

    /// All values of a setting, strongest first; those of its earlier key if it has none.
    pub(super) fn all(&self, known: &SettingSpec, path: &[String]) -> &[(SettingValue, SettingOrigin)] {
        let earlier = || self.values.get(&owned(known.earlier?));
        let set = self.values.get(path).or_else(earlier);
        set.map_or(&[][..], Vec::as_slice)
    }

    fn members<'a>(&'a self, known: &'a SettingSpec) -> impl Iterator<Item = &'a Vec<String>> {
        self.order
            .iter()
            .filter(|path| known.covers(path.iter().map(String::as_str)))
    }

    fn shown(&self, known: &SettingSpec, key: String, path: &[String]) -> ResolvedSetting {
        let set = self.all(known, path);
        let default = known
            .default
            .and_then(|default| known.kind.parse(&default.to_string()).ok());
        let (first, hidden) = match set.split_first() {
            Some((first, hidden)) => (Some(first.clone()), hidden.to_vec()),
            None => (None, Vec::new()),
        };
        let origin = first
            .as_ref()
            .map_or(SettingOrigin::Default, |(_, origin)| origin.clone());
        ResolvedSetting {
            key,
            value: first.map(|(value, _)| value).or(default),
            origin,
            hidden,
            doc: known.doc,
            kind: known.kind.to_string(),
            row: known.source,
            note: known.note(),
            effect: known.effect,
        }
    }

    fn file(&mut self, path: &Path, found: &mut Vec<RawSetting>) {
        let (read, _) = dialect(path);
        let text = match text_file::read_text(path, text_file::LARGEST_WRITTEN) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.report_file(path, 0, error.to_string()),
        };
        match read(path, &text) {
            Ok(values) => found.extend(values),
            Err((line, why)) => {
                self.report_file(path, line, format!("nothing in this file is used: {why}"));
            }
        }
    }

    fn report_file(&mut self, file: &Path, line: usize, text: String) {
        self.unusable.push(format!("{}: {text}", shown_place(file, line)));
        self.report(FindingLevel::Error, file, line, text);
    }

    fn environment(&mut self, given: &ConfigOverrides, found: &mut Vec<RawSetting>) {
        for (name, value) in &given.environment {
            let Some(rest) = name.strip_prefix(ENVIRONMENT) else {
                continue;
            };
            match path_of(rest) {
                Some(path) => found.push(RawSetting {
                    path,
                    text: RawValue::Plain(value.clone()),
                    origin: SettingOrigin::Environment(name.clone()),
                }),
                // Other programs and our own parts use such names too; only a likely slip is worth a word.
                None => {
                    if let Some(meant) = near_miss(rest) {
                        let text = format!("there is no such setting; did you mean {ENVIRONMENT}{meant}?");
                        self.report(FindingLevel::Warning, Path::new(name), 0, text);
                    }
                }
            }
        }
    }

    fn add(&mut self, found: RawSetting) {
        let found = found.without_legacy_table();
        if let Some(value) = self.checked(&found) {
            if !self.order.contains(&found.path) {
                self.order.push(found.path.clone());
            }
            self.values
                .entry(found.path)
                .or_default()
                .push((value, found.origin));
        }
    }

    /// The value, if there is such a setting and it can have this one; otherwise that is reported.
    fn checked(&mut self, found: &RawSetting) -> Option<SettingValue> {
        let (file, line) = found.origin.place();
        let key = found.key();
        let Some(known) = spec_of(&found.parts()) else {
            if let Some(member) = member_of(&found.parts()) {
                let place = shown_place(file, line);
                let text =
                    format!("{key}, at {place}: it is a table, whose settings are written like {member}");
                self.unusable.push(text);
            }
            self.report(FindingLevel::Warning, file, line, unknown(&found.parts(), &key));
            return None;
        };
        let value = match &found.text {
            RawValue::Plain(text) => known.parse(&found.parts(), text),
            RawValue::List(_) if known.kind.is_private() => {
                Err(ValueError(format!("{}, not a list", known.kind)))
            }
            RawValue::List(text) => match known.kind.entries(text) {
                Some(entries) => known.parse(&found.parts(), &entries),
                None => Err(ValueError(format!("{}, not the list `{text}`", known.kind))),
            },
        };
        value
            .map_err(|why| {
                if known.is_needed_for_work() {
                    let text = format!("{key}, at {}: it {why}", shown_place(file, line));
                    self.unusable.push(text);
                }
                let text = format!("{key} {why}; this value is ignored");
                self.report(FindingLevel::Warning, file, line, text);
            })
            .ok()
    }

    fn report(&mut self, severity: FindingLevel, file: &Path, line: usize, text: String) {
        self.diagnostics.push(Finding::new(severity, file, line, text));
    }
}

/// The executable settings that the project's files have, the strongest of each key, in the order they were written; and why the first
/// file that cannot be read is none of them.
pub(super) fn guarded_settings(places: &ConfigFiles) -> (Vec<RawSetting>, Option<String>) {
    let (mut config, mut found) = (Config::default(), Vec::new());
    for file in &places.project {
        config.file(file, &mut found);
    }
    let mut strongest: Vec<RawSetting> = Vec::new();
    for raw in found.into_iter().filter(RawSetting::is_guarded) {
        let raw = raw.without_legacy_table();
        if !strongest.iter().any(|other| other.path == raw.path) {
            strongest.push(raw);
        }
    }
    (strongest, config.unusable.into_iter().next())
}

fn strongest<'a>(found: &'a [RawSetting], key: &str) -> Option<&'a RawSetting> {
    found.iter().find(|raw| raw.key() == key)
}

impl RawSetting {
    /// Returns true if a person must have trusted the value before it is used from a file of the project.
    fn is_guarded(&self) -> bool {
        let known = spec_of(&self.parts());
        known.is_some_and(|known| known.trust != SettingTrust::Harmless)
    }

    fn is(&self, trusted: &TrustedValue) -> bool {
        self.key() == trusted.key && self.value_text() == trusted.text
    }
}

fn flags(given: &ConfigOverrides) -> Vec<RawSetting> {
    let one = |(key, value): &(String, String)| RawSetting {
        path: owned(key),
        text: RawValue::Plain(value.clone()),
        origin: SettingOrigin::Flag,
    };
    given.flags.iter().map(one).collect()
}

fn owned(key: &str) -> Vec<String> {
    key.split('.').map(str::to_owned).collect()
}

fn shown_place(file: &Path, line: usize) -> String {
    match line {
        0 => file.display().to_string(),
        line => format!("{}:{line}", file.display()),
    }
}

fn unknown(path: &[&str], key: &str) -> String {
    if let Some(member) = member_of(path) {
        return format!(
            "`{key}` is a table: its settings are written as `{member}`; this value is kept, but ignored"
        );
    }
    match nearest_key(path) {
        Some(nearest) => {
            format!("there is no setting `{key}`; did you mean `{nearest}`? It is kept, but ignored")
        }
        None => format!("there is no setting `{key}`; it is kept, but ignored"),
    }
}
