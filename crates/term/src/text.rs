//! Plain text of a grid. Must not cut wide characters, and joins rows that were only wrapped.

use super::cell::CellWidth;
use super::emulator::Emulator;

/// The text from `start` up to but not including `end` (row and column): wrapped rows joined, trailing blanks cut, rows
/// separated by line feeds.
pub(super) fn between(
    emulator: &mut dyn Emulator,
    start: (u16, u16),
    end: (u16, u16),
    scroll_back: usize,
) -> String {
    let last = end.0.min(emulator.size().rows - 1);
    let mut cells = Vec::new();
    let mut text = String::new();
    let mut line = String::new();
    for row in start.0..=last {
        emulator.visible_row(row, scroll_back, &mut cells);
        if !line.is_empty() && cells.first().is_some_and(|cell| cell.width == CellWidth::Wide) {
            // A wide character that did not fit left the last column blank; that is no space of the text.
            line.truncate(line.strip_suffix(' ').map_or(line.len(), str::len));
        }
        let mut from = if row == start.0 { usize::from(start.1) } else { 0 };
        let to = if row == end.0 {
            usize::from(end.1).min(cells.len())
        } else {
            cells.len()
        };
        if cells
            .get(from)
            .is_some_and(|cell| cell.width == CellWidth::Continuation)
        {
            from = from.saturating_sub(1);
        }
        line.extend(
            cells
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .map(|cell| cell.text.as_str()),
        );
        if emulator.row_wraps(row, scroll_back) && row != last {
            continue;
        }
        text.push_str(line.trim_end_matches(' '));
        line.clear();
        if row != last {
            text.push('\n');
        }
    }
    text
}
