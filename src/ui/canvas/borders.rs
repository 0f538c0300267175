//! Lines between panes. Neighbours share a line; where lines meet, the right junction is drawn, light or heavy.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::widgets::{Block, BorderType, Widget};

use super::Canvas;
use crate::display::Glyphs;
use crate::ui::theme::StyleRole;

/// The border lines of an area, collected beside what is drawn there so that lines join only lines.
pub(crate) struct BorderGrid {
    lines: Buffer,
}

impl BorderGrid {
    /// Creates a grid without lines.
    pub(crate) fn new(area: Rect) -> BorderGrid {
        BorderGrid {
            lines: Buffer::empty(area),
        }
    }

    /// Adds the lines around an area. Later ones win over earlier ones where they share a line; the pane that receives every key has thick
    /// ones.
    pub(crate) fn add(&mut self, area: Rect, weight: BorderType) {
        if area.width > 1 && area.height > 1 {
            let block = Block::bordered().border_type(weight);
            let block = block.merge_borders(MergeStrategy::Exact);
            block.render(area, &mut self.lines);
        }
    }

    /// Draws all lines; `role` gives the colour of each cell.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, role: impl Fn((u16, u16)) -> StyleRole) {
        for (position, cell) in self.lines.area.positions().zip(&self.lines.content) {
            if is_line(cell.symbol()) {
                let style = canvas.theme.style(role((position.x, position.y)));
                let line = canvas.theme.glyphs.pick(cell.symbol(), ascii(cell.symbol()));
                canvas.cell(position.x, position.y, line, style, 1);
            }
        }
    }
}

/// Joins a thin line to the line in a cell; `half` is its half at that side. Leaves a cell alone that holds no line.
pub(crate) fn join(cell: &mut Cell, half: &str, glyphs: Glyphs) {
    match (glyphs, cell.symbol()) {
        (Glyphs::Unicode, line) if is_line(line) => {
            cell.merge_symbol(half, MergeStrategy::Exact);
        }
        (Glyphs::Ascii, "|" | "-" | "+") => drop(cell.set_symbol("+")),
        (Glyphs::Ascii, "#" | "=") => drop(cell.set_symbol("#")),
        _ => {}
    }
}

/// Returns true if a text is a light or heavy line, or a junction of such lines.
pub(crate) fn is_line(symbol: &str) -> bool {
    // All of them are three bytes long, and most cells are blank.
    if symbol.len() != 3 {
        return false;
    }
    let mut letters = symbol.chars();
    let is_line = matches!(letters.next(), Some('─'..='┃' | '┌'..='╋' | '╴'..='╿'));
    is_line && letters.next().is_none()
}

/// Returns the substitute for a line where only ASCII can be drawn.
pub(crate) fn ascii(line: &str) -> &'static str {
    match line {
        "│" | "╵" | "╷" => "|",
        "─" | "╴" | "╶" => "-",
        "━" | "╸" | "╺" | "╼" | "╾" => "=",
        "┌" | "┐" | "└" | "┘" | "├" | "┤" | "┬" | "┴" | "┼" => "+",
        _ => "#",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(symbol: &'static str, half: &str, glyphs: Glyphs) -> String {
        let mut cell = Cell::new(symbol);
        join(&mut cell, half, glyphs);
        cell.symbol().to_owned()
    }

    #[test]
    fn a_line_is_led_into_lines_and_into_nothing_else() {
        assert_eq!(joined("│", "╶", Glyphs::Unicode), "├");
        assert_eq!(joined("┤", "╶", Glyphs::Unicode), "┼");
        assert_eq!(joined("┃", "╴", Glyphs::Unicode), "┨");
        assert_eq!(joined("┴", "╷", Glyphs::Unicode), "┼");
        for other in ["x", " ", "", "日", "│x", "╌", "║"] {
            assert_eq!(joined(other, "╵", Glyphs::Unicode), other);
        }
        assert_eq!(joined("-", "╵", Glyphs::Ascii), "+");
        assert_eq!(joined("=", "╵", Glyphs::Ascii), "#");
        assert_eq!(joined("a", "╵", Glyphs::Ascii), "a");
    }

    #[test]
    fn boxes_that_share_a_line_meet_in_junctions_light_or_heavy() {
        let mut grid = BorderGrid::new(Rect::new(0, 0, 5, 3));
        grid.add(Rect::new(0, 0, 3, 3), BorderType::Plain);
        grid.add(Rect::new(2, 0, 3, 3), BorderType::Thick);
        let lines: String = grid.lines.content.iter().map(Cell::symbol).collect();
        assert_eq!(lines, "┌─┲━┓│ ┃ ┃└─┺━┛");
        assert_eq!(["┲", "│", "━", "┼"].map(ascii), ["#", "|", "=", "+"]);
    }
}
