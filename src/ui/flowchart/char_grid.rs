//! A grid of cells that lines and words are put on; lines that meet join. What is outside is not drawn.

use unicode_segmentation::UnicodeSegmentation;

use crate::ui::text::grapheme_width;
use crate::ui::theme::Glyphs;

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// Characters of lines by where they lead: up, down, left, right as bits.
const LINES: [&str; 16] = [
    " ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼",
];

/// One cell of a character grid: line directions, a character, or the second half of a wide one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum GridCell {
    /// Where lines lead from here.
    Line(u8),
    Text(String),
    /// The second column of the character before.
    WideTail,
}

/// A grid of characters that lines and words are drawn on.
#[derive(Debug)]
pub(super) struct CharGrid {
    rows: Vec<Vec<GridCell>>,
}

/// The direction in which the head of an arrow points.
#[derive(Debug, Clone, Copy)]
pub(super) enum ArrowHead {
    Right,
    Left,
    Down,
}

impl CharGrid {
    /// An empty one.
    pub(super) fn new(columns: usize, rows: usize) -> CharGrid {
        CharGrid {
            rows: vec![vec![GridCell::Line(0); columns]; rows],
        }
    }

    fn join(&mut self, x: usize, y: usize, bits: u8) {
        let cell = self.rows.get_mut(y).and_then(|row| row.get_mut(x));
        if let Some(GridCell::Line(has)) = cell {
            *has |= bits;
        }
    }

    /// A line from column to column, the ends included.
    pub(super) fn across(&mut self, y: usize, from: usize, to: usize) {
        let (from, to) = (from.min(to), from.max(to));
        for x in from..to {
            self.join(x, y, RIGHT);
            self.join(x + 1, y, LEFT);
        }
    }

    /// A line from row to row, the ends included.
    pub(super) fn down(&mut self, x: usize, from: usize, to: usize) {
        let (from, to) = (from.min(to), from.max(to));
        for y in from..to {
            self.join(x, y, DOWN);
            self.join(x, y + 1, UP);
        }
    }

    /// Words, over whatever is there, as far as they fit.
    pub(super) fn write(&mut self, x: usize, y: usize, text: &str) {
        let Some(row) = self.rows.get_mut(y) else { return };
        let mut x = x;
        for grapheme in text.graphemes(true) {
            let wide = grapheme_width(grapheme);
            if wide == 0 || x + wide > row.len() {
                continue;
            }
            for (cell, new) in row.iter_mut().skip(x).zip(
                [GridCell::Text(grapheme.to_owned()), GridCell::WideTail]
                    .into_iter()
                    .take(wide),
            ) {
                *cell = new;
            }
            x += wide;
        }
    }

    /// The head of an arrow.
    pub(super) fn arrow_head(&mut self, x: usize, y: usize, head: ArrowHead, glyphs: Glyphs) {
        let text = match (glyphs, head) {
            (Glyphs::Unicode, ArrowHead::Right) => "▸",
            (Glyphs::Unicode, ArrowHead::Left) => "◂",
            (Glyphs::Unicode, ArrowHead::Down) => "▾",
            (Glyphs::Ascii, ArrowHead::Right) => ">",
            (Glyphs::Ascii, ArrowHead::Left) => "<",
            (Glyphs::Ascii, ArrowHead::Down) => "v",
        };
        self.write(x, y, text);
    }

    /// The rows as text, without blanks at their ends.
    pub(super) fn lines(&self, glyphs: Glyphs) -> Vec<String> {
        let line = |row: &Vec<GridCell>| {
            let line: String = row.iter().map(|cell| shown(cell, glyphs)).collect();
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

fn shown(cell: &GridCell, glyphs: Glyphs) -> &str {
    match (cell, glyphs) {
        (GridCell::Text(text), _) => text,
        (GridCell::WideTail, _) => "",
        (GridCell::Line(bits), Glyphs::Unicode) => LINES.get(usize::from(*bits)).copied().unwrap_or(" "),
        (GridCell::Line(0), Glyphs::Ascii) => " ",
        (GridCell::Line(UP | DOWN | 3), Glyphs::Ascii) => "|",
        (GridCell::Line(LEFT | RIGHT | 12), Glyphs::Ascii) => "-",
        (GridCell::Line(_), Glyphs::Ascii) => "+",
    }
}
