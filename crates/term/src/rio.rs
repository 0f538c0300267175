//! The default emulator. Must not leak its types: everything leaves as ours.

mod insert;
mod pack;

use compact_str::CompactString;
use rio_vt::ansi::CursorShape;
use rio_vt::config::colors::AnsiColor;
use rio_vt::crosswords::grid::Grid;
use rio_vt::crosswords::grid::row::{Row, SemanticPrompt};
use rio_vt::crosswords::pos::Line;
use rio_vt::crosswords::square::{Square, Wide};
use rio_vt::crosswords::style::{Style, StyleFlags, UnderlineKind};
use rio_vt::crosswords::{Crosswords, CrosswordsSize, Mode, TermDamage};
use rio_vt::event::{VoidListener, WindowId};
use rio_vt::performer::handler::Processor;

use super::cell::{Cell, CellAttributes, CellStyle, CellWidth, Color, Underline};
use super::emulator::{Damage, Emulator, MissingFeatures, WritePosition};
use super::history::PackedHistory;
use super::size::Size;

/// The default emulator, built on `rio-vt`.
pub struct RioEmulator {
    screen: Crosswords<VoidListener>,
    parser: Processor,
    size: Size,
    history_lines: usize,
}

/// Lines of history that rows are made for at once; beyond, the emulator makes a thousand at a time.
const RESERVED_LINES: usize = 384;

impl RioEmulator {
    /// Creates a blank screen with room for `history_lines` lines above it.
    pub fn new(size: Size, history_lines: usize) -> Self {
        let screen = Crosswords::new(
            dimensions(size),
            CursorShape::Block,
            VoidListener,
            WindowId::from(0),
            0,
            history_lines,
        );
        let mut rio = Self {
            screen,
            parser: Processor::default(),
            size,
            history_lines,
        };
        rio.make_room();
        rio
    }

    /// Makes rows for a short history, which changes nothing that can be seen: the grid grows below its screen and shrinks again, and keeps
    /// the rows. Without this the first line of history would make a thousand, most of them never used.
    fn make_room(&mut self) {
        let room = RESERVED_LINES
            .min(self.history_lines)
            .saturating_sub(self.screen.history_size());
        let rows = usize::from(self.size.rows);
        if !self.is_alternate() {
            self.screen.grid.raw.grow_visible_lines(rows + room);
            self.screen.grid.raw.shrink_visible_lines(rows);
        }
    }

    fn row(&self, row: u16, scroll_back: usize) -> Option<&Row<Square>> {
        if row >= self.size.rows {
            return None;
        }
        let back = i32::try_from(scroll_back.min(self.screen.history_size())).ok()?;
        Some(&self.screen.grid[Line(i32::from(row) - back)])
    }

    fn style(&self, square: Square) -> CellStyle {
        let style = style(&self.screen.grid.style_of(&square));
        if square.style_id_checked().is_none() || square.c() != '\0' {
            return style;
        }
        // Nothing was ever written here: of the pen that was in use only the background shows.
        CellStyle {
            bg: style.bg,
            ..CellStyle::default()
        }
    }

    fn cell(&self, square: Square) -> Cell {
        let style = self.style(square);
        let (text, width) = match square.wide() {
            Wide::Spacer => return Cell::continuation(style),
            Wide::LeadingSpacer => (CompactString::const_new(" "), CellWidth::Narrow),
            Wide::Wide => (self.text(square), CellWidth::Wide),
            Wide::Narrow => (self.text(square), CellWidth::Narrow),
        };
        Cell { text, style, width }
    }

    fn link(&self, square: Square) -> Option<String> {
        if !square.has_hyperlink() {
            return None;
        }
        let extras = self.screen.grid.extras_table.get(square.extras_id_checked()?)?;
        extras.hyperlink.as_ref().map(|link| link.uri().to_owned())
    }

    fn text(&self, square: Square) -> CompactString {
        let base = base(square);
        let mut buffer = [0; 4];
        let mut text = CompactString::new(base.encode_utf8(&mut buffer));
        if let Some(extras) = square
            .extras_id_checked()
            .and_then(|id| self.screen.grid.extras_table.get(id))
        {
            text.extend(extras.zerowidth.iter());
        }
        text
    }
}

impl Emulator for RioEmulator {
    fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.screen, bytes);
    }

    fn insert(&mut self, character: char) {
        insert::insert(self, character);
    }

    fn resize(&mut self, size: Size) {
        self.screen.resize(dimensions(size));
        self.size = size;
        self.make_room();
    }

    fn size(&self) -> Size {
        self.size
    }

    fn visible_row(&mut self, row: u16, scroll_back: usize, cells: &mut Vec<Cell>) {
        cells.clear();
        if let Some(row) = self.row(row, scroll_back) {
            cells.extend(row.inner.iter().map(|&square| self.cell(square)));
        }
        cells.resize(usize::from(self.size.cols), Cell::default());
    }

    fn row_wraps(&mut self, row: u16, scroll_back: usize) -> bool {
        self.row(row, scroll_back)
            .and_then(|row| row.inner.last())
            .is_some_and(|square| square.wrapline())
    }

    fn is_prompt(&mut self, row: u16, scroll_back: usize) -> bool {
        self.row(row, scroll_back).is_some_and(is_prompt)
    }

    fn hyperlink(&mut self, row: u16, col: u16, scroll_back: usize) -> Option<String> {
        self.link(*self.row(row, scroll_back)?.inner.get(usize::from(col))?)
    }

    fn history_len(&self) -> usize {
        self.screen.history_size()
    }

    fn drain_history(&mut self, keep: usize, to: &mut PackedHistory) {
        let there = self.screen.history_size();
        if there <= keep {
            return;
        }
        for back in (keep + 1..=there).rev() {
            if let Some(row) = self.row(0, back) {
                pack::pack(self, row, to);
                if is_prompt(row) {
                    to.mark_prompt();
                }
            }
        }
        // Drops the oldest lines beyond the limit.
        self.screen.grid.update_history(keep);
        self.screen.grid.update_history(self.history_lines);
    }

    fn drain_hidden_history(&mut self, to: &mut PackedHistory) {
        if !self.is_alternate() {
            return;
        }
        // The emulator gives no access to a hidden screen, and clears the alternate one when it is shown again: a blank one takes its
        // place.
        let blank = Grid::new(usize::from(self.size.rows), usize::from(self.size.cols), 0);
        let alternate = std::mem::replace(&mut self.screen.grid, blank);
        self.screen.swap_alt();
        self.drain_history(0, to);
        self.screen.swap_alt();
        self.screen.grid = alternate;
    }

    fn is_alternate(&self) -> bool {
        self.screen.mode().contains(Mode::ALT_SCREEN)
    }

    fn write_position(&self) -> WritePosition {
        let cursor = &self.screen.grid.cursor;
        let row = u16::try_from(cursor.pos.row.0).unwrap_or(0);
        let col = u16::try_from(cursor.pos.col.0).unwrap_or(0);
        WritePosition {
            row: row.min(self.size.rows - 1),
            col: col.min(self.size.cols - 1),
            pending_wrap: cursor.should_wrap,
        }
    }

    fn set_pending_wrap(&mut self) {
        self.screen.grid.cursor.should_wrap = true;
    }

    fn pen(&self) -> CellStyle {
        style(&self.screen.grid.template_style())
    }

    fn take_damage(&mut self) -> Damage {
        let mut rows = match self.screen.damage() {
            TermDamage::Full => None,
            TermDamage::Partial(lines) => Some(
                lines
                    .filter_map(|line| u16::try_from(line.line).ok())
                    .collect::<Vec<_>>(),
            ),
        };
        for row in 0..self.size.rows {
            let line = &mut self.screen.grid[Line(i32::from(row))];
            if std::mem::replace(&mut line.dirty, false)
                && let Some(rows) = &mut rows
            {
                rows.push(row);
            }
        }
        self.screen.reset_damage();
        rows.map_or(Damage::All, |mut rows| {
            rows.sort_unstable();
            rows.dedup();
            Damage::Rows(rows)
        })
    }

    fn missing_features(&self) -> MissingFeatures {
        MissingFeatures::MARGIN_STOPS | MissingFeatures::ERASE_ABOVE | MissingFeatures::DOUBLE_UNDERLINE
    }
}

/// Returns the first character of a cell, a space if nothing was written.
fn base(square: Square) -> char {
    match square.style_id_checked() {
        Some(_) if square.c() >= ' ' => square.c(),
        _ => ' ',
    }
}

fn is_prompt(row: &Row<Square>) -> bool {
    row.semantic_prompt != SemanticPrompt::None
}

fn dimensions(size: Size) -> CrosswordsSize {
    CrosswordsSize::new(usize::from(size.cols), usize::from(size.rows))
}

fn style(style: &Style) -> CellStyle {
    let flags = style.flags;
    let known = [
        (CellAttributes::BOLD, StyleFlags::BOLD),
        (CellAttributes::DIM, StyleFlags::DIM),
        (CellAttributes::ITALIC, StyleFlags::ITALIC),
        (CellAttributes::BLINK, StyleFlags::ALL_BLINK),
        (CellAttributes::INVERSE, StyleFlags::INVERSE),
        (CellAttributes::HIDDEN, StyleFlags::HIDDEN),
        (CellAttributes::STRIKE, StyleFlags::STRIKEOUT),
    ];
    let on = known.into_iter().filter(|(_, theirs)| flags.intersects(*theirs));
    CellStyle {
        fg: color(style.fg),
        bg: color(style.bg),
        underline_color: style.underline_color.map_or(Color::Default, color),
        underline: flags.underline_kind().map_or(Underline::None, underline),
        attributes: on.map(|(ours, _)| ours).collect(),
    }
}

fn underline(kind: UnderlineKind) -> Underline {
    match kind {
        UnderlineKind::Single => Underline::Single,
        UnderlineKind::Double => Underline::Double,
        UnderlineKind::Curly => Underline::Curly,
        UnderlineKind::Dotted => Underline::Dotted,
        UnderlineKind::Dashed => Underline::Dashed,
    }
}

fn color(color: AnsiColor) -> Color {
    match color {
        AnsiColor::Indexed(index) => Color::Indexed(index),
        AnsiColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        // The sixteen named colours are the first palette entries; everything above them follows the theme.
        AnsiColor::Named(named) => u8::try_from(named as u16)
            .ok()
            .filter(|&n| n < 16)
            .map_or(Color::Default, Color::Indexed),
    }
}
