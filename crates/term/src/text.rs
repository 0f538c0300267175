//! Plain text of a grid. Must not cut wide characters, and joins rows that were only wrapped.

use super::cell::{Cell, CellWidth};
use super::emulator::Emulator;

/// Returns the text from `start` up to but not including `end` (row and column): wrapped rows joined, trailing blanks cut, rows separated
/// by line feeds.
pub(super) fn between(
    emulator: &mut dyn Emulator,
    start: (u16, u16),
    end: (u16, u16),
    scroll_back: usize,
) -> String {
    let last = end.0.min(emulator.size().rows - 1);
    let mut cells = Vec::new();
    let mut text = JoinedText::default();
    for row in start.0..=last {
        emulator.visible_row(row, scroll_back, &mut cells);
        let from = if row == start.0 { usize::from(start.1) } else { 0 };
        let to = if row == end.0 {
            usize::from(end.1).min(cells.len())
        } else {
            cells.len()
        };
        let goes_on = row != last && emulator.row_wraps(row, scroll_back);
        text.add(&cells, from, to, goes_on);
    }
    text.lines.join("\n")
}

/// Returns the lines above the screen and on it, oldest first: wrapped rows joined, trailing blanks cut.
pub(super) fn all(emulator: &mut dyn Emulator) -> Vec<String> {
    let above = (1..=emulator.history_len()).rev().map(|back| (0, back));
    let last = emulator.size().rows - 1;
    let places: Vec<(u16, usize)> = above.chain((0..=last).map(|row| (row, 0))).collect();
    let mut cells = Vec::new();
    let mut text = JoinedText::default();
    for (row, back) in places {
        emulator.visible_row(row, back, &mut cells);
        let goes_on = (row, back) != (last, 0) && emulator.row_wraps(row, back);
        text.add(&cells, 0, cells.len(), goes_on);
    }
    text.lines
}

/// Appends the text of a row, moved up by `scroll_back` lines, to the rows above it of the same line; returns true if that line continues.
pub(super) fn join(emulator: &mut dyn Emulator, row: u16, scroll_back: usize, line: &mut String) -> bool {
    let mut cells = Vec::new();
    emulator.visible_row(row, scroll_back, &mut cells);
    append(line, &cells, 0, cells.len());
    emulator.row_wraps(row, scroll_back)
}

/// Appends the columns of a row from one up to another to the rows above it of the same line.
fn append(line: &mut String, cells: &[Cell], from: usize, to: usize) {
    if !line.is_empty() && cells.first().is_some_and(|cell| cell.width == CellWidth::Wide) {
        // A wide character that did not fit left the last column blank; that blank is not a space of the text.
        line.truncate(line.strip_suffix(' ').map_or(line.len(), str::len));
    }
    let is_half = cells
        .get(from)
        .is_some_and(|cell| cell.width == CellWidth::Continuation);
    let from = from.saturating_sub(usize::from(is_half));
    let taken = cells.get(from..to).unwrap_or_default();
    line.extend(taken.iter().map(|cell| cell.text.as_str()));
}

/// Rows put together to lines.
#[derive(Default)]
struct JoinedText {
    lines: Vec<String>,
    /// The line whose rows are not complete yet.
    line: String,
}

impl JoinedText {
    /// Adds the columns of a row from one up to another; `goes_on` when the next row belongs to the same line.
    fn add(&mut self, cells: &[Cell], from: usize, to: usize, goes_on: bool) {
        append(&mut self.line, cells, from, to);
        if !goes_on {
            let line = std::mem::take(&mut self.line);
            self.lines.push(line.trim_end_matches(' ').to_owned());
        }
    }
}
