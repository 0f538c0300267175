//! Objects of a text that has one on each line.

use crate::json_place::{self, JsonPlace};

/// An object with its line, and the byte of the text at which that line begins.
pub(super) struct JsonLine {
    pub(super) line: usize,
    pub(super) at: usize,
    /// The object; `None` if the line is none.
    pub(super) value: Option<JsonPlace>,
}

/// Returns the lines of a text that are not blank.
pub(super) fn lines(text: &str) -> impl Iterator<Item = JsonLine> {
    let mut at = 0;
    let placed = text.split_inclusive('\n').enumerate().map(move |(index, line)| {
        let start = at;
        at += line.len();
        (index + 1, start, line)
    });
    let filled = placed.filter(|(_, _, line)| !line.trim().is_empty());
    filled.map(|(line, at, text)| JsonLine {
        line,
        at,
        value: json_place::parse(text)
            .ok()
            .filter(|value| value.members().is_some()),
    })
}
