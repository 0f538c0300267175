//! Cells: texts that are put into them, and areas that are emptied. A wide character is never cut in half.

use ratatui::buffer::Cell;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Canvas;
use super::area::cells;
use crate::display::text::{UNKNOWN, grapheme_width, is_printable_ascii};

impl Canvas<'_> {
    /// Draws clean text cell by cell, never past `end`; a wide grapheme that would stick out is left out. Returns the column behind it.
    pub(super) fn put(&mut self, x: u16, y: u16, text: &str, style: Style, end: u16) -> u16 {
        if is_printable_ascii(text) {
            self.put_ascii(x, y, text, style, end)
        } else {
            self.put_graphemes(x, y, text, style, end)
        }
    }

    fn put_graphemes(&mut self, mut x: u16, y: u16, text: &str, style: Style, end: u16) -> u16 {
        for grapheme in text.graphemes(true) {
            let wide = cells(grapheme_width(grapheme));
            if wide == 0 {
                continue;
            }
            if x + wide > end {
                break;
            }
            self.cell(x, y, grapheme, style, wide);
            x += wide;
        }
        x
    }

    /// Draws text of which each byte is a column, as most of the drawn text is.
    fn put_ascii(&mut self, x: u16, y: u16, text: &str, style: Style, end: u16) -> u16 {
        let wide = cells(text.len()).min(end.saturating_sub(x));
        let drawn = Rect::new(x, y, wide, 1);
        let from = usize::from(self.buffer.area.x.saturating_sub(x));
        if wide > 0 {
            self.part(x, y);
        }
        let bytes = text.as_bytes().get(from..).unwrap_or_default();
        for row in self.rows_of(drawn) {
            for (cell, byte) in row.iter_mut().zip(bytes) {
                cell.set_char(char::from(*byte)).set_style(style);
            }
        }
        x + wide
    }

    /// Returns the cells of an area, row by row, as far as they are on the surface.
    fn rows_of(&mut self, area: Rect) -> impl Iterator<Item = &mut [Cell]> {
        let all = self.buffer.area;
        let area = area.intersection(all);
        let [left, wide, all_wide] = [area.x.saturating_sub(all.x), area.width, all.width].map(usize::from);
        let above = usize::from(area.y.saturating_sub(all.y));
        let rows = self.buffer.content.chunks_mut(all_wide.max(1)).skip(above);
        rows.take(usize::from(area.height))
            .map(move |row| row.get_mut(left..left + wide).unwrap_or_default())
    }

    /// Draws one grapheme; the second cell of a wide one becomes empty.
    pub(crate) fn cell(&mut self, x: u16, y: u16, grapheme: &str, style: Style, wide: u16) {
        self.part(x, y);
        // A terminal that gave it two columns drew it in them, even if it is wider elsewhere.
        let has_room = wide > 1 || grapheme.len() == 1 || grapheme.width() <= 2;
        let grapheme = if has_room { grapheme } else { UNKNOWN };
        let Some(cell) = self.buffer.cell_mut((x, y)) else {
            return;
        };
        cell.set_symbol(grapheme);
        cell.set_style(style);
        if wide <= 1 {
            return;
        }
        let mut second = cell.clone();
        second.set_symbol(" ");
        if let Some(cell) = self.buffer.cell_mut((x + 1, y)) {
            *cell = second;
        }
    }

    /// Draws one cell of a terminal's program, if it is inside the area, in the colours that the theme may use.
    pub(crate) fn program_cell(&mut self, area: Rect, column: u16, row: u16, grapheme: &str, style: Style) {
        // Letters that join may count as more than two columns; a terminal gives them two.
        let wide = cells(grapheme.width().min(2));
        let shown = if wide == 0 { " " } else { grapheme };
        if row < area.height && column + wide.max(1) <= area.width {
            let style = self.theme.fit_style(style);
            self.cell(area.x + column, area.y + row, shown, style, wide.max(1));
        }
    }

    /// Removes a wide grapheme just left of a cell that is written again, as it would cover the cell.
    fn part(&mut self, x: u16, y: u16) {
        let left = x.checked_sub(1).and_then(|x| self.buffer.cell_mut((x, y)));
        if let Some(cell) = left.filter(|cell| cell.symbol().len() > 1 && cell.symbol().width() > 1) {
            cell.set_symbol(" ");
        }
    }

    /// Empties an area of our own views. A wide grapheme that begins just left of it would stick into it, so it is removed too.
    pub(crate) fn clear(&mut self, area: Rect) {
        let mut blank = Cell::EMPTY;
        blank.set_style(self.theme.ground());
        self.fill(area, &blank);
    }

    /// Empties an area with the colours of the terminal itself, for its programs.
    pub(crate) fn reset_area(&mut self, area: Rect) {
        self.fill(area, &Cell::EMPTY);
    }

    fn fill(&mut self, area: Rect, blank: &Cell) {
        for y in area.y..area.bottom() {
            self.part(area.x, y);
        }
        for row in self.rows_of(area) {
            row.fill(blank.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::style::Color;

    use super::*;
    use crate::display::{ColourDepth, Glyphs};
    use crate::ui::theme::Theme;

    const SURFACE: Rect = Rect::new(3, 2, 12, 3);

    /// A surface on which wide and narrow characters stand.
    fn written(rows: &[String]) -> Buffer {
        let theme = Theme::builtin(ColourDepth::True, Glyphs::Unicode);
        let mut buffer = Buffer::empty(SURFACE);
        let mut canvas = Canvas::new(&mut buffer, &theme);
        for (y, text) in (SURFACE.y..).zip(rows) {
            canvas.put_graphemes(SURFACE.x, y, text, Style::new().bg(Color::Blue), SURFACE.right());
        }
        buffer
    }

    fn drawn(rows: &[String], draw: impl FnOnce(&mut Canvas<'_>) -> u16) -> (u16, Buffer) {
        let theme = Theme::builtin(ColourDepth::True, Glyphs::Unicode);
        let mut buffer = written(rows);
        let end = draw(&mut Canvas::new(&mut buffer, &theme));
        (end, buffer)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn text_of_one_column_a_byte_is_drawn_like_any_other(
            rows in prop::collection::vec("[a界 ]{0,12}", 3),
            text in "[ -~]{0,16}",
            (x, y) in (0u16..18, 0u16..7),
            end in 0u16..18,
        ) {
            let style = Style::new().fg(Color::Red);
            let bytes = drawn(&rows, |canvas| canvas.put_ascii(x, y, &text, style, end));
            let graphemes = drawn(&rows, |canvas| canvas.put_graphemes(x, y, &text, style, end));
            prop_assert_eq!(bytes, graphemes);
        }

        #[test]
        fn an_area_is_emptied_and_nothing_beside_it(
            rows in prop::collection::vec("[a界 ]{0,12}", 3),
            at in (0u16..18, 0u16..7),
            size in (0u16..18, 0u16..7),
        ) {
            let area = Rect::new(at.0, at.1, size.0, size.1);
            let (_, emptied) = drawn(&rows, |canvas| {
                canvas.reset_area(area);
                0
            });
            let before = written(&rows);
            for position in SURFACE.positions() {
                let (old, new) = (&before[position], &emptied[position]);
                let is_cut = position.x + 1 == area.x
                    && (area.y..area.bottom()).contains(&position.y)
                    && old.symbol().width() > 1;
                if area.contains(position) {
                    prop_assert_eq!(new, &Cell::EMPTY);
                } else if is_cut {
                    prop_assert_eq!(new.symbol(), " ");
                } else {
                    prop_assert_eq!(new, old);
                }
            }
        }
    }
}
