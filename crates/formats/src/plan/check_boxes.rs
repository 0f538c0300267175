//! Boxes to tick anywhere in a document, each below the heading it stands under.

use std::ops::Range;

use super::document::{self, Part};

/// A box of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckBox {
    /// Line, from 1.
    pub line: usize,
    /// True for a box that is in the item of the one before it that is not.
    pub is_part: bool,
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
    // For each open item, true if it has a box or is in one that has.
    let mut open: Vec<bool> = Vec::new();
    for part in document::parts(text) {
        match part {
            Part::Heading { level, text, .. } => {
                group = if level == 1 { String::new() } else { text.plain() }
            }
            Part::Item {
                line,
                depth,
                tick,
                text,
            } => {
                open.truncate(depth.saturating_sub(1));
                let is_part = open.last() == Some(&true);
                open.resize(depth, is_part || tick.is_some());
                let Some(tick) = tick else { continue };
                let plain = text.plain();
                found.push(CheckBox {
                    line,
                    is_part,
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
