//! Findings of a reader for people: severity, file, line, and what would be right.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Whether a diagnostic is a warning or refuses the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticLevel {
    /// Worth knowing; nothing is refused.
    Warning,
    /// The document is refused.
    Error,
}

/// A warning or an error of a reader, bound to a file and a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Whether the document can still be used.
    pub severity: DiagnosticLevel,
    /// The file read, as the person named it.
    #[serde(skip)]
    pub file: PathBuf,
    /// Line, counted from 1; 0 when the finding belongs to the whole file.
    pub line: usize,
    /// A lower-case sentence without a full stop: what is wrong and what would be right.
    pub text: String,
}

impl Diagnostic {
    /// Whether nothing can be done with the text because of it.
    pub fn is_error(&self) -> bool {
        self.severity == DiagnosticLevel::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            DiagnosticLevel::Warning => "warning",
            DiagnosticLevel::Error => "error",
        };
        if self.line == 0 {
            write!(f, "{}: {word}: {}", self.file.display(), self.text)
        } else {
            write!(f, "{}:{}: {word}: {}", self.file.display(), self.line, self.text)
        }
    }
}

/// Where the lines of a text begin. Finds the line of a place without reading all that stands before it.
#[derive(Debug)]
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Looks through the text once.
    pub(super) fn of(text: &str) -> LineStarts {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineStarts([0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect())
    }

    /// The line, counted from 1, that holds byte `offset`.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset)
    }
}

/// The line, counted from 1, that holds byte `offset` of `text`.
pub fn line_of(text: &str, offset: usize) -> usize {
    let end = offset.min(text.len());
    text.as_bytes()
        .iter()
        .take(end)
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}
