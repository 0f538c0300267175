//! Fields of a JSON document that are read one by one; the faults of each are put into the findings, with its line and its path.

use std::collections::BTreeSet;
use std::fmt::Display;

use dbs_domain::cut::cut_chars;
use strum::VariantArray;

use super::finding::{FindingLevel, Findings};
use super::json_place::{self, JsonContent, JsonPlace};
use super::nearest::nearest;

/// Maximum number of characters of a value that a finding quotes.
const MOST_QUOTED: usize = 60;

/// Maximum number of characters of a text, and true if it is one line.
pub(super) type TextLimit = (usize, bool);

/// Parses a text; that it is not JSON is found.
pub(super) fn parse(text: &str, findings: &Findings<'_>) -> Option<JsonPlace> {
    json_place::parse(text)
        .map_err(|fault| {
            let why = format!("this cannot be read as JSON: {}", fault.text);
            findings.note(FindingLevel::Error, "BAD_JSON", fault.at, "$", why);
        })
        .ok()
}

/// A value, its path in the document, and the findings about that.
#[derive(Clone)]
pub(super) struct JsonField<'a> {
    pub(super) place: &'a JsonPlace,
    pub(super) path: String,
    found: &'a Findings<'a>,
}

impl<'a> JsonField<'a> {
    /// Returns the value of the whole document.
    pub(super) fn root(place: &'a JsonPlace, found: &'a Findings<'a>) -> JsonField<'a> {
        let path = "$".to_owned();
        JsonField { place, path, found }
    }

    /// Returns the same value with a longer path, for findings about a part of it.
    pub(super) fn below(&self, path: &str) -> JsonField<'a> {
        JsonField {
            path: format!("{}{path}", self.path),
            ..self.clone()
        }
    }

    /// Returns the line of its start.
    pub(super) fn line(&self) -> usize {
        self.found.line_of(self.place.start)
    }

    pub(super) fn error(&self, code: &'static str, text: impl Display) {
        self.found
            .note(FindingLevel::Error, code, self.place.start, &self.path, text);
    }

    pub(super) fn warning(&self, code: &'static str, text: impl Display) {
        self.found
            .note(FindingLevel::Warning, code, self.place.start, &self.path, text);
    }

    fn wrong_kind(&self, right: impl Display) {
        let text = format!("this must be {right}, not {}", self.place.kind());
        self.error("WRONG_KIND", text);
    }

    /// Reads a text without harmful control characters; `None` if it is not one.
    pub(super) fn text(&self, (most, is_one_line): TextLimit) -> Option<String> {
        let Some(text) = self.place.text() else {
            self.wrong_kind("a text");
            return None;
        };
        let is_allowed = |letter: char| !letter.is_control() || (!is_one_line && "\n\r\t".contains(letter));
        if let Some(control) = text.chars().find(|letter| !is_allowed(*letter)) {
            let text = format!("this holds the control character {control:?}; take it out");
            self.error("CONTROL_CHARACTER", text);
            return None;
        }
        let n = text.chars().count();
        if n > most {
            self.error(
                "TOO_LONG",
                format!("this has {n} characters; write {most} at most"),
            );
            return None;
        }
        Some(text.trim().to_owned())
    }

    /// Reads a text that may not be empty.
    pub(super) fn filled(&self, limit: TextLimit) -> Option<String> {
        let text = self.text(limit);
        if text.as_deref() == Some("") {
            self.error("EMPTY", "this is empty");
        }
        text
    }

    /// Reads true or false; `None` if it is neither.
    pub(super) fn switch(&self) -> Option<bool> {
        if let JsonContent::Switch(switch) = self.place.content {
            return Some(switch);
        }
        self.wrong_kind("true or false");
        None
    }

    /// Reads a whole number; `None` if it is none.
    pub(super) fn number(&self) -> Option<u64> {
        match &self.place.content {
            JsonContent::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// Returns the entries of a list of at most `most`; empty if it is not one.
    pub(super) fn entries(&self, what: &str, most: usize) -> Vec<JsonField<'a>> {
        let Some(entries) = self.place.entries() else {
            self.wrong_kind(format_args!("a list of {what}"));
            return Vec::new();
        };
        if entries.len() > most {
            let text = format!("this has {} entries; write {most} at most", entries.len());
            self.error("TOO_MANY", text);
            return Vec::new();
        }
        let entry = |(index, place)| JsonField {
            place,
            ..self.below(&format!("[{index}]"))
        };
        entries.iter().enumerate().map(entry).collect()
    }

    /// Reads an object; `None` if it is not one. A key that appears twice, and one that is nearly of `known`, are found.
    pub(super) fn object(self, what: &str, known: &[&str]) -> Option<JsonObject<'a>> {
        let Some(members) = self.place.members() else {
            let text = format!("{what} must be an object, not {}", self.place.kind());
            self.error("WRONG_KIND", text);
            return None;
        };
        let member = |(key, place): &'a (String, JsonPlace)| JsonField {
            place,
            ..self.below(&step(key))
        };
        let mut seen = BTreeSet::new();
        for entry in members.iter().filter(|(key, _)| !seen.insert(key.as_str())) {
            let text = "this key stands twice; keep one of them";
            member(entry).error("DUPLICATE_KEY", text);
        }
        for entry in members.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            if let Some(meant) = nearest(&entry.0, known.iter().copied()) {
                let text = format!("this field is not known and is kept; did you mean {meant:?}?");
                member(entry).warning("UNKNOWN_FIELD", text);
            }
        }
        Some(JsonObject { whole: self })
    }
}

/// An object of a document.
pub(super) struct JsonObject<'a> {
    pub(super) whole: JsonField<'a>,
}

impl<'a> JsonObject<'a> {
    /// Returns a field that was given; null counts as not given.
    pub(super) fn field(&self, key: &str) -> Option<JsonField<'a>> {
        let is_given = |field: &JsonField<'_>| !matches!(field.place.content, JsonContent::Null);
        self.member(key).filter(is_given)
    }

    /// Returns a field that is there, null or not.
    pub(super) fn member(&self, key: &str) -> Option<JsonField<'a>> {
        let place = self.whole.place.member(key)?;
        Some(JsonField {
            place,
            ..self.lacking(key)
        })
    }

    /// Returns the object itself with the path of one of its fields, for findings about a field that is not there.
    fn lacking(&self, key: &str) -> JsonField<'a> {
        self.whole.below(&format!(".{key}"))
    }

    /// Records an error about a field where the object begins.
    pub(super) fn lacks(&self, code: &'static str, key: &str, text: impl Display) {
        self.lacking(key).error(code, text);
    }

    /// Records an error about a field, where that begins if it was given.
    pub(super) fn error(&self, code: &'static str, key: &str, text: impl Display) {
        self.field(key)
            .unwrap_or_else(|| self.lacking(key))
            .error(code, text);
    }

    /// Records a warning about a field where the object begins.
    pub(super) fn doubts(&self, code: &'static str, key: &str, text: impl Display) {
        self.lacking(key).warning(code, text);
    }

    pub(super) fn missing(&self, key: &str, example: impl Display) {
        self.lacks(
            "MISSING_FIELD",
            key,
            format_args!("this is missing; write {example}"),
        );
    }

    /// Returns a field that must be given.
    pub(super) fn needed_field(&self, key: &str, example: impl Display) -> Option<JsonField<'a>> {
        let field = self.field(key);
        if field.is_none() {
            self.missing(key, example);
        }
        field
    }

    /// Reads a text; empty if it was not given.
    pub(super) fn text(&self, key: &str, limit: TextLimit) -> String {
        self.field(key)
            .and_then(|field| field.text(limit))
            .unwrap_or_default()
    }

    /// Reads a text that may be neither missing nor empty.
    pub(super) fn needed(&self, key: &str, example: &str, limit: TextLimit) -> String {
        let field = self.needed_field(key, example);
        field.and_then(|field| field.filled(limit)).unwrap_or_default()
    }

    /// Reads one of these words; `None` if it is missing or none of them.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&'static str, T)]) -> Option<T> {
        let field = self.field(key)?;
        let word = field.text((usize::MAX, true))?;
        let named = words.iter().find(|(known, _)| *known == word);
        if named.is_none() {
            let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
            let (quoted, meant) = (quoted(&word), meant(&word, known.iter().copied()));
            let text = format!("{quoted} is not known here; write {}{meant}", known.join(", "));
            field.error("UNKNOWN_WORD", text);
        }
        named.map(|(_, meaning)| *meaning)
    }

    /// Reads a word that may not be missing.
    pub(super) fn needed_word<T: Copy>(&self, key: &str, words: &[(&'static str, T)]) -> Option<T> {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.needed_field(key, format_args!("one of {}", known.join(", ")))?;
        self.word(key, words)
    }

    /// Reads true or false; false if it was not given.
    pub(super) fn switch(&self, key: &str) -> bool {
        self.field(key)
            .and_then(|field| field.switch())
            .unwrap_or_default()
    }

    /// Returns the entries of a list of at most `most`; empty if it was not given.
    pub(super) fn entries(&self, key: &str, what: &str, most: usize) -> Vec<JsonField<'a>> {
        let entries = self.field(key).map(|field| field.entries(what, most));
        entries.unwrap_or_default()
    }

    /// Returns the number of entries that a list has, however many may be read.
    pub(super) fn count(&self, key: &str) -> usize {
        let field = self.field(key);
        field
            .and_then(|field| field.place.entries())
            .map_or(0, <[_]>::len)
    }

    /// Reads a list of texts; empty if it was not given.
    pub(super) fn texts(&self, key: &str, most: usize, longest: usize) -> Vec<String> {
        let entries = self.entries(key, "texts", most).into_iter();
        let texts = entries.filter_map(|entry| entry.filled((longest, false)));
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Reads a list of whole numbers, each once; empty if it was not given.
    pub(super) fn numbers(&self, key: &str, most: usize) -> BTreeSet<usize> {
        let mut numbers = BTreeSet::new();
        for entry in self.entries(key, "numbers", most) {
            match entry.number().and_then(|number| usize::try_from(number).ok()) {
                Some(number) => {
                    numbers.insert(number);
                }
                None => entry.error("WRONG_KIND", "this must be a whole number from 0 on"),
            }
        }
        numbers
    }
}

/// Returns the words of an enum, each with its value.
pub(super) fn words<T: Copy + Into<&'static str> + VariantArray>() -> Vec<(&'static str, T)> {
    T::VARIANTS
        .iter()
        .map(|value| ((*value).into(), *value))
        .collect()
}

/// Returns the question after a word that is nearly one of the known ones.
pub(super) fn meant<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let meant = nearest(&word.to_lowercase(), known);
    meant.map_or_else(String::new, |meant| format!("; did you mean {meant:?}?"))
}

/// Returns a value of the document, quoted and cut.
pub(super) fn quoted(text: &str) -> String {
    let cut = cut_chars(text, MOST_QUOTED);
    if cut.len() < text.len() {
        format!("{cut:?}…")
    } else {
        format!("{cut:?}")
    }
}

/// Formats a key as a step of a path.
fn step(key: &str) -> String {
    let is_plain = !key.is_empty()
        && key
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain && key.len() <= MOST_QUOTED {
        format!(".{key}")
    } else {
        format!("[{}]", quoted(key))
    }
}
