//! Boxes to tick anywhere in a document, each below the heading it stands under.

use std::ops::Range;

use super::document::{self, Part};

/// A box of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckBox {
    /// Line, from 1.
    pub line: usize,
    /// Number of characters before its list mark on the line.
    pub indent: usize,
    /// Text of the heading above it; empty if there is none, or only the title of the document.
    pub group: String,
    pub text: String,
    pub is_done: bool,
    /// Place of its brackets, in bytes.
    pub at: Range<usize>,
}

/// Returns the boxes of a text without a byte order mark.
pub fn boxes(text: &str) -> Vec<CheckBox> {
    let mut group = String::new();
    let mut found = Vec::new();
    for part in document::parts(text) {
        match part {
            Part::Heading { level, text, .. } => {
                group = if level == 1 { String::new() } else { text.plain() }
            }
            Part::Item {
                line,
                tick: Some(tick),
                text: inline,
            } => {
                let before = text.get(..tick.at.start).unwrap_or_default();
                let before = before.rsplit('\n').next().unwrap_or_default();
                let plain = inline.plain();
                found.push(CheckBox {
                    line,
                    indent: before.len() - before.trim_start().len(),
                    group: group.clone(),
                    text: plain.lines().next().unwrap_or_default().to_owned(),
                    is_done: tick.is_done,
                    at: tick.at,
                });
            }
            _ => {}
        }
    }
    found
}
