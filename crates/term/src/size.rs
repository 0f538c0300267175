//! The size of a terminal in cells. Must not allow sizes an emulator cannot survive.

/// Columns and rows of a terminal, always within [`Size::MIN`] and [`Size::MAX`]: emulators panic or loop under two
/// columns, and a hostile size must not allocate without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    /// The smallest number of columns and of rows.
    pub const MIN: u16 = 2;
    /// The largest number of columns and of rows.
    pub const MAX: u16 = 1000;

    /// Builds a size with both sides brought into the allowed range.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self {
            cols: cols.clamp(Self::MIN, Self::MAX),
            rows: rows.clamp(Self::MIN, Self::MAX),
        }
    }
}

impl Default for Size {
    /// Returns the size for an agent that was never shown.
    fn default() -> Self {
        Self::new(120, 40)
    }
}
