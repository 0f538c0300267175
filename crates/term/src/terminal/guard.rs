//! Keeps a panic of an emulator inside its pane. Must not hide one: the owner asks for it and rebuilds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::cell::{Cell, CellStyle, blank_torn_halves};
use crate::emulator::{Damage, Emulator, MissingFeatures, WritePosition};
use crate::emulator_kind::EmulatorKind;
use crate::history::PackedHistory;
use crate::size::Size;

/// An emulator whose panics are caught and reported to its owner. After one, everything is blank until it is replaced.
pub(super) struct GuardedEmulator {
    emulator: Box<dyn Emulator>,
    kind: EmulatorKind,
    history_lines: usize,
    size: Size,
    broken: bool,
}

impl GuardedEmulator {
    pub(super) fn new(kind: EmulatorKind, size: Size, history_lines: usize) -> Self {
        Self {
            emulator: kind.build(size, history_lines),
            kind,
            history_lines,
            size,
            broken: false,
        }
    }

    /// Creates a blank emulator of the same kind.
    pub(super) fn fresh(&self) -> Self {
        Self::new(self.kind, self.size, self.history_lines)
    }

    /// Returns true if the emulator panicked.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    pub(super) fn kind(&self) -> EmulatorKind {
        self.kind
    }

    /// Reads from an emulator that panicked, as far as it is still readable.
    pub(super) fn salvage<T>(&mut self, read: impl FnOnce(&mut dyn Emulator) -> T) -> Option<T> {
        // A broken value is never used for anything but this and is then thrown away.
        catch_unwind(AssertUnwindSafe(|| read(&mut *self.emulator))).ok()
    }

    fn sound(&self) -> Option<&dyn Emulator> {
        (!self.broken).then_some(&*self.emulator)
    }

    /// Runs `use_it` on a sound emulator. Nothing when it is broken or breaks now.
    fn guard<T>(&mut self, use_it: impl FnOnce(&mut dyn Emulator) -> T) -> Option<T> {
        if self.broken {
            return None;
        }
        let result = self.salvage(use_it);
        self.broken = result.is_none();
        result
    }
}

impl Emulator for GuardedEmulator {
    fn feed(&mut self, bytes: &[u8]) {
        self.guard(|emulator| emulator.feed(bytes));
    }

    fn insert(&mut self, character: char) {
        self.guard(|emulator| emulator.insert(character));
    }

    fn resize(&mut self, size: Size) {
        self.size = size;
        self.guard(|emulator| emulator.resize(size));
    }

    fn size(&self) -> Size {
        self.size
    }

    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        self.guard(|emulator| emulator.visible_row(row, scroll_back, cells));
        cells.resize(usize::from(self.size.cols), Cell::default());
        blank_torn_halves(cells);
    }

    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        self.guard(|emulator| emulator.row_wraps(row, scroll_back))
            .unwrap_or(false)
    }

    fn is_prompt(&mut self, row: u16, scroll_back: usize) -> bool {
        self.guard(|emulator| emulator.is_prompt(row, scroll_back))
            .unwrap_or(false)
    }

    fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String> {
        self.guard(|emulator| emulator.hyperlink(row, col, scroll_back))
            .flatten()
    }

    fn history_len(&self) -> usize {
        self.sound().map_or(0, Emulator::history_len)
    }

    fn drain_history(&mut self, keep: usize, to: &mut PackedHistory) {
        self.guard(|emulator| emulator.drain_history(keep, to));
    }

    fn drain_hidden_history(&mut self, to: &mut PackedHistory) {
        self.guard(|emulator| emulator.drain_hidden_history(to));
    }

    fn is_alternate(&self) -> bool {
        self.sound().is_some_and(Emulator::is_alternate)
    }

    fn write_position(&self) -> WritePosition {
        let position = self.sound().map(Emulator::write_position);
        position.unwrap_or_default()
    }

    fn set_pending_wrap(&mut self) {
        self.guard(|emulator| emulator.set_pending_wrap());
    }

    fn pen(&self) -> CellStyle {
        self.sound().map(Emulator::pen).unwrap_or_default()
    }

    fn take_damage(&mut self) -> Damage {
        self.guard(|emulator| emulator.take_damage())
            .unwrap_or(Damage::All)
    }

    fn missing_features(&self) -> MissingFeatures {
        self.emulator.missing_features()
    }
}
