//! From a buffer of cells to the bytes that bring a client's terminal there: only the changes, wrapped in synchronized output, nothing at
//! all when nothing changed. Must never rely on the width that a client's terminal gives a cluster.

use ratatui::backend::{Backend as _, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::term::CursorShape;
use crate::ui::FrameCursor;

/// A cell to be written, with its row and column.
type CellAt<'a> = (u16, u16, &'a Cell);

/// Double buffer of a client's screen: the cells that the terminal shows and the cells to show next.
pub(in crate::server) struct FrameBuffer {
    next: Buffer,
    shown: Buffer,
    cursor: Option<FrameCursor>,
    shape: CursorShape,
    is_blank: bool,
}

impl FrameBuffer {
    /// Creates a buffer of a terminal whose content is not known.
    pub(in crate::server) fn new(size: (u16, u16)) -> FrameBuffer {
        let area = Rect::new(0, 0, size.0, size.1);
        FrameBuffer {
            next: Buffer::empty(area),
            shown: Buffer::empty(area),
            cursor: None,
            shape: CursorShape::Default,
            is_blank: true,
        }
    }

    /// Returns true if nothing was drawn yet.
    pub(in crate::server) fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Returns the buffer that the client's terminal shows, and the buffer to draw on, which holds the last drawing.
    pub(in crate::server) fn buffers(&mut self) -> (&Buffer, &mut Buffer) {
        (&self.shown, &mut self.next)
    }

    /// Returns the bytes that bring the client's terminal to the drawing on all rows, and its cursor there.
    pub(in crate::server) fn flush(&mut self, cursor: Option<FrameCursor>) -> Vec<u8> {
        let rows: Vec<u16> = (0..self.next.area.height).collect();
        self.flush_rows(&rows, cursor)
    }

    /// Returns the bytes of [`flush`](Self::flush) when nothing outside these rows was drawn on.
    pub(in crate::server) fn flush_rows(&mut self, rows: &[u16], cursor: Option<FrameCursor>) -> Vec<u8> {
        let fresh = std::mem::take(&mut self.is_blank);
        let content = self.diff_rows(rows);
        let shape = cursor.map_or(self.shape, |cursor| cursor.shape);
        if content.is_empty() && cursor == self.cursor && shape == self.shape && !fresh {
            return Vec::new();
        }
        let mut out = Vec::with_capacity(content.len() + 64);
        out.extend_from_slice(b"\x1b[?2026h");
        if fresh {
            out.extend_from_slice(b"\x1b[?25l\x1b[0m\x1b[2J");
        } else if self.cursor.is_some() {
            out.extend_from_slice(b"\x1b[?25l");
        }
        out.extend_from_slice(&content);
        if shape != self.shape {
            out.extend_from_slice(format!("\x1b[{} q", shape.parameter()).as_bytes());
        }
        if let Some(FrameCursor { x, y, .. }) = cursor {
            out.extend_from_slice(format!("\x1b[{};{}H\x1b[?25h", y + 1, x + 1).as_bytes());
        }
        out.extend_from_slice(b"\x1b[?2026l");
        (self.cursor, self.shape) = (cursor, shape);
        out
    }

    /// Returns the differences in these rows as bytes; from now on they count as shown.
    fn diff_rows(&mut self, rows: &[u16]) -> Vec<u8> {
        let width = usize::from(self.next.area.width);
        let mut out = Vec::new();
        for row in rows {
            let from = usize::from(*row) * width;
            let (Some(next), Some(shown)) = (
                self.next.content.get(from..from + width),
                self.shown.content.get_mut(from..from + width),
            ) else {
                continue;
            };
            if next == shown {
                continue;
            }
            let changed = changed_cells(shown, next, *row);
            write(&changed, &mut out);
            shown.clone_from_slice(next);
        }
        out
    }
}

/// Returns the cells of a row that must be written. Cells that a wide character covered or is covered by are written again, and so are
/// those where a terminal may have drawn the rest of a cluster.
fn changed_cells<'a>(shown: &[Cell], next: &'a [Cell], row: u16) -> Vec<CellAt<'a>> {
    let mut changed = Vec::new();
    let (mut skip, mut unsure_until) = (0, 0);
    for (at, (new, old)) in next.iter().zip(shown).enumerate() {
        let wide = reach(old);
        if skip > 0 {
            skip -= 1;
            // The old one began under the new one: the rest of it is not known.
            if at < unsure_until {
                unsure_until = unsure_until.max(at + wide);
            }
            continue;
        }
        let covers = width(new);
        skip = covers - 1;
        if new != old || at < unsure_until {
            unsure_until = unsure_until.max(at + wide.max(reach(new)));
            changed.push((u16::try_from(at).unwrap_or(u16::MAX), row, new));
        }
    }
    changed
}

/// Returns the columns of a cell's content: one or two.
fn width(cell: &Cell) -> usize {
    let symbol = cell.symbol();
    if symbol.len() == 1 {
        1
    } else {
        // A wider cluster, as some joined letters are, has two columns all the same.
        symbol.width().clamp(1, 2)
    }
}

/// Returns the maximum columns that a terminal may use for a cell's content: all its code points side by side, each as wide as possible.
fn reach(cell: &Cell) -> usize {
    if !is_cluster(cell) {
        return width(cell);
    }
    let drawn = cell
        .symbol()
        .chars()
        .filter(|c| c.width().unwrap_or(0) > 0)
        .count();
    width(cell).max(2 * drawn)
}

/// Returns true if a cell holds more than one code point.
fn is_cluster(cell: &Cell) -> bool {
    !cell.symbol().is_ascii() && cell.symbol().chars().nth(1).is_some()
}

/// Writes cells. After one of several code points the cursor is placed again: terminals differ on their width.
fn write(cells: &[CellAt<'_>], out: &mut Vec<u8>) {
    for run in cells.split_inclusive(|(_, _, cell)| is_cluster(cell)) {
        // Writing into memory does not fail.
        drop(CrosstermBackend::new(&mut *out).draw(run.iter().copied()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Buffer {
        Buffer::with_lines([text])
    }

    /// The columns that are written to come from one row to another.
    fn written(from: &str, to: &str) -> Vec<u16> {
        let (from, to) = (row(from), row(to));
        let changed = changed_cells(&from.content, &to.content, 0);
        changed.into_iter().map(|(column, ..)| column).collect()
    }

    #[test]
    fn what_lies_behind_a_cluster_is_written_after_it_and_when_it_goes() {
        // A terminal that knows no skin tones draws them as signs of their own, two columns each.
        let thumb = "\u{1f44d}\u{1f3fd}";
        assert_eq!(written("    ab", &format!("{thumb}  ab")), [0, 2, 3]);
        assert_eq!(written(&format!("{thumb}  ab"), "    ab"), [0, 1, 2, 3]);
        assert_eq!(written(&format!("{thumb}  ab"), &format!("{thumb}  cb")), [4]);
        // Letters that join, and one wide sign alone.
        assert_eq!(written("      a", "\u{915}\u{94d}\u{937}    a").last(), Some(&3));
        assert_eq!(written("   ab", "漢 ab"), [0]);
    }
}
