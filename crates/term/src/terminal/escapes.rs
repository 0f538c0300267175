//! Escape sequences and resets. Must keep the history whatever a program resets.

use super::margins::Margins;
use super::state::TerminalState;
use super::tabs::TabStops;
use crate::dump;
use crate::emulator::{Emulator, MissingFeatures};
use crate::modes::{CursorShape, TermMode};
use crate::scanner::CLUSTERS_ON;

impl TerminalState {
    pub(super) fn escape_sequence(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            ([], b'7') => self.save_cursor(),
            ([], b'8') => self.restore_cursor(),
            ([], b'=') => self.modes.set(TermMode::ApplicationKeypad, true),
            ([], b'>') => self.modes.set(TermMode::ApplicationKeypad, false),
            ([], b'D') => self.draw(if self.lacks(MissingFeatures::INDEX) {
                b"\n"
            } else {
                b"\x1bD"
            }),
            ([], b'E') => self.draw(if self.lacks(MissingFeatures::INDEX) {
                b"\r\n"
            } else {
                b"\x1bE"
            }),
            // Above the margins the first row is the end; an emulator may scroll there.
            ([], b'M') if self.margins.top > 0 && self.emulator.write_position().row == 0 => {}
            ([], b'M') => self.draw(b"\x1bM"),
            ([], b'H') => {
                self.tabs.set(self.emulator.write_position().col, true);
                if !self.lacks(MissingFeatures::TABS) {
                    self.draw(b"\x1bH");
                }
            }
            ([], b'Z') => self.report_attributes(),
            ([], b'c') => self.full_reset(),
            ([b'#'], b'8') => self.alignment(),
            ([slot @ (b'(' | b')')], set) => self.load_charset(*slot, set),
            _ => {}
        }
    }

    fn load_charset(&mut self, slot: u8, set: u8) {
        let drawing = set == b'0';
        self.charsets.load(usize::from(slot == b')'), drawing);
        if !self.lacks(MissingFeatures::CHARSETS) {
            // Every set but line drawing is ASCII to us.
            self.draw(&[0x1b, slot, if drawing { b'0' } else { b'B' }]);
        }
    }

    /// DECALN: margins and origin are reset, the cursor goes home, the screen fills with E.
    fn alignment(&mut self) {
        self.modes.set(TermMode::Origin, false);
        let size = self.emulator.size();
        self.draw(b"\x1b[?6l\x1b[r\x1b[H");
        self.margins = Margins::full(size);
        if !self.lacks(MissingFeatures::ALIGNMENT) {
            return self.draw(b"\x1b#8");
        }
        let pen = self.emulator.pen();
        self.draw(b"\x1b[m");
        let line = "E".repeat(usize::from(size.cols));
        for row in 0..size.rows {
            self.draw(format!("\x1b[{};1H{line}", row + 1).as_bytes());
        }
        self.draw(b"\x1b[H");
        self.draw(dump::style(&pen).as_bytes());
    }

    /// DECSTR: resets everything a program could have left behind that would spoil the next one; the cursor stays.
    pub(super) fn soft_reset(&mut self) {
        let at = self.emulator.write_position();
        self.draw(b"\x1b[?6l\x1b[?7h\x1b[r\x1b[m");
        self.load_charset(b'(', b'B');
        self.load_charset(b')', b'B');
        self.pass_shift();
        self.margins = Margins::full(self.emulator.size());
        for off in [
            TermMode::Origin,
            TermMode::Insert,
            TermMode::ApplicationCursor,
            TermMode::ApplicationKeypad,
        ] {
            self.modes.set(off, false);
        }
        self.modes.set(TermMode::AutoWrap, true);
        self.modes.set(TermMode::CursorVisible, true);
        self.draw(b"\x1b[H");
        self.save_cursor();
        self.move_to(at.row, at.col);
    }

    fn pass_shift(&mut self) {
        self.charsets.shift(0);
        self.draw(b"\x0f");
    }

    /// Restores the regular tab stops; the cursor ends at home.
    fn regular_tabs(&mut self) {
        let size = self.emulator.size();
        if !self.tabs.is_regular() && !self.lacks(MissingFeatures::TABS) {
            self.draw(b"\x1b[3g");
            for col in (0..size.cols).step_by(usize::from(TabStops::REGULAR)) {
                self.draw(format!("\x1b[{}G\x1bH", col + 1).as_bytes());
            }
            self.draw(b"\x1b[H");
        }
        self.tabs = TabStops::new(size);
    }

    /// RIS, without forgetting the history: a fresh screen, modes, stacks, tab stops.
    fn full_reset(&mut self) {
        if self.modes.has(TermMode::AlternateScreen) {
            self.private_mode(1049, false);
        }
        self.soft_reset();
        self.draw(b"\x1b[H\x1b[2J");
        self.regular_tabs();
        if !self.lacks(MissingFeatures::HYPERLINKS) {
            self.draw(b"\x1b]8;;\x1b\\");
        }
        if !self.lacks(MissingFeatures::CLUSTERS) {
            self.draw(CLUSTERS_ON.as_bytes());
        }
        self.keyboard = super::keyboard::KeyboardStacks::default();
        self.modes = self.initial_modes();
        self.cursor_shape = CursorShape::Default;
        self.frame_began = None;
        self.titles.clear();
        self.saved_cursors = Default::default();
    }
}
