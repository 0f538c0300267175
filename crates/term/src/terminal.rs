//! A terminal: scanner and emulator together.

mod alternate;
mod changes;
mod charset;
mod control;
mod escapes;
mod full_screen;
mod guard;
mod keyboard;
mod margins;
mod private;
mod rate_limit;
mod reports;
mod saved_cursor;
mod scrollback;
mod sgr;
mod state;
mod strings;
mod tabs;

use self::changes::RowChanges;
use self::state::TerminalState;
use super::cell::Cell;
use super::dump;
use super::emulator::Emulator;
use super::emulator_kind::EmulatorKind;
use super::event::TermEvent;
use super::modes::{Cursor, Modes, TermMode};
use super::palette::ColorPalette;
use super::scanner::Scanner;
use super::size::Size;
use super::text;

/// Maximum time that a program may hold its screen in the middle of a frame (mode 2026), in milliseconds.
const FRAME_LIMIT: u64 = 150;

/// Terminal of one pane: bytes of a program in, a screen and events out. It never panics, whatever the bytes.
pub struct Terminal {
    scanner: Scanner,
    core: TerminalState,
    changes: RowChanges,
}

impl Terminal {
    /// Creates a blank terminal with room for `history_lines` lines above the screen: a few hundred as the emulator keeps them, those above
    /// packed (a line of text takes about 12 bytes more than its text, never more than 960 on average).
    pub fn new(kind: EmulatorKind, size: Size, history_lines: usize) -> Self {
        Self {
            scanner: Scanner::default(),
            core: TerminalState::new(kind, size, history_lines),
            changes: RowChanges::default(),
        }
    }

    /// Takes bytes of the program, in order, cut anywhere. `now` is the time in milliseconds by a clock that may be set back. At most 256
    /// events and 2,048 replies a second come out; the rest is dropped.
    pub fn feed(&mut self, now: u64, bytes: &[u8]) -> Vec<TermEvent> {
        self.core.begin(now);
        self.scanner.scan(bytes, &mut self.core);
        self.core.finish()
    }

    /// Changes the size. Resize the program's pty after this, and write out the replies.
    pub fn resize(&mut self, size: Size) -> Vec<TermEvent> {
        self.core.resize(size);
        self.core.finish()
    }

    /// Sets the colours reported to the program, and reports a change between dark and light if it asked for that.
    pub fn set_palette(&mut self, palette: ColorPalette) -> Vec<TermEvent> {
        let was_dark = self.core.palette.is_dark();
        self.core.palette = palette;
        if was_dark != palette.is_dark() && self.core.modes.has(TermMode::ColorSchemeReports) {
            self.core.report_color_scheme();
        }
        self.core.finish()
    }

    /// Returns the emulator that keeps the grid.
    pub fn kind(&self) -> EmulatorKind {
        self.core.emulator.kind()
    }

    /// Returns the present size.
    pub fn size(&self) -> Size {
        self.core.emulator.size()
    }

    /// Copies one row into `cells`, exactly as many as there are columns. `scroll_back` is the number of lines the view
    /// is moved up into the history.
    pub fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        self.core.emulator.visible_row(row, scroll_back, cells);
    }

    /// Returns true if a row continues in the next one because the text was too long.
    pub fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        self.core.emulator.row_wraps(row, scroll_back)
    }

    /// Returns true if a shell marked the beginning of a prompt on a row (OSC 133 A). The mark stays with its line; the emulator `vt100`
    /// keeps none.
    pub fn is_prompt(&mut self, row: u16, scroll_back: usize) -> bool {
        self.core.emulator.is_prompt(row, scroll_back)
    }

    /// Returns the target of the hyperlink on a cell: `http`, `https` or `file` only, and never to be opened unasked.
    pub fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String> {
        self.core.emulator.hyperlink(row, col, scroll_back)
    }

    /// Returns true if the program ever set a hyperlink; until then no cell has one.
    pub fn has_linked(&self) -> bool {
        self.core.linked
    }

    /// Returns the number of lines kept above the screen.
    pub fn history_len(&self) -> usize {
        self.core.emulator.history_len()
    }

    /// Returns the bytes of memory that lines above the screen take in their small form; the emulator's own are not counted.
    pub fn packed_size(&self) -> usize {
        self.core.emulator.packed_size()
    }

    /// Returns the position and look of the cursor.
    pub fn cursor(&self) -> Cursor {
        let position = self.core.emulator.write_position();
        Cursor {
            row: position.row,
            col: position.col,
            visible: self.core.modes.has(TermMode::CursorVisible),
            shape: self.core.cursor_shape,
        }
    }

    /// Returns the modes the program has set.
    pub fn modes(&self) -> &Modes {
        &self.core.modes
    }

    /// Returns the title, sanitised.
    pub fn title(&self) -> &str {
        &self.core.title
    }

    /// Returns a number that grows with every feed and resize.
    pub fn generation(&self) -> u64 {
        self.core.generation
    }

    /// Returns true if the screen may be shown at `now`: not while the program is in the middle of a frame, which counts for at most 150 ms
    /// and not after a resize.
    pub fn presentable(&self, now: u64) -> bool {
        self.core.is_presentable(now, FRAME_LIMIT)
    }

    /// Returns the rows that may have changed since `seen`, in ascending order, and the `seen` of the next call; 0 means all rows. Each of
    /// several readers keeps its own.
    pub fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>) {
        let damage = self.core.emulator.take_damage();
        let damage = self
            .changes
            .all_if_inverted(self.core.modes.has(TermMode::ReverseVideo), damage);
        self.changes.note(&damage, self.core.emulator.size().rows);
        self.changes.since(seen)
    }

    /// Returns the plain text of rows `first..=last` of the view, wrapped rows joined, trailing blanks cut.
    pub fn text(&mut self, first: u16, last: u16, scroll_back: usize) -> String {
        let end = self.size().cols;
        text::between(&mut self.core.emulator, (first, 0), (last, end), scroll_back)
    }

    /// Returns the plain text between two places of the view, row and column, the second not included; wide characters are not cut.
    pub fn text_between(&mut self, start: (u16, u16), end: (u16, u16), scroll_back: usize) -> String {
        text::between(&mut self.core.emulator, start, end, scroll_back)
    }

    /// Appends the text of a row to the line that it belongs to, and returns true if that line continues in the next row.
    pub fn join_row(&mut self, row: u16, scroll_back: usize, line: &mut String) -> bool {
        text::join(&mut self.core.emulator, row, scroll_back, line)
    }

    /// Returns the plain text of all lines above the screen and on it, oldest first: wrapped rows joined, trailing blanks cut.
    pub fn all_lines(&mut self) -> Vec<String> {
        text::all(&mut self.core.emulator)
    }

    /// Shows the last screen of a full-screen program that has ended: behind the text that was beneath it, before the text written after
    /// the program had left it. Does nothing if the screen was not left, or if more than a screen or 4 KiB was written since. Call it once,
    /// after the end.
    pub fn show_last_full_screen(&mut self) {
        self.core.show_last_full_screen();
    }

    /// Returns escape codes that rebuild this terminal in a fresh one of the same size: screen, up to `history` lines above it, cursor,
    /// pen, margins, modes, title. Hyperlinks and tab stops are left out.
    pub fn dump(&mut self, history: usize) -> Vec<u8> {
        let TerminalState {
            emulator,
            modes,
            margins,
            hidden_main,
            ..
        } = &mut self.core;
        let state = dump::DumpState {
            modes,
            margins: (margins.top, margins.bottom),
            hidden_main: hidden_main.as_deref(),
        };
        let mut bytes = dump::screen(emulator, &state, history);
        dump::settings(
            self.core.modes,
            self.core.cursor_shape,
            &self.core.title,
            &mut bytes,
        );
        bytes
    }
}
