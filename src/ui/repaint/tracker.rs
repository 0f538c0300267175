//! Tracker of the terminals that a frame reads, and of their state when it first did so: later changes are drawn again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ratatui::layout::Rect;

use crate::domain::{AttemptId, Timestamp};
use crate::read_model::LiveActivity;
use crate::ui::program_report::ProgramReport;
use crate::ui::scene::{ScreenId, ScreenRead, Screens};

/// The terminals, wrapped so that each one a frame reads is recorded.
pub(super) struct TrackedScreens<'a> {
    pub(super) screens: &'a dyn Screens,
    pub(super) now: Timestamp,
    pub(super) stamps: RefCell<BTreeMap<ScreenId, ScreenStamp>>,
}

/// Part of a terminal that a frame shows: its cells, or only facts about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ScreenUse {
    Facts,
    Cells,
}

/// The state of a terminal at the moment a frame first read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScreenStamp {
    /// Number to pass to `changes_since` for later changes.
    pub(super) stamp: u64,
    pub(super) size: (u16, u16),
    /// Part of the terminal that the frame shows.
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

    /// Notes that the rows of `earlier` are still the ones on the screen, and so is the row that is shown first.
    pub(super) fn keep_rows_of(&mut self, earlier: &Self) {
        self.stamp = earlier.stamp;
        self.writes_at = earlier.writes_at;
    }

    /// Returns true if nothing but rows may have changed since, for a pane of that area.
    pub(super) fn is_unchanged(&self, screen: &dyn ScreenRead, area: Rect) -> bool {
        // A terminal cut to its pane moves with the row that its program writes to.
        let is_cut = self.size.1 > area.height;
        self.size == screen.size()
            && self.alive == screen.is_running()
            && self.title == screen.title()
            && !(is_cut && self.writes_at != screen.output_row())
    }
}

impl TrackedScreens<'_> {
    fn record(&self, id: ScreenId, screen_use: ScreenUse, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        self.screens.with(id, &mut |screen| {
            let first = || ScreenStamp::of(screen, self.now);
            let mut stamps = self.stamps.borrow_mut();
            let stamp = stamps.entry(id).or_insert_with(first);
            stamp.screen_use = stamp.screen_use.max(screen_use);
            drop(stamps);
            read(screen);
        })
    }
}

impl Screens for TrackedScreens<'_> {
    fn with(&self, id: ScreenId, read: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        self.record(id, ScreenUse::Facts, read)
    }

    fn draw(&self, id: ScreenId, draw: &mut dyn FnMut(&mut dyn ScreenRead)) -> bool {
        self.record(id, ScreenUse::Cells, draw)
    }

    fn activity(&self, attempt: AttemptId) -> Option<LiveActivity> {
        self.screens.activity(attempt)
    }

    fn reported(&self, id: ScreenId) -> ProgramReport {
        self.screens.reported(id)
    }
}
