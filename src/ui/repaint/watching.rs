//! Remembers which terminals a frame looked at, and how they were when it did. Must be told of the first look: what changes
//! after it is drawn again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::domain::Timestamp;
use crate::ui::scene::{ScreenCursor, ScreenId, ScreenRead, Screens, Wants};
use crate::ui::still::Still;

/// The terminals, with what was seen of them.
pub(super) struct Watching<'a> {
    pub(super) screens: &'a dyn Screens,
    pub(super) now: Timestamp,
    pub(super) seen: RefCell<BTreeMap<ScreenId, Seen>>,
}

/// What of a terminal is in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// What is known of it.
    Facts,
    /// Its cells.
    Cells,
}

/// How a terminal was when a frame first looked at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// What to say to hear of later changes.
    pub(super) stamp: u64,
    pub(super) size: (u16, u16),
    /// What of it is in the frame.
    pub(super) part: Part,
    pub(super) is_presentable: bool,
    alive: bool,
    title: String,
    writes_at: u16,
}

impl Seen {
    fn of(screen: &mut dyn ScreenRead, now: Timestamp) -> Self {
        Self {
            stamp: screen.changes_since(u64::MAX).0,
            size: screen.size(),
            part: Part::Facts,
            is_presentable: screen.is_presentable(now),
            alive: screen.alive(),
            title: screen.title(),
            writes_at: screen.writes_at(),
        }
    }

    /// Whether nothing but rows may have changed since, for a pane of that area.
    pub(super) fn still_fits(&self, screen: &dyn ScreenRead, area: Rect) -> bool {
        // Cut to its pane, a terminal moves with where its program writes.
        let is_cut = self.size.1 > area.height;
        self.size == screen.size()
            && self.alive == screen.alive()
            && self.title == screen.title()
            && !(is_cut && self.writes_at != screen.writes_at())
    }
}

impl Screens for Watching<'_> {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        let mut is_drawn = false;
        let there = self.screens.with(id, &mut |screen| {
            self.seen
                .borrow_mut()
                .entry(id)
                .or_insert_with(|| Seen::of(screen, self.now));
            let mut watched = Watched {
                screen,
                is_drawn: false,
            };
            read(&mut watched);
            is_drawn = watched.is_drawn;
        });
        if is_drawn && let Some(seen) = self.seen.borrow_mut().get_mut(&id) {
            seen.part = Part::Cells;
        }
        there
    }
}

/// One terminal, with whether its cells were asked for.
struct Watched<'a> {
    screen: &'a mut dyn ScreenRead,
    is_drawn: bool,
}

impl ScreenRead for Watched<'_> {
    fn size(&self) -> (u16, u16) {
        self.screen.size()
    }

    fn history(&self) -> usize {
        self.screen.history()
    }

    fn cells(&mut self, back: usize, show: &mut dyn FnMut(u16, u16, &str, Style)) {
        self.is_drawn = true;
        self.screen.cells(back, show);
    }

    /// Not drawn: what is held still stays as it is.
    fn still(&mut self) -> Still {
        self.screen.still()
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

    fn is_presentable(&self, now: Timestamp) -> bool {
        self.screen.is_presentable(now)
    }

    fn cursor(&self) -> Option<ScreenCursor> {
        self.screen.cursor()
    }

    fn writes_at(&self) -> u16 {
        self.screen.writes_at()
    }

    fn wants(&self) -> Wants {
        self.screen.wants()
    }

    fn marks_pastes(&self) -> bool {
        self.screen.marks_pastes()
    }

    fn title(&self) -> String {
        self.screen.title()
    }

    fn alive(&self) -> bool {
        self.screen.alive()
    }
}
