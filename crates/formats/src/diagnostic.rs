//! Findings of a reader for people: severity, file, line, and the right form.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

/// Severity of a diagnostic: a warning or a refusal of the document.
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
    /// Severity, which decides whether the document can still be used.
    pub severity: DiagnosticLevel,
    /// The file read, as the person named it.
    #[serde(skip)]
    pub file: PathBuf,
    /// Line, counted from 1; 0 when the finding belongs to the whole file.
    pub line: usize,
    /// A lower-case sentence without a full stop: the fault and the right form.
    pub text: String,
}

impl Diagnostic {
    /// Returns true if the text cannot be used because of it.
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

/// Starts of the lines of a text, which find the line of a place without reading all text before it.
#[derive(Debug)]
pub(super) struct LineStarts(Vec<usize>);

impl LineStarts {
    /// Looks through the text once.
    pub(super) fn of(text: &str) -> LineStarts {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        LineStarts([0].into_iter().chain(ends.map(|(at, _)| at + 1)).collect())
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
