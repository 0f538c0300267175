//! Keeps the screen of a full-screen program before the program clears or leaves it, and shows that screen when the program has ended.
//! Agents do both as they end, and their last screen would be lost.

use super::full_screen::LAST_WORDS;
use super::state::TerminalState;
use crate::dump;
use crate::emulator::Emulator;
use crate::modes::TermMode;

impl TerminalState {
    /// Keeps the alternate screen, unless it is blank.
    pub(super) fn keep_full_screen(&mut self) {
        let size = self.emulator.size();
        if !self.full_screen.may_keep(size, self.now, self.drawn) {
            return;
        }
        let rows = self.emulator.salvage(|emulator| dump::rows_from(emulator, 0));
        self.full_screen.keep(rows.unwrap_or_default());
    }

    /// Notes the place on the main screen where the program continues.
    pub(super) fn note_left(&mut self) {
        let at = self.emulator.write_position();
        let line = self.emulator.history_len() + usize::from(at.row);
        self.full_screen.left_at = Some((line + usize::from(at.col > 0), self.drawn));
    }

    /// See [`super::Terminal::show_last_full_screen`].
    pub(super) fn show_last_full_screen(&mut self) {
        let last = std::mem::take(&mut self.full_screen);
        let above = self.emulator.history_len();
        let ended_here = |(_, drawn): &(usize, u64)| self.drawn - drawn <= LAST_WORDS;
        let left_at = last.left_at.filter(ended_here);
        let first = left_at.and_then(|(line, _)| line.checked_sub(above));
        let Some(first) = first.filter(|_| !self.modes.has(TermMode::AlternateScreen)) else {
            return;
        };
        if last.rows.is_empty() {
            return;
        }
        self.generation += 1;
        self.soft_reset();
        let end = self.emulator.size().rows - 1;
        let first = u16::try_from(first).unwrap_or(end).min(end);
        let words = self
            .emulator
            .salvage(|emulator| dump::rows_from(emulator, first))
            .unwrap_or_default();
        self.draw(format!("\x1b[{};1H\x1b[J", first + 1).as_bytes());
        self.draw(last.rows.as_bytes());
        if !words.is_empty() {
            self.draw(format!("\r\n{words}").as_bytes());
        }
    }
}
