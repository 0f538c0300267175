//! DEC private modes. Must give the emulator only those that change its grid.

use super::margins::Margins;
use super::saved_cursor::SavedCursor;
use super::state::TerminalState;
use crate::dump;
use crate::emulator::{Emulator, MissingFeatures};
use crate::modes::{Modes, MouseEncoding, MouseMode, TermMode};

impl TerminalState {
    pub(super) fn private_mode(&mut self, number: u16, on: bool) {
        if let Some(mouse) = MouseMode::from_private(number) {
            self.modes.mouse = if on { mouse } else { MouseMode::Off };
            return;
        }
        if let Some(encoding) = MouseEncoding::from_private(number) {
            if on {
                self.modes.mouse_encoding = encoding;
            } else if self.modes.mouse_encoding == encoding {
                self.modes.mouse_encoding = MouseEncoding::Legacy;
            }
            return;
        }
        if number == 1048 {
            return if on {
                self.save_cursor();
            } else {
                self.restore_cursor();
            };
        }
        if number == 3 {
            return self.columns_mode();
        }
        let Some(mode) = TermMode::from_private(number) else {
            return;
        };
        match mode {
            TermMode::AlternateScreen => return self.switch_screen(number, on),
            TermMode::GraphemeClusters if self.lacks(MissingFeatures::CLUSTERS) => return,
            TermMode::SynchronizedOutput => {
                // Not begun again while it is on, so that a program cannot hold the screen for ever.
                self.frame_began = if on {
                    self.frame_began.or(Some(self.now))
                } else {
                    None
                };
            }
            TermMode::SizeReports if on => self.report_size(),
            _ => {}
        }
        self.modes.set(mode, on);
        let end = if on { 'h' } else { 'l' };
        match mode {
            TermMode::Origin => {
                self.draw(format!("\x1b[?6{end}").as_bytes());
                self.move_to(if on { self.margins.top } else { 0 }, 0);
            }
            TermMode::AutoWrap | TermMode::GraphemeClusters => {
                self.draw(format!("\x1b[?{number}{end}").as_bytes());
            }
            _ => {}
        }
    }

    /// 1049 saves and restores the cursor; 47 and 1047 leave it where it is. The pen and a wrap that waits belong to the terminal.
    /// As 1049 clears the screen that it enters, 1047 clears the one that it leaves, and clearing ends a wrap that waits.
    fn switch_screen(&mut self, number: u16, to_alternate: bool) {
        if self.modes.has(TermMode::AlternateScreen) == to_alternate {
            if number == 1049 && !to_alternate {
                self.restore_cursor();
            }
            return;
        }
        let (at, pen) = (self.emulator.write_position(), self.emulator.pen());
        if to_alternate {
            if number == 1049 {
                self.save_cursor();
            }
            self.keep_main_screen();
            // Lines cannot be moved while it is hidden, and its size may change then.
            self.emulator.settle_history();
            self.draw(b"\x1b[?1049h");
        } else {
            self.keep_full_screen();
            self.hidden_main = None;
            // A program that switched the wheel's keys off may leave it so, and the next one would have none.
            self.modes.set(
                TermMode::AlternateScroll,
                Modes::default().has(TermMode::AlternateScroll),
            );
            self.draw(b"\x1b[?1049l");
        }
        self.modes.set(TermMode::AlternateScreen, to_alternate);
        self.keyboard.switch(to_alternate);
        self.modes.kitty = self.keyboard.current();
        self.share_margins();
        if number == 1049 && !to_alternate {
            self.restore_cursor();
            return self.note_left();
        }
        self.draw(dump::style(&pen).as_bytes());
        self.move_to(at.row, at.col);
        if !to_alternate {
            self.note_left();
        }
        let clears = number == 1049 || number == 1047 && !to_alternate;
        if at.pending_wrap && !clears {
            self.emulator.set_pending_wrap();
        }
    }

    /// DECCOLM: 132 columns are never given, but its other effects are applied.
    fn columns_mode(&mut self) {
        self.margins = Margins::full(self.emulator.size());
        self.draw(b"\x1b[?6l\x1b[r\x1b[2J\x1b[H");
        if self.modes.has(TermMode::Origin) {
            self.draw(b"\x1b[?6h");
        }
    }

    /// Margins and origin mode belong to the terminal, but an emulator may keep them for each screen.
    fn share_margins(&mut self) {
        let (top, bottom) = (self.margins.top + 1, self.margins.bottom + 1);
        self.draw(format!("\x1b[?6l\x1b[{top};{bottom}r").as_bytes());
        if self.modes.has(TermMode::Origin) {
            self.draw(b"\x1b[?6h");
        }
    }

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

    /// DECRC; a cursor that was never saved is the first place, with nothing set.
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

    /// DECRQM of a private mode: 1 set, 2 reset, 4 never set, 0 unknown.
    pub(super) fn report_private_mode(&mut self, number: u16) {
        let state = match (
            MouseMode::from_private(number),
            MouseEncoding::from_private(number),
        ) {
            (Some(mouse), _) => switched(self.modes.mouse == mouse),
            (_, Some(encoding)) => switched(self.modes.mouse_encoding == encoding),
            _ => self.private_state(number),
        };
        self.reply(format!("\x1b[?{number};{state}$y"));
    }

    fn private_state(&self, number: u16) -> u8 {
        match TermMode::from_private(number) {
            Some(TermMode::GraphemeClusters) if self.lacks(MissingFeatures::CLUSTERS) => 4,
            Some(mode) => switched(self.modes.has(mode)),
            // 132 columns are never given.
            None if number == 3 => 4,
            None => 0,
        }
    }

    /// DECRQM of an ANSI mode.
    pub(super) fn report_ansi_mode(&mut self, number: u16) {
        let state = match number {
            4 => switched(self.modes.has(TermMode::Insert)),
            20 => switched(self.modes.has(TermMode::NewLine)),
            _ => 0,
        };
        self.reply(format!("\x1b[{number};{state}$y"));
    }
}

fn switched(on: bool) -> u8 {
    if on { 1 } else { 2 }
}
