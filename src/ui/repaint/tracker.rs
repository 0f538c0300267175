//! Remembers which terminals a frame looked at, and how they were when it did. Must be told of the first look: what changes
//! after it is drawn again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::domain::Timestamp;
use crate::ui::scene::{MouseReporting, ScreenCursor, ScreenId, ScreenRead, Screens};
use crate::ui::scrollback::Scrollback;

/// The terminals, wrapped so that each one a frame reads is recorded.
pub(super) struct TrackedScreens<'a> {
    pub(super) screens: &'a dyn Screens,
    pub(super) now: Timestamp,
    pub(super) stamps: RefCell<BTreeMap<ScreenId, ScreenStamp>>,
}

/// Whether a frame shows a terminal's cells or only facts about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScreenUse {
    Facts,
    Cells,
}

/// The state of a terminal at the moment a frame first read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenStamp {
    /// What to say to hear of later changes.
    pub(super) stamp: u64,
    pub(super) size: (u16, u16),
    /// What of it is in the frame.
    pub(super) screen_use: ScreenUse,
    pub(super) is_presentable: bool,
    alive: bool,
    title: String,
    writes_at: u16,
}

impl ScreenStamp {
    fn of(screen: &mut dyn ScreenRead, now: Timestamp) -> Self {
        Self {
            stamp: screen.changes_since(u64::MAX).0,
            size: screen.size(),
            screen_use: ScreenUse::Facts,
            is_presentable: screen.is_frame_complete(now),
            alive: screen.is_running(),
            title: screen.title(),
            writes_at: screen.output_row(),
        }
    }

    /// Whether nothing but rows may have changed since, for a pane of that area.
    pub(super) fn is_unchanged(&self, screen: &dyn ScreenRead, area: Rect) -> bool {
        // Cut to its pane, a terminal moves with where its program writes.
        let is_cut = self.size.1 > area.height;
        self.size == screen.size()
            && self.alive == screen.is_running()
            && self.title == screen.title()
            && !(is_cut && self.writes_at != screen.output_row())
    }
}

impl Screens for TrackedScreens<'_> {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let mut is_drawn = false;
        let there = self.screens.with(id, &mut |screen| {
            self.stamps
                .borrow_mut()
                .entry(id)
                .or_insert_with(|| ScreenStamp::of(screen, self.now));
            let mut watched = TrackedScreen {
                screen,
                is_drawn: false,
            };
            read(&mut watched);
            is_drawn = watched.is_drawn;
        });
        if is_drawn && let Some(seen) = self.stamps.borrow_mut().get_mut(&id) {
            seen.screen_use = ScreenUse::Cells;
        }
        there
    }
}

/// One terminal, wrapped to record whether its cells were read.
struct TrackedScreen<'a> {
    screen: &'a mut dyn ScreenRead,
    is_drawn: bool,
}

impl ScreenRead for TrackedScreen<'_> {
    fn size(&self) -> (u16, u16) {
        self.screen.size()
    }

    fn history_len(&self) -> usize {
        self.screen.history_len()
    }

    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.is_drawn = true;
        self.screen.cells(back, show);
    }

    /// Not drawn: what is held still stays as it is.
    fn scrollback(&mut self) -> Scrollback {
        self.screen.scrollback()
    }

    fn row(&mut self, row: u16, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.is_drawn = true;
        self.screen.row(row, show);
    }

    /// Not drawn: a line on a card may be a little behind.
    fn last_line(&mut self) -> String {
        self.screen.last_line()
    }

    fn changes_since(&mut self, seen: u64) -> (u64, Vec<u16>) {
        self.screen.changes_since(seen)
    }

    fn is_frame_complete(&self, now: Timestamp) -> bool {
        self.screen.is_frame_complete(now)
    }

    fn cursor(&self) -> Option<ScreenCursor> {
        self.screen.cursor()
    }

    fn output_row(&self) -> u16 {
        self.screen.output_row()
    }

    fn mouse_reporting(&self) -> MouseReporting {
        self.screen.mouse_reporting()
    }

    fn bracketed_paste(&self) -> bool {
        self.screen.bracketed_paste()
    }

    fn title(&self) -> String {
        self.screen.title()
    }

    fn is_running(&self) -> bool {
        self.screen.is_running()
    }
}
