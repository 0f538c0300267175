//! A grid of cells that lines and words are drawn on; lines that meet join. Anything outside is not drawn.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::merge::MergeStrategy;

use crate::display::Glyphs;
use crate::display::text::grapheme_width;
use crate::ui::canvas::area::cells;
use crate::ui::canvas::borders::{ascii, is_line};

/// A grid of characters that lines and words are drawn on.
#[derive(Debug)]
pub(super) struct CharGrid {
    buffer: Buffer,
}

/// The direction in which the head of an arrow points.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArrowHead {
    Right,
    Left,
    Down,
}

impl CharGrid {
    /// Creates an empty grid.
    pub(super) fn new(columns: usize, rows: usize) -> CharGrid {
        CharGrid {
            buffer: Buffer::empty(Rect::new(0, 0, cells(columns), cells(rows))),
        }
    }

    /// Joins a line to a cell; words stay.
    fn join(&mut self, x: usize, y: usize, half: &str) {
        let cell = self.buffer.cell_mut((cells(x), cells(y)));
        if let Some(cell) = cell.filter(|cell| cell.symbol() == " " || is_line(cell.symbol())) {
            cell.merge_symbol(half, MergeStrategy::Exact);
        }
    }

    /// Draws a line from column to column, the ends included.
    pub(super) fn across(&mut self, y: usize, from: usize, to: usize) {
        for x in from.min(to)..from.max(to) {
            self.join(x, y, "╶");
            self.join(x + 1, y, "╴");
        }
    }

    /// Draws a line from row to row, the ends included.
    pub(super) fn down(&mut self, x: usize, from: usize, to: usize) {
        for y in from.min(to)..from.max(to) {
            self.join(x, y, "╷");
            self.join(x, y + 1, "╵");
        }
    }

    /// Draws words, over the existing cells, as far as they fit.
    pub(super) fn write(&mut self, x: usize, y: usize, text: &str) {
        let (x, y) = (cells(x), cells(y));
        if self.buffer.area.contains((x, y).into()) {
            self.buffer.set_string(x, y, text, Style::new());
        }
    }

    /// Draws the head of an arrow.
    pub(super) fn arrow_head(&mut self, x: usize, y: usize, head: ArrowHead, glyphs: Glyphs) {
        let (unicode, ascii) = match head {
            ArrowHead::Right => ("▸", ">"),
            ArrowHead::Left => ("◂", "<"),
            ArrowHead::Down => ("▾", "v"),
        };
        self.write(x, y, glyphs.pick(unicode, ascii));
    }

    /// Returns the rows as text, without blanks at their ends.
    pub(super) fn lines(&self, glyphs: Glyphs) -> Vec<String> {
        let rows = self.buffer.content.chunks(usize::from(self.buffer.area.width));
        let line = |row: &[Cell]| {
            let (mut line, mut at) = (String::new(), 0);
            while let Some(symbol) = row.get(at).map(Cell::symbol) {
                line.push_str(match symbol {
                    // The end of a line is drawn as far as its cell reaches.
                    "╴" | "╶" => glyphs.pick("─", "-"),
                    "╵" | "╷" => glyphs.pick("│", "|"),
                    symbol if is_line(symbol) => glyphs.pick(symbol, ascii(symbol)),
                    symbol => symbol,
                });
                // The second cell of a wide character is empty.
                at += grapheme_width(symbol).max(1);
            }
            line.trim_end().to_owned()
        };
        rows.map(line).collect()
    }
}
