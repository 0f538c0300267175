//! Findings in a JSON document, each with its path in it, and the least rules for each value.

use super::json_place::JsonPlace;
use crate::finding::{FindingLevel, Findings};
use crate::nearest::nearest;
use dbs_domain::cut::cut_chars;

/// Most characters of a value that a finding quotes.
const MOST_QUOTED: usize = 60;
impl Findings<'_> {
    pub(super) fn error_at(&self, code: &'static str, at: usize, path: &str, text: &str) {
        self.note(FindingLevel::Error, code, (at, path), text);
    }

    pub(super) fn warning_at(&self, code: &'static str, at: usize, path: &str, text: &str) {
        self.note(FindingLevel::Warning, code, (at, path), text);
    }

    /// Reports a key that appears twice as an error: the meant value is unknown.
    pub(super) fn keys_once(&self, object: &JsonPlace, path: &str) {
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in object.members().unwrap_or_default() {
            if !seen.insert(key.as_str()) {
                let path = format!("{path}{}", step(key));
                self.error_at(
                    "DUPLICATE_KEY",
                    value.start,
                    &path,
                    "this key stands twice; keep one of them",
                );
            }
        }
    }

    /// Warns of a key that is nearly a known one; any other is kept silently.
    pub(super) fn unknown_key(&self, key: &str, known: &[&str], value: &JsonPlace, path: &str) {
        if let Some(meant) = nearest(key, known.iter().copied()) {
            let path = format!("{path}{}", step(key));
            let text = format!("this field is not known and is kept; did you mean {meant:?}?");
            self.warning_at("UNKNOWN_FIELD", value.start, &path, &text);
        }
    }

    /// Reads a text without harmful control characters, of at most `most` characters; nothing if it is not one.
    pub(super) fn text(
        &self,
        value: &JsonPlace,
        path: &str,
        most: usize,
        is_one_line: bool,
    ) -> Option<String> {
        let Some(text) = value.text() else {
            let text = format!("this must be a text, not {}", value.kind());
            self.error_at("WRONG_KIND", value.start, path, &text);
            return None;
        };
        let is_allowed = |letter: char| !letter.is_control() || (!is_one_line && "\n\r\t".contains(letter));
        if let Some(control) = text.chars().find(|letter| !is_allowed(*letter)) {
            let text = format!("this holds the control character {control:?}; take it out");
            self.error_at("CONTROL_CHARACTER", value.start, path, &text);
            return None;
        }
        let n = text.chars().count();
        if n > most {
            let text = format!("this has {n} characters; write {most} at most");
            self.error_at("TOO_LONG", value.start, path, &text);
            return None;
        }
        Some(text.trim().to_owned())
    }
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
