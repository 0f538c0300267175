//! Findings of a reader for people: severity, file, line, and the right form.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Maximum number of findings about one JSON text.
const MOST_FINDINGS: usize = 1_000;

/// Severity of a finding: a warning or a refusal of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FindingLevel {
    /// Worth knowing; nothing is refused.
    Warning,
    /// The document is refused.
    Error,
}

/// A warning or an error of a reader, bound to a file and a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Word for programs; empty in findings of files that only people read.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    /// Path in a JSON document: `$.userStories[2].id`; empty elsewhere.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Severity, which decides whether the document can still be used.
    pub severity: FindingLevel,
    /// The file read, as the person named it.
    #[serde(skip)]
    pub file: PathBuf,
    /// Line, counted from 1; 0 when the finding belongs to the whole file.
    pub line: usize,
    /// A lower-case sentence without a full stop: the fault and the right form.
    pub text: String,
}

impl Finding {
    /// Builds a finding without a code.
    pub fn new(severity: FindingLevel, file: &Path, line: usize, text: impl fmt::Display) -> Finding {
        Finding {
            code: "",
            path: String::new(),
            severity,
            file: file.to_owned(),
            line,
            text: text.to_string(),
        }
    }

    /// Builds a finding about a place in a JSON document, with which its text begins.
    #[must_use]
    pub fn at(self, code: &'static str, path: &str) -> Finding {
        Finding {
            code,
            path: path.to_owned(),
            text: format!("{path}: {}", self.text),
            ..self
        }
    }

    /// Returns true if the text cannot be used because of it.
    pub fn is_error(&self) -> bool {
        self.severity == FindingLevel::Error
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.severity;
        if self.line == 0 {
            write!(f, "{}: {word}: {}", self.file.display(), self.text)
        } else {
            write!(f, "{}:{}: {word}: {}", self.file.display(), self.line, self.text)
        }
    }
}

/// Findings about one text.
pub(crate) struct Findings<'a> {
    file: &'a Path,
    lines: LineStarts,
    found: RefCell<Vec<Finding>>,
}

impl<'a> Findings<'a> {
    pub(crate) fn about(file: &'a Path, text: &str) -> Findings<'a> {
        Findings {
            file,
            lines: LineStarts::of(text),
            found: RefCell::default(),
        }
    }

    /// Returns the file, as the person named it.
    pub(crate) fn file(&self) -> &Path {
        self.file
    }

    /// Returns the line, counted from 1, that holds a byte of the text.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.lines.line_of(offset)
    }

    pub(crate) fn error(&self, code: &'static str, line: usize, text: impl fmt::Display) {
        let finding = Finding::new(FindingLevel::Error, self.file, line, text);
        self.add(Finding { code, ..finding });
    }

    pub(crate) fn warning(&self, code: &'static str, line: usize, text: impl fmt::Display) {
        let finding = Finding::new(FindingLevel::Warning, self.file, line, text);
        self.add(Finding { code, ..finding });
    }

    /// Records a finding about a byte of the text, with the path to it.
    pub(crate) fn note(
        &self,
        severity: FindingLevel,
        code: &'static str,
        at: usize,
        path: &str,
        text: impl fmt::Display,
    ) {
        let line = self.line_of(at);
        let finding = match self.found.borrow().len() {
            // The findings behind the last one are unknown, so it is an error.
            MOST_FINDINGS => {
                let text = "too much is wrong with this text; the rest is not shown";
                Finding::new(FindingLevel::Error, self.file, line, text).at("TOO_MANY_FINDINGS", "$")
            }
            many if many > MOST_FINDINGS => return,
            _ => Finding::new(severity, self.file, line, text).at(code, path),
        };
        self.add(finding);
    }

    fn add(&self, finding: Finding) {
        self.found.borrow_mut().push(finding);
    }

    /// Returns true if an error was found.
    pub(crate) fn is_refused(&self) -> bool {
        self.found.borrow().iter().any(Finding::is_error)
    }

    pub(crate) fn finish(self) -> Vec<Finding> {
        self.found.into_inner()
    }
}

/// Starts of the lines of a text, which find the line of a place without reading all text before it.
#[derive(Debug)]
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Looks through the text once.
    pub(super) fn of(text: &str) -> LineStarts {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineStarts([0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// Returns the byte at which a line starts, counted from 1; `None` if the text has no such line.
    pub(super) fn start_of(&self, line: usize) -> Option<usize> {
        self.0.get(line.checked_sub(1)?).copied()
    }

    /// Returns the line, counted from 1, that holds byte `offset`.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

/// Returns the line, counted from 1, that holds byte `offset` of `text`.
pub fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()
        .iter()
        .take(end)
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}
