//! An emulator with a small history of its own and a packed one behind it, as one. Must never show where the one ends and
//! the other begins.
//!
//! Lines leave the emulator after every piece of at most [`PIECE_LINES`] lines that filled its history too far, so it needs no
//! more room than a few hundred rows. What is told and read here counts through both: the oldest line is the packed one's first,
//! the newest the last of the emulator.
//!
//! At another width the emulator wraps its own lines anew, the packed ones are wrapped when they are read. So that no text
//! begins in the one and ends in the other, the emulator first hands over the rest of a line that began in the packed history.
//! Only what the emulator has itself comes back onto a screen that grows; the rest stays above it.

#[cfg(test)]
mod tests;

use super::guard::Guarded;
use crate::term::cell::{Cell, CellStyle};
use crate::term::engine::{Damage, Engine, Gaps, Position};
use crate::term::engine_kind::EngineKind;
use crate::term::history::PackedHistory;
use crate::term::size::Size;

/// Lines the emulator keeps, but never more than a quarter of all.
const KEPT: usize = 192;
/// Lines it may have more before they are packed, as a part of those it keeps.
const SLACK: usize = 4;
/// Bytes and line ends it is given at a time.
const PIECE: usize = 4096;
const PIECE_LINES: usize = 96;

/// An emulator and the packed lines above its own.
pub(super) struct Deep {
    live: Guarded,
    packed: PackedHistory,
    /// Most lines of both together.
    lines: usize,
    /// Most lines the emulator keeps when it hands some over.
    kept: usize,
}

impl Deep {
    pub(super) fn new(kind: EngineKind, size: Size, lines: usize) -> Self {
        // With none at all an emulator may take a cleared screen for one more line.
        Self::keeping(kind, size, lines, KEPT.min(lines / 4).max(1))
    }

    /// One whose emulator keeps so many lines.
    pub(super) fn keeping(kind: EngineKind, size: Size, lines: usize, kept: usize) -> Self {
        Self {
            live: Guarded::new(kind, size, lines),
            packed: PackedHistory::new(size.cols, lines),
            lines,
            kept,
        }
    }

    pub(super) fn kind(&self) -> EngineKind {
        self.live.kind()
    }

    /// Whether the emulator panicked.
    pub(super) fn is_broken(&self) -> bool {
        self.live.is_broken()
    }

    /// A blank emulator of the same kind.
    pub(super) fn fresh(&self) -> Guarded {
        self.live.fresh()
    }

    /// Puts another emulator in the place of one that panicked; the packed lines stay.
    pub(super) fn renew(&mut self, fresh: Guarded) {
        self.live = fresh;
        self.hand_on();
    }

    /// Reads what is still readable on the screen of an emulator that panicked.
    pub(super) fn salvage<T>(&mut self, read: impl FnOnce(&mut dyn Engine) -> T) -> Option<T> {
        self.live.salvage(read)
    }

    /// Memory of the packed lines, in bytes.
    pub(super) fn packed_size(&self) -> usize {
        self.packed.size()
    }

    /// Packs what the emulator has too much of.
    fn hand_on(&mut self) {
        let there = self.live.history_len();
        if there > self.kept + self.kept / SLACK {
            self.live.hand_over(self.kept, &mut self.packed);
        }
        if !self.live.is_alternate() {
            self.packed
                .keep(self.lines.saturating_sub(self.live.history_len()));
        }
    }

    /// Packs the rest of a line that began in the packed history.
    fn close_seam(&mut self) {
        let there = self.live.history_len();
        if there == 0 || !self.packed.is_open() {
            return;
        }
        let end = (1..=there).rev().find(|back| !self.live.row_wraps(0, *back));
        if let Some(end) = end {
            self.live.hand_over(end - 1, &mut self.packed);
        }
    }

    /// Rows of the packed history that can be seen.
    fn packed_rows(&self) -> usize {
        if self.live.is_alternate() {
            0
        } else {
            self.packed.rows()
        }
    }

    /// Where a row of the view is.
    fn place(&self, row: u16, scroll_back: usize) -> Place {
        let own = self.live.history_len();
        if scroll_back <= own || row >= self.size().rows {
            return Place::Live(row, scroll_back);
        }
        let packed = self.packed_rows();
        let at = (packed + own).saturating_sub(scroll_back) + usize::from(row);
        if at < packed {
            return Place::Packed(at);
        }
        let below = at - packed;
        match below.checked_sub(own) {
            Some(row) => Place::Live(u16::try_from(row).unwrap_or(u16::MAX), 0),
            None => Place::Live(0, own - below),
        }
    }
}

/// Where a row is to be found.
enum Place {
    /// A row of the packed history.
    Packed(usize),
    /// A row of the emulator's view, moved up by so many lines.
    Live(u16, usize),
}

impl Engine for Deep {
    fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at_checked(piece(rest)).unwrap_or((rest, &[]));
            self.live.feed(piece);
            self.hand_on();
            rest = later;
        }
    }

    fn insert(&mut self, character: char) {
        self.live.insert(character);
        self.hand_on();
    }

    fn resize(&mut self, size: Size) {
        if size.cols != self.size().cols {
            self.close_seam();
        }
        self.live.resize(size);
        self.packed.set_cols(size.cols);
        self.hand_on();
    }

    fn size(&self) -> Size {
        self.live.size()
    }

    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        match self.place(row, scroll_back) {
            Place::Packed(at) => self.packed.row(at, cells),
            Place::Live(row, back) => self.live.visible_row(row, back, cells),
        }
    }

    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        match self.place(row, scroll_back) {
            Place::Packed(at) => self.packed.wraps(at),
            Place::Live(row, back) => self.live.row_wraps(row, back),
        }
    }

    fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String> {
        match self.place(row, scroll_back) {
            Place::Packed(at) => self.packed.hyperlink(at, col),
            Place::Live(row, back) => self.live.hyperlink(row, col, back),
        }
    }

    fn history_len(&self) -> usize {
        self.packed_rows() + self.live.history_len()
    }

    /// Its packed lines stay where they are.
    fn hand_over(&mut self, keep: usize, to: &mut PackedHistory) {
        self.live.hand_over(keep, to);
    }

    fn is_alternate(&self) -> bool {
        self.live.is_alternate()
    }

    fn position(&self) -> Position {
        self.live.position()
    }

    fn pen(&self) -> CellStyle {
        self.live.pen()
    }

    fn take_damage(&mut self) -> Damage {
        self.live.take_damage()
    }

    fn gaps(&self) -> Gaps {
        self.live.gaps()
    }
}

/// How many bytes are fed at once: up to a line end, because between lines nothing is open that a cut could tear.
fn piece(bytes: &[u8]) -> usize {
    let (first, rest) = bytes.split_at_checked(PIECE).unwrap_or((bytes, &[]));
    let mut ends = memchr::memchr_iter(b'\n', first);
    if let Some(end) = ends.nth(PIECE_LINES - 1) {
        return end + 1;
    }
    if rest.is_empty() {
        return bytes.len();
    }
    let end = memchr::memrchr(b'\n', first).or_else(|| memchr::memchr(b'\n', rest).map(|at| PIECE + at));
    end.map_or(bytes.len(), |end| end + 1)
}
