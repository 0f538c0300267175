//! Needs of the layer above from a terminal emulator. Must not name one: the emulators are behind this trait, so that one can be exchanged
//! or checked against another.

use super::cell::{Cell, CellStyle};
use super::history::PackedHistory;
use super::size::Size;

/// A terminal emulator that keeps a grid of cells from clean input. It never answers queries: this crate makes replies from its own state.
pub trait Emulator: Send {
    /// Applies bytes to the grid.
    fn feed(&mut self, bytes: &[u8]);

    /// Writes one printable character in insert mode (IRM): the cells from its place on move right. An emulator that cannot do this
    /// overwrites.
    fn insert(&mut self, character: char) {
        self.feed(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Changes the size; text is kept as well as the emulator can.
    fn resize(&mut self, size: Size);

    /// Returns the present size.
    fn size(&self) -> Size;

    /// Copies one row, exactly as many cells as there are columns, into `cells`. `scroll_back` is the number of lines
    /// the view is moved up into the history; it is clamped to [`Emulator::history_len`]. A row outside the screen is
    /// blank.
    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>);

    /// Returns true if the row continues in the next one because the text was too long.
    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool;

    /// Returns the target of the hyperlink (OSC 8) on a cell.
    fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String>;

    /// Returns the number of lines kept above the screen.
    fn history_len(&self) -> usize;

    /// Moves the oldest lines of its history into a smaller one until at most `keep` are left, or fewer if it cannot remove only some. `to`
    /// then gives for them the same rows as [`Emulator::visible_row`] did.
    fn drain_history(&mut self, keep: usize, to: &mut PackedHistory);

    /// Moves all lines above the main screen into `to` while the alternate one is shown. Moves nothing if a main screen that grows does not
    /// pull any of them back.
    fn drain_hidden_history(&mut self, _to: &mut PackedHistory) {}

    /// Returns true if a shell began a prompt (OSC 133 A) on the row. An emulator that keeps no such marks has none.
    fn is_prompt(&mut self, _row: u16, _scroll_back: usize) -> bool {
        false
    }

    /// Returns true if the screen in view is the alternate one, which has no history.
    fn is_alternate(&self) -> bool;

    /// Returns the position of the next character.
    fn write_position(&self) -> WritePosition;

    /// Makes the next character begin a new line, as if the last column of this row had just been written; the cursor is there.
    fn set_pending_wrap(&mut self);

    /// Returns the colours and attributes of the next character.
    fn pen(&self) -> CellStyle;

    /// Returns the rows that may look different since the last call.
    fn take_damage(&mut self) -> Damage;

    /// Returns the features that this emulator lacks and must be fed as an equivalent.
    fn missing_features(&self) -> MissingFeatures;
}

/// Position of the next character, with the state of a pending wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WritePosition {
    pub row: u16,
    /// Column, from 0, always on the screen.
    pub col: u16,
    /// Set when the last column was written, so that the next character starts a new line.
    pub pending_wrap: bool,
}

/// The rows of the screen that may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// Rows of the screen that may have changed, in ascending order; none when empty.
    Rows(Vec<u16>),
    All,
}

bitflags::bitflags! {
    /// A set of features that an emulator lacks and must be fed as an equivalent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct MissingFeatures: u16 {
        /// IND, NEL.
        const INDEX = 1;
        /// HTS, TBC, CHT, CBT and tab stops other than every eighth column.
        const TABS = 1 << 1;
        /// Line drawing and shifts.
        const CHARSETS = 1 << 2;
        /// HPR, VPR.
        const RELATIVE = 1 << 3;
        /// DECALN.
        const ALIGNMENT = 1 << 4;
        /// Colon forms of SGR.
        const COLON_SGR = 1 << 5;
        /// OSC 8.
        const HYPERLINKS = 1 << 6;
        /// CUU, CUD, CNL, CPL stop at the margins; CHA and HPA keep the row in origin mode.
        const MARGIN_STOPS = 1 << 7;
        /// ED 1 from the second row clears the first.
        const ERASE_ABOVE = 1 << 8;
        /// A grapheme cluster of several wide characters takes one place (2027).
        const CLUSTERS = 1 << 9;
        /// SGR 21 underlines twice.
        const DOUBLE_UNDERLINE = 1 << 10;
        /// Lines above the screen are wrapped again at another width, and come back onto a screen that grows.
        const REWRAP = 1 << 11;
    }
}
