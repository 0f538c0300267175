//! An emulator with a small history of its own and a packed one behind it, as one. Must never show the border between the two.
//!
//! Lines leave the emulator after every piece of at most [`PIECE_LINES`] lines that filled its history too far, so it needs no
//! more room than a few hundred rows. Lengths and places here count through both: the oldest line is the packed one's first,
//! the newest the last of the emulator.
//!
//! At another width the emulator wraps its own lines again, and the packed ones are wrapped when they are read. So that no text begins in
//! the one and ends in the other, the emulator first moves out the rest of a line that began in the packed history. Only the emulator's own
//! lines come back onto a screen that grows; the rest stays above it.

#[cfg(test)]
mod tests;

use super::guard::GuardedEmulator;
use crate::cell::{Cell, CellStyle};
use crate::emulator::{Damage, Emulator, MissingFeatures, WritePosition};
use crate::emulator_kind::EmulatorKind;
use crate::history::PackedHistory;
use crate::size::Size;

/// Lines the emulator keeps, but never more than a quarter of all.
const EMULATOR_LINES: usize = 192;
/// Share of the kept lines by which the emulator may exceed them before lines are packed.
const SLACK: usize = 4;
/// Bytes and line ends that the emulator is given at a time.
const PIECE: usize = 4096;
const PIECE_LINES: usize = 96;

/// An emulator with a short history of its own and a packed scrollback behind it.
pub(super) struct ScrollbackEmulator {
    emulator: GuardedEmulator,
    packed: PackedHistory,
    /// Maximum number of lines of both together.
    lines: usize,
    /// Maximum number of lines the emulator keeps when some are packed.
    kept: usize,
    /// Set when nothing is left above the hidden main screen, so that a program which erases it again and again costs nothing.
    hidden_is_packed: bool,
}

impl ScrollbackEmulator {
    pub(super) fn new(kind: EmulatorKind, size: Size, lines: usize) -> Self {
        // With none at all an emulator may take a cleared screen for one more line.
        Self::keeping(kind, size, lines, EMULATOR_LINES.min(lines / 4).max(1))
    }

    /// Creates one whose emulator keeps this many lines.
    pub(super) fn keeping(kind: EmulatorKind, size: Size, lines: usize, kept: usize) -> Self {
        Self {
            emulator: GuardedEmulator::new(kind, size, lines),
            packed: PackedHistory::new(size.cols, lines),
            lines,
            kept,
            hidden_is_packed: false,
        }
    }

    pub(super) fn kind(&self) -> EmulatorKind {
        self.emulator.kind()
    }

    /// Returns true if the emulator panicked.
    pub(super) fn is_broken(&self) -> bool {
        self.emulator.is_broken()
    }

    /// Creates a blank emulator of the same kind.
    pub(super) fn fresh(&self) -> GuardedEmulator {
        self.emulator.fresh()
    }

    /// Puts another emulator in the place of one that panicked; the packed lines stay.
    pub(super) fn replace_emulator(&mut self, fresh: GuardedEmulator) {
        self.emulator = fresh;
        self.pack_overflow();
    }

    /// Reads from the screen of an emulator that panicked, as far as it is still readable.
    pub(super) fn salvage<T>(&mut self, read: impl FnOnce(&mut dyn Emulator) -> T) -> Option<T> {
        self.emulator.salvage(read)
    }

    /// Returns the memory of the packed lines, in bytes.
    pub(super) fn packed_size(&self) -> usize {
        self.packed.size()
    }

    /// Packs the lines that the emulator has too many of.
    fn pack_overflow(&mut self) {
        let there = self.emulator.history_len();
        if there > self.kept + self.kept / SLACK {
            self.emulator.drain_history(self.kept, &mut self.packed);
        }
        if !self.emulator.is_alternate() {
            self.packed
                .truncate(self.lines.saturating_sub(self.emulator.history_len()));
        }
    }

    /// Leaves the emulator as many lines above its screen as it keeps. The number it has meanwhile depends on the pieces in which the bytes
    /// came; the result of a change of the size must not.
    pub(super) fn settle_history(&mut self) {
        let rewraps = !self.missing_features().contains(MissingFeatures::REWRAP);
        let kept = if rewraps { self.kept } else { 0 };
        self.emulator.drain_history(kept, &mut self.packed);
        self.hidden_is_packed = false;
    }

    /// Packs all lines above the main screen, so that none of them comes back onto it when it grows.
    pub(super) fn pack_all(&mut self) {
        if self.emulator.is_alternate() {
            if !std::mem::replace(&mut self.hidden_is_packed, true) {
                self.emulator.drain_hidden_history(&mut self.packed);
            }
        } else {
            self.emulator.drain_history(0, &mut self.packed);
            self.pack_overflow();
        }
    }

    /// Packs the rest of a line that began in the packed history.
    fn pack_open_line(&mut self) {
        let there = self.emulator.history_len();
        if there == 0 || !self.packed.is_open() {
            return;
        }
        let end = (1..=there).rev().find(|back| !self.emulator.row_wraps(0, *back));
        if let Some(end) = end {
            self.emulator.drain_history(end - 1, &mut self.packed);
        }
    }

    /// Number of rows of the packed history that can be seen.
    fn packed_rows(&self) -> usize {
        if self.emulator.is_alternate() {
            0
        } else {
            self.packed.rows()
        }
    }

    /// Returns the location of a row of the view.
    fn place(&self, row: u16, scroll_back: usize) -> RowLocation {
        let own = self.emulator.history_len();
        if scroll_back <= own || row >= self.size().rows {
            return RowLocation::Live(row, scroll_back);
        }
        let packed = self.packed_rows();
        let at = (packed + own).saturating_sub(scroll_back) + usize::from(row);
        if at < packed {
            return RowLocation::Packed(at);
        }
        let below = at - packed;
        match below.checked_sub(own) {
            Some(row) => RowLocation::Live(u16::try_from(row).unwrap_or(u16::MAX), 0),
            None => RowLocation::Live(0, own - below),
        }
    }
}

/// Location of a row of the view: in the emulator or in the packed scrollback.
enum RowLocation {
    Packed(usize),
    /// Row of the emulator's view, moved up by that number of lines.
    Live(u16, usize),
}

impl Emulator for ScrollbackEmulator {
    fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, later) = rest.split_at_checked(piece(rest)).unwrap_or((rest, &[]));
            self.emulator.feed(piece);
            self.pack_overflow();
            rest = later;
        }
    }

    fn insert(&mut self, character: char) {
        self.emulator.insert(character);
        self.pack_overflow();
    }

    fn resize(&mut self, size: Size) {
        self.settle_history();
        if size.cols != self.size().cols {
            self.pack_open_line();
        }
        self.emulator.resize(size);
        self.packed.set_cols(size.cols);
        self.pack_overflow();
    }

    fn size(&self) -> Size {
        self.emulator.size()
    }

    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        match self.place(row, scroll_back) {
            RowLocation::Packed(at) => self.packed.row(at, cells),
            RowLocation::Live(row, back) => self.emulator.visible_row(row, back, cells),
        }
    }

    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        match self.place(row, scroll_back) {
            RowLocation::Packed(at) => self.packed.wraps(at),
            RowLocation::Live(row, back) => self.emulator.row_wraps(row, back),
        }
    }

    fn is_prompt(&mut self, row: u16, scroll_back: usize) -> bool {
        match self.place(row, scroll_back) {
            RowLocation::Packed(at) => self.packed.is_prompt(at),
            RowLocation::Live(row, back) => self.emulator.is_prompt(row, back),
        }
    }

    fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String> {
        match self.place(row, scroll_back) {
            RowLocation::Packed(at) => self.packed.hyperlink(at, col),
            RowLocation::Live(row, back) => self.emulator.hyperlink(row, col, back),
        }
    }

    fn history_len(&self) -> usize {
        self.packed_rows() + self.emulator.history_len()
    }

    /// Drains the emulator's history only; the packed lines stay in place.
    fn drain_history(&mut self, keep: usize, to: &mut PackedHistory) {
        self.emulator.drain_history(keep, to);
    }

    fn is_alternate(&self) -> bool {
        self.emulator.is_alternate()
    }

    fn write_position(&self) -> WritePosition {
        self.emulator.write_position()
    }

    fn set_pending_wrap(&mut self) {
        self.emulator.set_pending_wrap();
    }

    fn pen(&self) -> CellStyle {
        self.emulator.pen()
    }

    fn take_damage(&mut self) -> Damage {
        self.emulator.take_damage()
    }

    fn missing_features(&self) -> MissingFeatures {
        self.emulator.missing_features()
    }
}

/// Number of bytes that are fed at once: up to a line end, because between lines nothing is open that a cut could tear.
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
