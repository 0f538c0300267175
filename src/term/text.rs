//! Plain text out of a grid. Must keep wide characters whole and join what was only wrapped.

use std::ops::RangeInclusive;

use super::cell::Cell;
use super::engine::Engine;

/// The text of some rows: wrapped rows joined, trailing blanks cut, rows separated by line feeds.
pub(super) fn rows(engine: &mut dyn Engine, range: RangeInclusive<u16>, scroll_back: usize) -> String {
    let last = (*range.end()).min(engine.size().rows - 1);
    let mut cells = Vec::new();
    let mut text = String::new();
    let mut line = String::new();
    for row in *range.start()..=last {
        engine.visible_row(row, scroll_back, &mut cells);
        line.extend(cells.iter().map(|cell: &Cell| cell.text.as_str()));
        if engine.row_wraps(row, scroll_back) && row != last {
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
