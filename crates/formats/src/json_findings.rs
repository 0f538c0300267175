//! Collects the findings in a JSON document, each with its path in it, and holds the least rules for each value.

use dbs_domain::cut::cut_chars;
use std::path::Path;

use serde::Serialize;

use super::json_place::JsonPlace;
use crate::diagnostic::{Diagnostic, DiagnosticLevel, LineStarts};
use crate::nearest::nearest;

/// Most characters of a value that a finding quotes.
const MOST_QUOTED: usize = 60;
/// Most findings about one text.
const MOST_FINDINGS: usize = 1_000;

/// Something in a JSON document that is wrong, doubtful or worth knowing, with a code for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JsonFinding {
    pub code: &'static str,
    /// Path in the document: `$.userStories[2].id`.
    pub path: String,
    /// File, line and text; the text begins with the path.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

/// Findings about one text.
pub(super) struct JsonFindings<'a> {
    file: &'a Path,
    lines: LineStarts,
    found: Vec<JsonFinding>,
}

impl<'a> JsonFindings<'a> {
    pub(super) fn about(file: &'a Path, text: &str) -> JsonFindings<'a> {
        JsonFindings {
            file,
            lines: LineStarts::of(text),
            found: Vec::new(),
        }
    }

    pub(super) fn line_of(&self, value: &JsonPlace) -> usize {
        self.lines.line_of(value.start)
    }

    pub(super) fn error(&mut self, code: &'static str, at: usize, path: &str, text: &str) {
        self.add(DiagnosticLevel::Error, code, (at, path), text);
    }

    pub(super) fn warning(&mut self, code: &'static str, at: usize, path: &str, text: &str) {
        self.add(DiagnosticLevel::Warning, code, (at, path), text);
    }

    fn add(&mut self, severity: DiagnosticLevel, code: &'static str, (at, path): (usize, &str), text: &str) {
        let (code, severity, path, text) = match self.found.len() {
            // The findings behind the last one are unknown, so it is an error.
            MOST_FINDINGS => {
                let text = "too much is wrong with this text; the rest is not shown";
                ("TOO_MANY_FINDINGS", DiagnosticLevel::Error, "$", text)
            }
            many if many > MOST_FINDINGS => return,
            _ => (code, severity, path, text),
        };
        let diagnostic = Diagnostic {
            severity,
            file: self.file.to_owned(),
            line: self.lines.line_of(at),
            text: format!("{path}: {text}"),
        };
        self.found.push(JsonFinding {
            code,
            path: path.to_owned(),
            diagnostic,
        });
    }

    pub(super) fn finish(self) -> Vec<JsonFinding> {
        self.found
    }

    /// Reports a key that appears twice as an error: the meant value is unknown.
    pub(super) fn keys_once(&mut self, object: &JsonPlace, path: &str) {
        let mut seen = std::collections::BTreeSet::new();
        for (key, value) in object.members().unwrap_or_default() {
            if !seen.insert(key.as_str()) {
                let path = format!("{path}{}", step(key));
                self.error(
                    "DUPLICATE_KEY",
                    value.start,
                    &path,
                    "this key stands twice; keep one of them",
                );
            }
        }
    }

    /// Warns of a key that is nearly a known one; any other is kept silently.
    pub(super) fn unknown_key(&mut self, key: &str, known: &[&str], value: &JsonPlace, path: &str) {
        if let Some(meant) = nearest(key, known.iter().copied()) {
            let path = format!("{path}{}", step(key));
            let text = format!("this field is not known and is kept; did you mean {meant:?}?");
            self.warning("UNKNOWN_FIELD", value.start, &path, &text);
        }
    }

    /// Reads a text without harmful control characters, of at most `most` characters; nothing if it is not one.
    pub(super) fn text(
        &mut self,
        value: &JsonPlace,
        path: &str,
        most: usize,
        is_one_line: bool,
    ) -> Option<String> {
        let Some(text) = value.text() else {
            let text = format!("this must be a text, not {}", value.kind());
            self.error("WRONG_KIND", value.start, path, &text);
            return None;
        };
        let is_allowed = |letter: char| !letter.is_control() || (!is_one_line && "\n\r\t".contains(letter));
        if let Some(control) = text.chars().find(|letter| !is_allowed(*letter)) {
            let text = format!("this holds the control character {control:?}; take it out");
            self.error("CONTROL_CHARACTER", value.start, path, &text);
            return None;
        }
        let n = text.chars().count();
        if n > most {
            let text = format!("this has {n} characters; write {most} at most");
            self.error("TOO_LONG", value.start, path, &text);
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
