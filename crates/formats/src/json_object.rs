//! An object of a JSON document that is read field by field; faults of a field are put into the findings.

use std::collections::BTreeSet;

use super::finding::Findings;
use super::json_findings::quoted;
use super::json_place::{JsonContent, JsonPlace};
use super::nearest::nearest;

/// An object, and its path in the document.
pub(super) struct JsonObject<'a> {
    value: &'a JsonPlace,
    path: String,
}

impl<'a> JsonObject<'a> {
    /// Reads the object at `path`; nothing if the value is not one. A key that appears twice, and one that is nearly of `known`, are found.
    pub(super) fn read(
        (value, path): (&'a JsonPlace, String),
        (what, known): (&str, &[&str]),
        found: &Findings<'_>,
    ) -> Option<JsonObject<'a>> {
        let Some(members) = value.members() else {
            let text = format!("{what} must be an object, not {}", value.kind());
            found.error_at("WRONG_KIND", value.start, &path, &text);
            return None;
        };
        found.keys_once(value, &path);
        for (key, unknown) in members.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            found.unknown_key(key, known, unknown, &path);
        }
        Some(JsonObject { value, path })
    }

    pub(super) fn value(&self) -> &'a JsonPlace {
        self.value
    }

    /// Returns a field that was given; null counts as not given.
    pub(super) fn field(&self, key: &str) -> Option<&'a JsonPlace> {
        let value = self.value.member(key)?;
        (!matches!(value.content, JsonContent::Null)).then_some(value)
    }

    /// Returns the path of a field.
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    pub(super) fn missing(&self, key: &str, example: &str, found: &Findings<'_>) {
        let text = format!("this is missing; write {example}");
        found.error_at("MISSING_FIELD", self.value.start, &self.at(key), &text);
    }

    /// Reads a text; empty if it was not given.
    pub(super) fn text(&self, key: &str, most: (usize, bool), found: &Findings<'_>) -> String {
        let value = self.field(key);
        let text = value.and_then(|value| found.text(value, &self.at(key), most.0, most.1));
        text.unwrap_or_default()
    }

    /// Reads a text that may be neither missing nor empty.
    pub(super) fn needed(
        &self,
        (key, example): (&str, &str),
        most: (usize, bool),
        found: &Findings<'_>,
    ) -> String {
        let Some(value) = self.field(key) else {
            self.missing(key, example, found);
            return String::new();
        };
        let text = found.text(value, &self.at(key), most.0, most.1);
        if text.as_deref() == Some("") {
            found.error_at("EMPTY", value.start, &self.at(key), "this is empty");
        }
        text.unwrap_or_default()
    }

    /// Reads one of these words; nothing if it is missing or none of them.
    pub(super) fn word<T: Copy>(
        &self,
        key: &str,
        words: &[(&'static str, T)],
        found: &Findings<'_>,
    ) -> Option<T> {
        let value = self.field(key)?;
        let path = self.at(key);
        let word = found.text(value, &path, usize::MAX, true)?;
        let named = words.iter().find(|(known, _)| *known == word);
        if named.is_none() {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            let meant = nearest(&word.to_lowercase(), known.iter().copied());
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"));
            let text = format!(
                "{} is not known here; write {}{meant}",
                quoted(&word),
                known.join(", ")
            );
            found.error_at("UNKNOWN_WORD", value.start, &path, &text);
        }
        named.map(|(_, meaning)| *meaning)
    }

    /// Returns the entries of a list of at most `most`, each with its path; none if it was not given.
    pub(super) fn entries(
        &self,
        (key, what): (&str, &str),
        most: usize,
        found: &Findings<'_>,
    ) -> Vec<(&'a JsonPlace, String)> {
        let path = self.at(key);
        let Some(value) = self.field(key) else {
            return Vec::new();
        };
        let Some(entries) = value.entries() else {
            let text = format!("this must be a list of {what}, not {}", value.kind());
            found.error_at("WRONG_KIND", value.start, &path, &text);
            return Vec::new();
        };
        if entries.len() > most {
            let text = format!("this has {} entries; write {most} at most", entries.len());
            found.error_at("TOO_MANY", value.start, &path, &text);
            return Vec::new();
        }
        let entries = entries.iter().enumerate();
        entries
            .map(|(index, entry)| (entry, format!("{path}[{index}]")))
            .collect()
    }

    /// Reads a list of texts; empty if it was not given.
    pub(super) fn texts(
        &self,
        key: &str,
        (most, longest): (usize, usize),
        found: &Findings<'_>,
    ) -> Vec<String> {
        let mut texts = Vec::new();
        for (entry, path) in self.entries((key, "texts"), most, found) {
            match found.text(entry, &path, longest, false) {
                Some(text) if text.is_empty() => found.error_at("EMPTY", entry.start, &path, "this is empty"),
                Some(text) => texts.push(text),
                None => {}
            }
        }
        texts
    }

    /// Reads a list of whole numbers, each once; empty if it was not given.
    pub(super) fn numbers(&self, key: &str, most: usize, found: &Findings<'_>) -> BTreeSet<usize> {
        let mut numbers = BTreeSet::new();
        for (entry, path) in self.entries((key, "numbers"), most, found) {
            let number = match &entry.content {
                JsonContent::Number(number) => {
                    number.as_u64().and_then(|number| usize::try_from(number).ok())
                }
                _ => None,
            };
            match number {
                Some(number) => {
                    numbers.insert(number);
                }
                None => found.error_at(
                    "WRONG_KIND",
                    entry.start,
                    &path,
                    "this must be a whole number from 0 on",
                ),
            }
        }
        numbers
    }
}
