//! The state of one terminal behind the scanner. Must be the same for every emulator: modes, margins, tab stops and
//! replies are kept here, the emulator only keeps the grid.

use std::borrow::Cow;

use super::charset::Charsets;
use super::full_screen::LastFullScreen;
use super::keyboard::KeyboardStacks;
use super::margins::Margins;
use super::rate_limit::ReplyLimiter;
use super::saved_cursor::SavedCursor;
use super::scrollback::ScrollbackEmulator;
use super::tabs::TabStops;
use crate::dump;
use crate::emulator::{Emulator, MissingFeatures};
use crate::emulator_kind::EmulatorKind;
use crate::event::TermEvent;
use crate::modes::{CursorShape, Modes, TermMode};
use crate::palette::ColorPalette;
use crate::scanner::{Csi, ScanSink, StringKind};
use crate::size::Size;

/// Maximum number of events of one feed; those beyond are dropped, of titles and states the older ones.
const EVENT_LIMIT: usize = 256;

/// The state of one terminal behind the scanner: modes, margins, tab stops and the emulator.
pub(super) struct TerminalState {
    pub(super) emulator: ScrollbackEmulator,
    pub(super) modes: Modes,
    pub(super) cursor_shape: CursorShape,
    pub(super) title: String,
    pub(super) titles: Vec<String>,
    pub(super) margins: Margins,
    pub(super) tabs: TabStops,
    pub(super) charsets: Charsets,
    pub(super) keyboard: KeyboardStacks,
    pub(super) palette: ColorPalette,
    /// Cursors that DECSC saved on the main and on the alternate screen.
    pub(super) saved_cursors: [SavedCursor; 2],
    /// Time at which the unfinished frame of the program began.
    pub(super) frame_began: Option<u64>,
    /// The main screen as escape codes, while the alternate one is shown.
    pub(super) hidden_main: Option<Vec<u8>>,
    /// Last screen of a full-screen program.
    pub(super) full_screen: LastFullScreen,
    /// Bytes that were drawn, ever.
    pub(super) drawn: u64,
    /// True if the program ever set a hyperlink.
    pub(super) linked: bool,
    /// Time of the clock at the last feed.
    seen: u64,
    /// Milliseconds by the terminal's own clock, which advances with that one and never goes back.
    pub(super) now: u64,
    pub(super) generation: u64,
    hidden_main_taken: Option<u64>,
    budget: ReplyLimiter,
    events: Vec<TermEvent>,
    bell_rang: bool,
}

impl TerminalState {
    pub(super) fn new(kind: EmulatorKind, size: Size, history_lines: usize) -> Self {
        Self::with_emulator(ScrollbackEmulator::new(kind, size, history_lines))
    }

    /// Creates a terminal with that emulator.
    pub(super) fn with_emulator(emulator: ScrollbackEmulator) -> Self {
        let size = emulator.size();
        let mut core = Self {
            emulator,
            modes: Modes::default(),
            cursor_shape: CursorShape::Default,
            title: String::new(),
            titles: Vec::new(),
            margins: Margins::full(size),
            tabs: TabStops::new(size),
            charsets: Charsets::default(),
            keyboard: KeyboardStacks::default(),
            palette: ColorPalette::default(),
            saved_cursors: [SavedCursor::default(); 2],
            frame_began: None,
            hidden_main: None,
            full_screen: LastFullScreen::default(),
            drawn: 0,
            linked: false,
            seen: 0,
            now: 0,
            generation: 0,
            hidden_main_taken: None,
            budget: ReplyLimiter::default(),
            events: Vec::new(),
            bell_rang: false,
        };
        core.modes = core.initial_modes();
        core
    }

    /// Starts a feed.
    pub(super) fn begin(&mut self, now: u64) {
        // A clock that was set back: no time has passed that this terminal knows of, and from there on it passes again.
        self.now = self.now.saturating_add(now.saturating_sub(self.seen));
        self.seen = now;
        self.generation += 1;
        self.bell_rang = false;
    }

    /// Returns true if the program is in no frame at `now`, or in one whose time is over.
    pub(super) fn is_presentable(&self, now: u64, limit: u64) -> bool {
        let passed = |began| self.now.saturating_add(now.saturating_sub(self.seen)) >= began + limit;
        now < self.seen || self.frame_began.is_none_or(passed)
    }

    /// Ends a feed and returns its events.
    pub(super) fn finish(&mut self) -> Vec<TermEvent> {
        self.rebuild_if_broken();
        if std::mem::take(&mut self.bell_rang) {
            self.event(TermEvent::Bell);
        }
        std::mem::take(&mut self.events)
    }

    /// Gives the emulator bytes that need no further reading.
    pub(super) fn draw(&mut self, bytes: &[u8]) {
        self.drawn = self.drawn.saturating_add(bytes.len() as u64);
        self.emulator.feed(bytes);
        self.rebuild_if_broken();
    }

    pub(super) fn event(&mut self, event: TermEvent) {
        if self.events.len() >= EVENT_LIMIT {
            // Of a state only the newest report counts; a flood of others must not keep it away.
            let superseded = self.events.iter().position(|old| old.is_superseded_by(&event));
            let Some(old) = superseded else { return };
            self.events.remove(old);
        }
        self.events.push(event);
    }

    /// Answers the program, unless it asks more often than the limit.
    pub(super) fn reply(&mut self, bytes: impl Into<Vec<u8>>) {
        if self.budget.take(self.now) {
            self.events.push(TermEvent::Reply(bytes.into()));
        }
    }

    pub(super) fn lacks(&self, gap: MissingFeatures) -> bool {
        self.emulator.missing_features().contains(gap)
    }

    pub(super) fn initial_modes(&self) -> Modes {
        let mut modes = Modes::default();
        modes.set(TermMode::GraphemeClusters, !self.lacks(MissingFeatures::CLUSTERS));
        modes
    }

    /// Moves the cursor to a place on the screen, whatever the origin mode is.
    pub(super) fn move_to(&mut self, row: u16, col: u16) {
        let row = if self.modes.has(TermMode::Origin) {
            row.saturating_sub(self.margins.top)
        } else {
            row
        };
        self.draw(format!("\x1b[{};{}H", row + 1, col + 1).as_bytes());
    }

    pub(super) fn resize(&mut self, size: Size) {
        let old = self.emulator.size();
        if size == old {
            return;
        }
        self.generation += 1;
        self.emulator.resize(size);
        self.rebuild_if_broken();
        if !self.margins.is_full(old) {
            // An emulator may keep its old margins, which would then be out of step with ours.
            let position = self.emulator.write_position();
            self.draw(b"\x1b[r");
            self.margins = Margins::full(size);
            self.move_to(position.row, position.col);
        }
        self.margins = Margins::full(size);
        self.tabs.resize(size);
        self.frame_began = None;
        if self.modes.has(TermMode::SizeReports) {
            self.report_size();
        }
    }

    /// Replaces an emulator that panicked by a fresh one and carries over everything that can still be read.
    fn rebuild_if_broken(&mut self) {
        if !self.emulator.is_broken() {
            return;
        }
        let mut fresh = self.emulator.fresh();
        if let Some(screen) = self.screen_codes() {
            fresh.feed(&screen);
        }
        if fresh.is_broken() {
            fresh = self.emulator.fresh();
            self.margins = Margins::full(fresh.size());
            self.modes.set(TermMode::AlternateScreen, false);
        }
        self.emulator.replace_emulator(fresh);
        self.event(TermEvent::EmulatorRebuilt);
    }

    /// Returns the screen as escape codes, if the emulator can still be read.
    fn screen_codes(&mut self) -> Option<Vec<u8>> {
        let state = dump::DumpState {
            modes: &self.modes,
            margins: (self.margins.top, self.margins.bottom),
            hidden_main: self.hidden_main.as_deref(),
        };
        self.emulator
            .salvage(|emulator| dump::screen(emulator, &state, 0))
    }

    /// Keeps the main screen before the alternate one covers it; at most ten times a second, because it costs more than the bytes that ask
    /// for it.
    pub(super) fn keep_main_screen(&mut self) {
        if self.hidden_main_taken.is_some_and(|taken| self.now < taken + 100) {
            return;
        }
        self.hidden_main_taken = Some(self.now);
        self.hidden_main = self.emulator.salvage(|emulator| dump::grid(emulator, 0));
    }

    fn translated<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let bytes = if self.lacks(MissingFeatures::CHARSETS) {
            self.charsets.translate(bytes)
        } else {
            Cow::Borrowed(bytes)
        };
        if !self.modes.has(TermMode::NewLine) || !bytes.iter().any(|byte| (0x0a..=0x0c).contains(byte)) {
            return bytes;
        }
        let mut lines = Vec::with_capacity(bytes.len() + 16);
        for &byte in bytes.iter() {
            if (0x0a..=0x0c).contains(&byte) {
                lines.push(b'\r');
            }
            lines.push(byte);
        }
        Cow::Owned(lines)
    }

    /// Draws text between shifts.
    fn draw_text(&mut self, bytes: &[u8]) {
        let bytes = self.translated(bytes);
        if self.modes.has(TermMode::Insert) {
            return self.insert_text(&bytes);
        }
        if self.tabs.is_regular() || !self.lacks(MissingFeatures::TABS) {
            return self.draw(&bytes);
        }
        for (index, part) in bytes.split(|&byte| byte == b'\t').enumerate() {
            if index > 0 {
                self.tab_forward(1);
            }
            self.draw(part);
        }
    }

    fn insert_text(&mut self, bytes: &[u8]) {
        for character in String::from_utf8_lossy(bytes).chars() {
            match u8::try_from(character) {
                Ok(b'\t') if !self.tabs.is_regular() && self.lacks(MissingFeatures::TABS) => {
                    self.tab_forward(1);
                }
                Ok(control @ (..0x20 | 0x7f)) => self.draw(&[control]),
                _ => {
                    self.emulator.insert(character);
                    self.rebuild_if_broken();
                }
            }
        }
    }
}

impl ScanSink for TerminalState {
    fn pass(&mut self, bytes: &[u8], pure: bool) {
        if !pure || !self.splits_runs() {
            return self.draw(bytes);
        }
        let mut rest = bytes;
        while let Some(at) =
            memchr::memchr2(0x0e, 0x0f, rest).filter(|_| self.lacks(MissingFeatures::CHARSETS))
        {
            let (text, shift) = rest.split_at(at);
            self.draw_text(text);
            self.charsets.shift(usize::from(shift.first() == Some(&0x0e)));
            rest = shift.get(1..).unwrap_or_default();
        }
        self.draw_text(rest);
    }

    fn splits_runs(&self) -> bool {
        self.modes.has(TermMode::NewLine)
            || self.modes.has(TermMode::Insert)
            || self.lacks(MissingFeatures::CHARSETS)
    }

    fn is_plain(&self, parameters: &[u8], last: u8) -> bool {
        let placed = !self.modes.has(TermMode::Origin);
        match last {
            b'G' | b'`' | b'd' => placed,
            b'@' | b'C' | b'D' | b'H' | b'f' | b'K' | b'P' | b'X' => true,
            // 21 may need another form; a colour that holds the digits only costs a closer look.
            b'm' => !parameters.windows(2).any(|digits| digits == b"21"),
            // A screen that a full-screen program clears is kept, for it may be the program's last.
            b'J' if self.modes.has(TermMode::AlternateScreen) => false,
            b'J' => !parameters.iter().any(|byte| matches!(byte, b'1' | b'3')),
            b'A' | b'B' => placed && self.margins.is_full(self.emulator.size()),
            _ => false,
        }
    }

    fn csi(&mut self, csi: &Csi<'_>) {
        self.control(csi);
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        self.escape_sequence(intermediates, last);
    }

    fn string(&mut self, kind: StringKind, body: &[u8], ended_by_bell: bool) {
        match kind {
            StringKind::Osc => self.osc(body, ended_by_bell),
            StringKind::Dcs => self.dcs(body),
            StringKind::Title => self.title_string(body),
            StringKind::Ignored => {}
        }
    }

    fn bell(&mut self) {
        self.bell_rang = true;
    }
}
