//! The second emulator: pure Rust and independent, so it also checks the first. Must be given sizes of at least two
//! columns and rows only, and the caller catches its panics (see [`super::Terminal`]).
#![expect(
    clippy::disallowed_methods,
    reason = "the only place that calls the constructor: `Size` guards the sizes"
)]

use std::num::NonZeroU16;

use compact_str::CompactString;

use super::cell::{Cell, CellAttributes, CellStyle, CellWidth, Color, Underline, blank_torn_halves};
use super::dump;
use super::emulator::{Damage, Emulator, MissingFeatures, WritePosition};
use super::history::{LineWriter, PackedHistory};
use super::size::Size;

/// The second emulator, built on the `vt100` crate.
pub struct Vt100Emulator {
    parser: vt100::Parser,
    size: Size,
    changed: bool,
}

impl Vt100Emulator {
    /// Creates a blank screen with room for `history_lines` lines above it.
    pub fn new(size: Size, history_lines: usize) -> Self {
        let parser = vt100::Parser::new(non_zero(size.rows), non_zero(size.cols), history_lines);
        Self {
            parser,
            size,
            changed: true,
        }
    }

    /// Moves the view of the emulator, which shows its history only that way: it is moved for a read and back before the next feed.
    fn view(&mut self, scroll_back: usize) -> &vt100::Screen {
        if self.parser.screen().scrollback() != scroll_back {
            self.parser.screen_mut().set_scrollback(scroll_back);
        }
        self.parser.screen()
    }
}

impl Emulator for Vt100Emulator {
    fn feed(&mut self, bytes: &[u8]) {
        self.view(0);
        self.changed = true;
        self.parser.process(bytes);
    }

    fn resize(&mut self, size: Size) {
        self.view(0);
        self.changed = true;
        self.parser.set_size(non_zero(size.rows), non_zero(size.cols));
        self.size = size;
    }

    fn size(&self) -> Size {
        self.size
    }

    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        let cols = self.size.cols;
        let screen = self.view(scroll_back);
        cells.clear();
        cells.extend((0..cols).map(|col| screen.cell(row, col).map_or_else(Cell::default, cell)));
    }

    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        self.view(scroll_back).row_wrapped(row)
    }

    fn hyperlink(&mut self, _row: u16, _col: u16, _scroll_back: usize) -> Option<String> {
        None
    }

    fn history_len(&self) -> usize {
        self.parser.screen().scrollback_len()
    }

    /// Moves out all of the history, because this emulator cannot remove only a part.
    fn drain_history(&mut self, keep: usize, to: &mut PackedHistory) {
        let there = self.history_len();
        if there <= keep {
            return;
        }
        let mut back = there;
        while back > 0 {
            // Moving the view costs more than reading: as many rows as the view shows at once.
            let rows = self.size.rows.min(u16::try_from(back).unwrap_or(u16::MAX));
            let cols = self.size.cols;
            let screen = self.view(back);
            for row in 0..rows {
                pack(screen, row, cols, to);
            }
            back -= usize::from(rows);
        }
        self.view(0);
        self.parser.screen_mut().clear_scrollback();
    }

    fn is_alternate(&self) -> bool {
        self.parser.screen().alternate_screen()
    }

    fn write_position(&self) -> WritePosition {
        let (row, col) = self.parser.screen().cursor_position();
        WritePosition {
            row: row.min(self.size.rows - 1),
            col: col.min(self.size.cols - 1),
            pending_wrap: col >= self.size.cols,
        }
    }

    fn set_pending_wrap(&mut self) {
        let (row, pen) = (self.write_position().row, self.pen());
        let again = dump::last_cell_again(self, row);
        self.feed(again.as_bytes());
        self.feed(dump::style(&pen).as_bytes());
    }

    fn pen(&self) -> CellStyle {
        let screen = self.parser.screen();
        style(
            screen.fgcolor(),
            screen.bgcolor(),
            screen.underline(),
            [screen.bold(), screen.dim(), screen.italic(), screen.inverse()],
        )
    }

    fn take_damage(&mut self) -> Damage {
        if std::mem::replace(&mut self.changed, false) {
            Damage::All
        } else {
            Damage::Rows(Vec::new())
        }
    }

    fn missing_features(&self) -> MissingFeatures {
        !(MissingFeatures::ERASE_ABOVE | MissingFeatures::DOUBLE_UNDERLINE)
    }
}

/// Adds a row of the view to a history.
fn pack(screen: &vt100::Screen, row: u16, cols: u16, to: &mut PackedHistory) {
    let wraps = screen.row_wrapped(row);
    let seen = || (0..cols).map_while(|col| screen.cell(row, col));
    if to.add(cols, wraps, |writer| simple(seen(), writer)) {
        return;
    }
    let mut cells: Vec<Cell> = seen().map(cell).collect();
    cells.resize(usize::from(cols), Cell::default());
    blank_torn_halves(&mut cells);
    to.add_cells(&cells, wraps, |_| None);
}

/// Writes cells unless one is half of a wide character; returns true if it could.
fn simple<'a>(seen: impl Iterator<Item = &'a vt100::Cell>, writer: &mut LineWriter<'_>) -> bool {
    let mut blank = 0;
    let mut is_open = false;
    for seen in seen {
        if is_open != seen.is_wide_continuation() {
            return false;
        }
        let style = cell_style(seen);
        if !seen.has_contents() && !is_open && style == CellStyle::default() {
            blank += 1;
            continue;
        }
        if blank > 0 {
            writer.style(&CellStyle::default());
            writer.printable(std::iter::repeat_n(b' ', blank));
            blank = 0;
        }
        writer.style(&style);
        is_open = seen.is_wide();
        match seen.contents() {
            _ if seen.is_wide_continuation() => writer.continuation(),
            text if is_open => writer.wide(text),
            "" => writer.narrow(' '),
            text => writer.cluster(text),
        }
    }
    !is_open
}

fn non_zero(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).unwrap_or(NonZeroU16::MIN)
}

fn cell_style(cell: &vt100::Cell) -> CellStyle {
    style(
        cell.fgcolor(),
        cell.bgcolor(),
        cell.underline(),
        [cell.bold(), cell.dim(), cell.italic(), cell.inverse()],
    )
}

fn cell(cell: &vt100::Cell) -> Cell {
    let style = cell_style(cell);
    if cell.is_wide_continuation() {
        return Cell::continuation(style);
    }
    let width = if cell.is_wide() {
        CellWidth::Wide
    } else {
        CellWidth::Narrow
    };
    let text = if cell.has_contents() {
        CompactString::new(cell.contents())
    } else {
        CompactString::const_new(" ")
    };
    Cell { text, style, width }
}

fn style(
    fg: vt100::Color,
    bg: vt100::Color,
    underlined: bool,
    [bold, dim, italic, inverse]: [bool; 4],
) -> CellStyle {
    let attributes = [
        (CellAttributes::BOLD, bold),
        (CellAttributes::DIM, dim),
        (CellAttributes::ITALIC, italic),
        (CellAttributes::INVERSE, inverse),
    ];
    CellStyle {
        fg: color(fg),
        bg: color(bg),
        underline_color: Color::Default,
        underline: if underlined {
            Underline::Single
        } else {
            Underline::None
        },
        attributes: attributes
            .into_iter()
            .filter_map(|(attribute, on)| on.then_some(attribute))
            .collect(),
    }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
