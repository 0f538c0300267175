//! Control sequences: those that change our state, those that ask, and those an emulator must be fed in another form.
//! Must pass on nothing that is not listed: an emulator may know sequences we do not want.

use super::margins::Margins;
use super::sgr;
use super::state::TerminalState;
use crate::emulator::{Emulator, MissingFeatures};
use crate::event::TermEvent;
use crate::modes::{CursorShape, KittyFlags, TermMode};
use crate::scanner::Csi;

/// Maximum number of titles kept for `CSI 22 t`.
const TITLE_STACK_LIMIT: usize = 10;

impl TerminalState {
    pub(super) fn control(&mut self, csi: &Csi<'_>) {
        match (csi.prefix, csi.intermediate) {
            (0, 0) => self.plain_control(csi),
            (b'?', 0) => self.private_control(csi),
            (b'>', 0) => self.secondary_control(csi),
            (b'<', 0) if csi.last == b'u' => {
                self.keyboard.pop(csi.number(0, 1));
                self.modes.kitty = self.keyboard.current();
            }
            (b'=', 0) if csi.last == b'u' => {
                let flags = KittyFlags::from_number(csi.number(0, 0));
                self.keyboard.set(flags, csi.number(1, 1));
                self.modes.kitty = self.keyboard.current();
            }
            (0, b'!') if csi.last == b'p' => self.soft_reset(),
            (0, b'$') if csi.last == b'p' => self.report_ansi_mode(csi.number(0, 0)),
            (b'?', b'$') if csi.last == b'p' => self.report_private_mode(csi.number(0, 0)),
            (0, b' ') if csi.last == b'q' => {
                if let Some(shape) = CursorShape::from_parameter(csi.number(0, 0)) {
                    self.cursor_shape = shape;
                }
            }
            _ => {}
        }
    }

    fn plain_control(&mut self, csi: &Csi<'_>) {
        match csi.last {
            b'm' => self.style(csi),
            b'A' | b'B' | b'E' | b'F' | b'G' | b'`' | b'a' | b'd' | b'e' => self.move_cursor(csi),
            b'I' | b'Z' | b'g' => self.tabulation(csi),
            b'J' => self.erase_display(csi.number(0, 0)),
            b'T' if csi.numbers().count() > 1 => {}
            b'@' | b'C' | b'D' | b'H' | b'f' | b'K' | b'P' | b'S' | b'T' | b'X' => {
                self.forward(csi.parameters, csi.last);
            }
            b'L' | b'M' => self.shift_lines(csi),
            b'b' => self.repeat(csi.number(0, 1)),
            b'r' => self.set_margins(csi.number(0, 0), csi.number(1, 0)),
            b's' if csi.parameters.is_empty() => self.save_cursor(),
            b'u' if csi.parameters.is_empty() => self.restore_cursor(),
            b'h' | b'l' => self.ansi_modes(csi),
            b'c' if csi.number(0, 0) == 0 => self.report_attributes(),
            b'n' => self.report_status(csi.number(0, 0)),
            b't' => self.window(csi),
            _ => {}
        }
    }

    fn private_control(&mut self, csi: &Csi<'_>) {
        match csi.last {
            b'h' | b'l' => {
                for number in csi.numbers() {
                    self.private_mode(number, csi.last == b'h');
                }
            }
            // Protected cells do not exist here, so selective erase is erase.
            b'J' => self.erase_display(csi.number(0, 0)),
            b'K' => self.forward(csi.parameters, b'K'),
            b'n' => self.report_private_status(csi.number(0, 0)),
            b'u' => self.reply(format!("\x1b[?{}u", self.modes.kitty.bits())),
            b'm' if csi.number(0, 0) == 4 => self.reply(format!("\x1b[>4;{}m", self.modes.modify_other_keys)),
            _ => {}
        }
    }

    fn secondary_control(&mut self, csi: &Csi<'_>) {
        match csi.last {
            b'u' => {
                self.keyboard.push(KittyFlags::from_number(csi.number(0, 0)));
                self.modes.kitty = self.keyboard.current();
            }
            b'm' if csi.number(0, 0) == 4 || csi.parameters.is_empty() => {
                self.modes.modify_other_keys = u8::try_from(csi.number(1, 0)).unwrap_or(0).min(2);
            }
            b'n' if csi.number(0, 0) == 4 => self.modes.modify_other_keys = 0,
            b'c' if csi.number(0, 0) == 0 => self.report_secondary_attributes(),
            b'q' if csi.number(0, 0) == 0 => self.report_version(),
            _ => {}
        }
    }

    fn forward(&mut self, parameters: &[u8], last: u8) {
        let mut bytes = Vec::with_capacity(parameters.len() + 3);
        bytes.extend_from_slice(b"\x1b[");
        bytes.extend_from_slice(parameters);
        bytes.push(last);
        self.draw(&bytes);
    }

    fn style(&mut self, csi: &Csi<'_>) {
        if self.lacks(MissingFeatures::COLON_SGR) {
            if let Some(parameters) = sgr::plain(csi.parameters) {
                self.forward(&parameters, b'm');
            }
        } else if self.lacks(MissingFeatures::DOUBLE_UNDERLINE) {
            self.forward(&sgr::with_double_underline(csi.parameters), b'm');
        } else {
            self.forward(csi.parameters, b'm');
        }
    }

    /// IL and DL also return the carriage.
    fn shift_lines(&mut self, csi: &Csi<'_>) {
        self.forward(csi.parameters, csi.last);
        let row = self.emulator.write_position().row;
        if (self.margins.top..=self.margins.bottom).contains(&row) {
            self.draw(b"\r");
        }
    }

    fn erase_display(&mut self, what: u16) {
        let position = self.emulator.write_position();
        match what {
            3 => {
                self.emulator.pack_all();
                self.event(TermEvent::HistoryMark);
            }
            1 if position.row == 1 && self.lacks(MissingFeatures::ERASE_ABOVE) => {
                self.draw(b"\x1b[1J");
                let origin = self.modes.has(TermMode::Origin);
                self.draw(b"\x1b[?6l\x1b[H\x1b[2K");
                if origin {
                    self.draw(b"\x1b[?6h");
                }
                self.move_to(position.row, position.col);
            }
            0..=2 => {
                let is_all = what == 2 || what == 0 && (position.row, position.col) == (0, 0);
                if is_all && self.modes.has(TermMode::AlternateScreen) {
                    self.keep_full_screen();
                }
                self.draw(format!("\x1b[{what}J").as_bytes());
            }
            _ => {}
        }
    }

    fn move_cursor(&mut self, csi: &Csi<'_>) {
        let size = self.emulator.size();
        let confined = !self.margins.is_full(size) || self.modes.has(TermMode::Origin);
        let relative = match csi.last {
            b'a' | b'e' => self.lacks(MissingFeatures::RELATIVE),
            b'd' => self.modes.has(TermMode::Origin),
            _ => false,
        };
        if !(relative || confined && self.lacks(MissingFeatures::MARGIN_STOPS)) {
            return self.forward(csi.parameters, csi.last);
        }
        let count = csi.number(0, 1);
        if csi.last == b'd' {
            // The row counts from the margin, as it does for CUP.
            let col = self.emulator.write_position().col;
            return self.draw(format!("\x1b[{count};{}H", col + 1).as_bytes());
        }
        let at = self.emulator.write_position();
        let up = at.row - count.min(self.margins.room_above(at.row));
        let down = at.row + count.min(self.margins.room_below(at.row, size));
        let (row, col) = match csi.last {
            b'A' => (up, at.col),
            b'B' => (down, at.col),
            b'E' => (down, 0),
            b'F' => (up, 0),
            b'G' | b'`' => (at.row, count - 1),
            b'a' => (at.row, at.col.saturating_add(count)),
            _ => (at.row.saturating_add(count), at.col),
        };
        self.move_to(row.min(size.rows - 1), col.min(size.cols - 1));
    }

    fn tabulation(&mut self, csi: &Csi<'_>) {
        let count = csi.number(0, 0);
        if csi.last == b'g' {
            match count {
                0 => self.tabs.set(self.emulator.write_position().col, false),
                3 => self.tabs.clear(),
                _ => {}
            }
        }
        match csi.last {
            // Without a stop on the way it ends in the first column, which not every emulator does.
            b'Z' => {
                let at = self.emulator.write_position();
                self.move_to(at.row, self.tabs.before(at.col, count));
            }
            last if !self.lacks(MissingFeatures::TABS) => self.forward(csi.parameters, last),
            b'I' => self.tab_forward(count),
            _ => {}
        }
    }

    /// Moves to a later tab stop.
    pub(super) fn tab_forward(&mut self, count: u16) {
        let at = self.emulator.write_position();
        self.move_to(at.row, self.tabs.after(at.col, count));
    }

    fn set_margins(&mut self, top: u16, bottom: u16) {
        if let Some(margins) = Margins::requested(top, bottom, self.emulator.size()) {
            self.draw(format!("\x1b[{};{}r", margins.top + 1, margins.bottom + 1).as_bytes());
            self.margins = margins;
            self.move_to(
                if self.modes.has(TermMode::Origin) {
                    margins.top
                } else {
                    0
                },
                0,
            );
        }
    }

    /// REP.
    fn repeat(&mut self, count: u16) {
        // More than fills the screen looks the same and would only cost time.
        let size = self.emulator.size();
        let count = u32::from(count).min(u32::from(size.cols) * u32::from(size.rows));
        if self.modes.has(TermMode::Insert) && !self.emulator.write_position().pending_wrap {
            self.draw(format!("\x1b[{count}@").as_bytes());
        }
        self.draw(format!("\x1b[{count}b").as_bytes());
    }

    fn ansi_modes(&mut self, csi: &Csi<'_>) {
        let on = csi.last == b'h';
        for number in csi.numbers() {
            match number {
                4 => self.modes.set(TermMode::Insert, on),
                20 => self.modes.set(TermMode::NewLine, on),
                _ => {}
            }
        }
    }

    fn window(&mut self, csi: &Csi<'_>) {
        let about_title = csi.number(1, 0) != 1;
        match csi.number(0, 0) {
            22 if about_title => {
                if self.titles.len() >= TITLE_STACK_LIMIT {
                    self.titles.remove(0);
                }
                self.titles.push(self.title.clone());
            }
            23 if about_title => {
                if let Some(title) = self.titles.pop() {
                    self.set_title(title);
                }
            }
            number => self.report_window(number),
        }
    }
}
