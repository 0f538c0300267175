//! The drawing tools: text that never leaves its area, lines between panes, and the hits found while drawing. Knows the theme, but no
//! meanings.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Margin, Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::BorderType;

use super::click_target::ClickTarget;
use super::theme::{StyleRole, Theme};
use crate::display::text::{clean, cut, width, wrap};

pub(crate) mod area;
pub(crate) mod borders;
mod cells;

use area::{cells, columns_of, inset, left_part, row_of, skip_left, skip_right, top_part};

/// Prelude for views: the canvas, pieces of text, parts of areas, and the roles and glyphs of themes.
pub(crate) mod prelude {
    pub(crate) use ratatui::layout::Rect;

    pub(crate) use super::area::{
        cells, centered_rect, columns_of, inset, last_row, left_part, row_of, skip_left, skip_right,
        skip_top, top_part,
    };
    pub(crate) use super::{Canvas, StyledText, dim, piece, pieces_width, plain, strong};
    pub(crate) use crate::display::Glyphs;
    pub(crate) use crate::ui::theme::StyleRole;
}

/// A drawing surface: a screen buffer with its theme, and the facts found while drawing.
pub(crate) struct Canvas<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) theme: &'a Theme,
    /// The areas that can be clicked, with their targets; later ones are above earlier ones.
    pub(crate) hits: Vec<(Rect, ClickTarget)>,
    /// Position of the caret in the line being written.
    pub(crate) caret: Option<Position>,
}

/// A short text drawn in the style of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StyledText {
    pub(crate) text: String,
    pub(crate) role: StyleRole,
}

/// Creates a piece of text; foreign text is cleaned here, so that nothing can be drawn uncleaned.
pub(crate) fn piece(text: impl AsRef<str>, role: StyleRole) -> StyledText {
    StyledText {
        text: clean(text.as_ref()).into_owned(),
        role,
    }
}

/// Creates a piece of ordinary text.
pub(crate) fn plain(text: impl AsRef<str>) -> StyledText {
    piece(text, StyleRole::Text)
}

/// Creates a piece of text that matters less.
pub(crate) fn dim(text: impl AsRef<str>) -> StyledText {
    piece(text, StyleRole::Dim)
}

/// Creates a piece of text that stands out.
pub(crate) fn strong(text: impl AsRef<str>) -> StyledText {
    piece(text, StyleRole::Strong)
}

/// Returns the columns of some pieces.
pub(crate) fn pieces_width(pieces: &[StyledText]) -> usize {
    pieces.iter().map(|piece| width(&piece.text)).sum()
}

impl<'a> Canvas<'a> {
    /// Creates a surface with nothing to click yet.
    pub(crate) fn new(buffer: &'a mut Buffer, theme: &'a Theme) -> Canvas<'a> {
        Canvas {
            buffer,
            theme,
            hits: Vec::new(),
            caret: None,
        }
    }
}

impl Canvas<'_> {
    /// Draws pieces from the left edge of a one-row area; the last one that does not fit is cut. Returns the columns used.
    pub(crate) fn line(&mut self, area: Rect, pieces: &[StyledText]) -> u16 {
        self.styled(area, pieces, None)
    }

    /// Draws pieces like `line`, with one style under all of them.
    pub(crate) fn styled(&mut self, area: Rect, pieces: &[StyledText], over: Option<Style>) -> u16 {
        let mut x = area.x;
        for piece in pieces {
            let room = area.right().saturating_sub(x);
            if room == 0 || area.height == 0 {
                break;
            }
            let style = over.unwrap_or_else(|| self.text_style(piece.role));
            let text = cut(&piece.text, usize::from(room), self.theme.ellipsis());
            x = self.put(x, area.y, &text, style, area.right());
            // A wide character may leave a column free; nothing may follow a cut piece.
            if text != piece.text {
                break;
            }
        }
        x - area.x
    }

    /// Returns the style of text; ordinary text keeps the background below it, for example that of a bar.
    fn text_style(&self, role: StyleRole) -> Style {
        let style = self.theme.style(role);
        Style {
            bg: style.bg.filter(|_| role != StyleRole::Text),
            ..style
        }
    }

    /// Draws pieces so that they end at the right edge; nothing when they do not fit. Returns the columns used.
    pub(crate) fn right(&mut self, area: Rect, pieces: &[StyledText]) -> u16 {
        let wide = cells(pieces_width(pieces));
        if wide > area.width {
            return 0;
        }
        self.line(skip_left(area, area.width - wide), pieces)
    }

    /// Draws pieces at the right end of a one-row area, and others from its left edge as far as they have room.
    pub(crate) fn both_ends(&mut self, area: Rect, left: &[StyledText], right: &[StyledText]) {
        let used = self.right(area, right);
        self.line(skip_right(area, used), left);
    }

    /// Draws lines one below the other, as many as there are rows. Returns their number.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[Vec<StyledText>]) -> usize {
        for (row, pieces) in area.rows().zip(lines) {
            self.line(row, pieces);
        }
        lines.len().min(usize::from(area.height))
    }

    /// Draws texts in one or two columns, scrolled by `scroll` lines, with a line between the columns.
    pub(crate) fn text_columns(&mut self, area: Rect, scroll: usize, texts: &[Vec<Vec<StyledText>>]) {
        let columns = columns_of(area);
        if let [_, right] = columns.as_slice() {
            self.vertical_line(right.x.saturating_sub(2), area);
        }
        for (column, lines) in columns.iter().zip(texts) {
            let first = scroll.min(lines.len().saturating_sub(usize::from(column.height)));
            self.lines(*column, lines.get(first..).unwrap_or_default());
        }
    }

    /// Draws the notice of a view that has nothing to show: a text in the upper third, and a hint below it.
    pub(crate) fn empty_state(&mut self, area: Rect, text: &str, role: StyleRole, hint: &str) {
        let wide = usize::from(area.width).max(1);
        let (text, hint) = (wrap(&clean(text), wide), wrap(&clean(hint), wide));
        let text = text.iter().map(|line| (line.as_str(), role));
        let hint = hint.iter().map(|line| (line.as_str(), StyleRole::Dim));
        let lines: Vec<_> = text.chain([("", role)]).chain(hint).collect();
        self.centred_lines(area, usize::from(area.height) / 3, &lines);
    }

    /// Draws lines one below the other, from row `top` of an area, each centred.
    pub(crate) fn centred_lines(&mut self, area: Rect, top: usize, lines: &[(&str, StyleRole)]) {
        for (at, (text, role)) in lines.iter().enumerate() {
            self.centre(row_of(area, top + at), text, *role);
        }
    }

    /// Draws one text centred in a one-row area.
    pub(crate) fn centre(&mut self, area: Rect, text: &str, role: StyleRole) {
        let text = cut(&clean(text), usize::from(area.width), self.theme.ellipsis());
        let left = (usize::from(area.width) - width(&text)) / 2;
        let x = area.x + cells(left);
        let style = self.theme.style(role);
        if area.height > 0 {
            self.put(x, area.y, &text, style, area.right());
        }
    }

    /// Applies a style to some columns of a line, excluding the last of them.
    pub(crate) fn apply_columns(&mut self, line: Rect, from: usize, to: usize, role: StyleRole) {
        let from = cells(from);
        let columns = cells(to).saturating_sub(from);
        self.apply_role(left_part(skip_left(line, from), columns), role);
    }

    /// Applies the style of a role to an area.
    pub(crate) fn apply_role(&mut self, area: Rect, role: StyleRole) {
        self.apply_style(area, self.theme.style(role));
    }

    /// Applies a style to an area that was drawn.
    pub(crate) fn apply_style(&mut self, area: Rect, style: Style) {
        self.buffer.set_style(area.intersection(self.buffer.area), style);
    }

    /// Draws a vertical line through an area, joined to the lines above and below.
    pub(crate) fn vertical_line(&mut self, x: u16, area: Rect) {
        let line = self.theme.glyphs.pick("│", "|");
        let style = self.theme.style(StyleRole::Border);
        for y in area.y..area.bottom() {
            self.cell(x, y, line, style, 1);
        }
        self.join((x, area.y.saturating_sub(1)), "╷");
        self.join((x, area.bottom()), "╵");
    }

    /// Draws a horizontal line through an area, joined to the lines at both sides and to the vertical ones that end above it.
    pub(crate) fn horizontal_line(&mut self, y: u16, area: Rect) {
        let (line, upright) = self.theme.glyphs.pick(("─", "│"), ("-", "|"));
        let style = self.theme.style(StyleRole::Border);
        for x in area.x..area.right() {
            let above = y.checked_sub(1).and_then(|above| self.buffer.cell((x, above)));
            // Text may look like a line.
            let ends =
                above.is_some_and(|cell| cell.symbol() == upright && cell.fg == style.fg.unwrap_or_default());
            self.cell(x, y, line, style, 1);
            if ends {
                self.join((x, y), "╵");
            }
        }
        self.join((area.x.saturating_sub(1), y), "╶");
        self.join((area.right(), y), "╴");
    }

    /// Joins half of a line to the line at that place, if there is one.
    fn join(&mut self, at: (u16, u16), half: &str) {
        let borders = [StyleRole::Border, StyleRole::BorderFocus, StyleRole::BorderType]
            .map(|role| self.theme.style(role).fg);
        // Text may look like a line.
        let is_line = |cell: &Cell| borders.iter().any(|fg| fg.unwrap_or_default() == cell.fg);
        if let Some(cell) = self.buffer.cell_mut(at).filter(|cell| is_line(cell)) {
            borders::join(cell, half, self.theme.glyphs);
        }
    }

    /// Draws a box with a title over the existing cells; returns the area inside.
    pub(crate) fn dialog(&mut self, area: Rect, title: &str) -> Rect {
        self.clear(area);
        let mut lines = borders::BorderGrid::new(area);
        lines.add(area, BorderType::Plain);
        lines.draw(self, |_| StyleRole::BorderFocus);
        let title = piece(format!(" {title} "), StyleRole::TitleFocus);
        self.line(inset(top_part(area, 1), 2), &[title]);
        area.inner(Margin::new(1, 1))
    }
}
