//! The scrolling region (DECSTBM).

use crate::size::Size;

/// First and last row that scroll, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Margins {
    pub(super) top: u16,
    pub(super) bottom: u16,
}

impl Margins {
    /// Returns the margins of the whole screen.
    pub(super) fn full(size: Size) -> Self {
        Self {
            top: 0,
            bottom: size.rows - 1,
        }
    }

    /// Returns the margins that DECSTBM asks for, `None` if they make no sense. Parameters count from 1, 0 means the edge.
    pub(super) fn requested(top: u16, bottom: u16, size: Size) -> Option<Self> {
        let bottom = if bottom == 0 {
            size.rows
        } else {
            bottom.min(size.rows)
        };
        let top = top.max(1);
        (top < bottom).then(|| Self {
            top: top - 1,
            bottom: bottom - 1,
        })
    }

    /// Returns true if the margins cover the whole screen.
    pub(super) fn is_full(self, size: Size) -> bool {
        self == Self::full(size)
    }

    /// Number of rows that the cursor may go up from `row`.
    pub(super) fn room_above(self, row: u16) -> u16 {
        if row >= self.top { row - self.top } else { row }
    }

    /// Number of rows that the cursor may go down from `row`.
    pub(super) fn room_below(self, row: u16, size: Size) -> u16 {
        if row <= self.bottom {
            self.bottom - row
        } else {
            size.rows.saturating_sub(row + 1)
        }
    }
}
