//! Content of a position of the screen. Must not know any emulator or any widget library.

use compact_str::CompactString;

/// Position of the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Text of one grapheme: a space for a blank cell, empty for the second half of a wide one.
    pub text: CompactString,
    pub style: CellStyle,
    pub width: CellWidth,
}

impl Default for Cell {
    fn default() -> Self {
        Self {
            text: CompactString::const_new(" "),
            style: CellStyle::default(),
            width: CellWidth::Narrow,
        }
    }
}

impl Cell {
    /// Builds the second half of a wide grapheme.
    pub fn continuation(style: CellStyle) -> Self {
        Self {
            text: CompactString::const_new(""),
            style,
            width: CellWidth::Continuation,
        }
    }
}

/// Blanks halves of wide graphemes that lost their other half, which an emulator can leave behind: drawn, they would move everything after
/// them.
pub(super) fn blank_torn_halves(cells: &mut [Cell]) {
    let mut open = false;
    for at in 0..cells.len() {
        let next_is_half = cells
            .get(at + 1)
            .is_some_and(|next| next.width == CellWidth::Continuation);
        let Some(cell) = cells.get_mut(at) else { return };
        let lost = match cell.width {
            CellWidth::Narrow => false,
            CellWidth::Wide => !next_is_half,
            CellWidth::Continuation => !open,
        };
        open = cell.width == CellWidth::Wide;
        if lost {
            *cell = Cell {
                style: CellStyle {
                    bg: cell.style.bg,
                    ..CellStyle::default()
                },
                ..Cell::default()
            };
        }
    }
}

/// Number of columns that a cell's grapheme takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellWidth {
    Narrow,
    /// Two columns; the next cell is its [`CellWidth::Continuation`].
    Wide,
    /// The second column of the wide cell before it.
    Continuation,
}

/// Colours and attributes of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellStyle {
    pub fg: Color,
    pub bg: Color,
    /// Colour of the underline; `Default` follows the text.
    pub underline_color: Color,
    pub underline: Underline,
    pub attributes: CellAttributes,
}

/// A colour as the program asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Color {
    /// The terminal's own colour.
    #[default]
    Default,
    /// Entry of the palette of 256 colours.
    Indexed(u8),
    Rgb(u8, u8, u8),
}

/// Kinds of underline (SGR 4:0 to 4:5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

bitflags::bitflags! {
    /// A set of text attributes such as bold and inverse.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct CellAttributes: u8 {
        /// SGR 1.
        const BOLD = 1;
        /// SGR 2.
        const DIM = 1 << 1;
        /// SGR 3.
        const ITALIC = 1 << 2;
        /// SGR 5 and 6.
        const BLINK = 1 << 3;
        /// SGR 7.
        const INVERSE = 1 << 4;
        /// SGR 8.
        const HIDDEN = 1 << 5;
        /// SGR 9.
        const STRIKE = 1 << 6;
    }
}
