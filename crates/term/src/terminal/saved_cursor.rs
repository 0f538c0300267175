//! The cursor that a program saves and takes back (DECSC, DECRC). Kept here, because an emulator has one place for it that a
//! change of the screen overwrites.

use super::state::TerminalState;
use crate::cell::CellStyle;
use crate::dump;
use crate::emulator::{Emulator, WritePosition};
use crate::modes::TermMode;

/// What DECSC saves, beside the character sets, which an emulator keeps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SavedCursor {
    at: WritePosition,
    pen: CellStyle,
    origin: bool,
}

impl TerminalState {
    fn screen_index(&self) -> usize {
        usize::from(self.modes.has(TermMode::AlternateScreen))
    }

    /// DECSC.
    pub(super) fn save_cursor(&mut self) {
        let saved = SavedCursor {
            at: self.emulator.write_position(),
            pen: self.emulator.pen(),
            origin: self.modes.has(TermMode::Origin),
        };
        let index = self.screen_index();
        if let Some(place) = self.saved_cursors.get_mut(index) {
            *place = saved;
        }
        self.draw(b"\x1b7");
    }

    /// DECRC; what was never saved is the first place, with nothing set.
    pub(super) fn restore_cursor(&mut self) {
        let index = self.screen_index();
        let saved = self.saved_cursors.get(index).copied().unwrap_or_default();
        self.draw(b"\x1b8");
        self.modes.set(TermMode::Origin, saved.origin);
        self.draw(if saved.origin { b"\x1b[?6h" } else { b"\x1b[?6l" });
        self.draw(dump::style(&saved.pen).as_bytes());
        self.move_to(saved.at.row, saved.at.col);
        let is_at_end = saved.at.col + 1 == self.emulator.size().cols;
        if saved.at.pending_wrap && is_at_end {
            self.emulator.set_pending_wrap();
        }
    }
}
