//! Tab stops, for an emulator that has only every eighth column.

use crate::size::Size;

/// The tab stops of one terminal.
#[derive(Debug)]
pub(super) struct TabStops {
    stops: Vec<bool>,
    regular: bool,
}

impl TabStops {
    /// Columns between the stops a terminal starts with.
    pub(super) const REGULAR: u16 = 8;

    pub(super) fn new(size: Size) -> Self {
        let stops = (0..size.cols).map(|col| col % Self::REGULAR == 0).collect();
        Self { stops, regular: true }
    }

    /// Keeps the stops; new columns get the regular ones.
    pub(super) fn resize(&mut self, size: Size) {
        let have = u16::try_from(self.stops.len()).unwrap_or(u16::MAX);
        self.stops.truncate(usize::from(size.cols));
        self.stops
            .extend((have..size.cols).map(|col| col % Self::REGULAR == 0));
    }

    /// Returns true if the stops are as in the beginning.
    pub(super) fn is_regular(&self) -> bool {
        self.regular
    }

    /// Sets (HTS) or clears (TBC) a stop.
    pub(super) fn set(&mut self, col: u16, on: bool) {
        if let Some(stop) = self.stops.get_mut(usize::from(col)) {
            self.regular &= *stop == on;
            *stop = on;
        }
    }

    /// Clears all.
    pub(super) fn clear(&mut self) {
        self.stops.fill(false);
        self.regular = false;
    }

    /// Returns the column `count` stops after `col`, at most the last.
    pub(super) fn after(&self, col: u16, count: u16) -> u16 {
        let cols = u16::try_from(self.stops.len()).unwrap_or(u16::MAX);
        let mut later = (col.saturating_add(1)..cols).filter(|col| self.is_stop(*col));
        later
            .nth(usize::from(count.max(1)) - 1)
            .unwrap_or(cols.saturating_sub(1))
    }

    /// Returns the column `count` stops before `col`, at least the first.
    pub(super) fn before(&self, col: u16, count: u16) -> u16 {
        let mut earlier = (0..col).rev().filter(|col| self.is_stop(*col));
        earlier.nth(usize::from(count.max(1)) - 1).unwrap_or(0)
    }

    fn is_stop(&self, col: u16) -> bool {
        self.stops.get(usize::from(col)).copied().unwrap_or(false)
    }
}
