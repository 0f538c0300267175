//! Lines between panes. Neighbours share a line; where lines meet, the right junction is drawn, light or heavy.

use ratatui::layout::Rect;

use super::Canvas;
use crate::ui::theme::{Glyphs, StyleRole};

/// Whether a border line is drawn light or heavy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineWeight {
    Light = 1,
    /// The pane that receives every key.
    Heavy = 2,
}

/// All junctions; the index is the weight up, right, down, left, in base 3.
const JUNCTIONS: [char; 81] = [
    ' ', '╴', '╸', '╷', '┐', '┑', '╻', '┒', '┓', '╶', '─', '╾', '┌', '┬', '┭', '┎', '┰', '┱', '╺', '╼', '━',
    '┍', '┮', '┯', '┏', '┲', '┳', '╵', '┘', '┙', '│', '┤', '┥', '╽', '┧', '┪', '└', '┴', '┵', '├', '┼', '┽',
    '┟', '╁', '╅', '┕', '┶', '┷', '┝', '┾', '┿', '┢', '╆', '╈', '╹', '┚', '┛', '╿', '┦', '┩', '┃', '┨', '┫',
    '┖', '┸', '┹', '┞', '╀', '╃', '┠', '╂', '╉', '┗', '┺', '┻', '┡', '╄', '╇', '┣', '╊', '╋',
];

/// The border lines of an area, collected cell by cell so that meeting lines get the right junction.
pub(crate) struct BorderGrid {
    area: Rect,
    /// Per cell: weights up, right, down, left.
    cells: Vec<[u8; 4]>,
}

/// One of the four sides of a screen cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellSide {
    Up = 0,
    Right = 1,
    Down = 2,
    Left = 3,
}

const UP: usize = CellSide::Up as usize;
const RIGHT: usize = CellSide::Right as usize;
const DOWN: usize = CellSide::Down as usize;
const LEFT: usize = CellSide::Left as usize;

impl BorderGrid {
    /// No lines yet.
    pub(crate) fn new(area: Rect) -> BorderGrid {
        BorderGrid {
            area,
            cells: vec![[0; 4]; usize::from(area.width) * usize::from(area.height)],
        }
    }

    /// The lines around an area. Later ones win over earlier ones where they share a line.
    pub(crate) fn add(&mut self, area: Rect, weight: LineWeight) {
        if area.width < 2 || area.height < 2 {
            return;
        }
        let (right, bottom) = (area.right() - 1, area.bottom() - 1);
        for x in area.x..=right {
            for y in [area.y, bottom] {
                let ends = [(LEFT, x > area.x), (RIGHT, x < right)];
                self.join((x, y), &ends, weight);
            }
        }
        for y in area.y..=bottom {
            for x in [area.x, right] {
                let ends = [(UP, y > area.y), (DOWN, y < bottom)];
                self.join((x, y), &ends, weight);
            }
        }
    }

    fn join(&mut self, at: (u16, u16), ends: &[(usize, bool)], weight: LineWeight) {
        let Some(cell) = self.index(at).and_then(|at| self.cells.get_mut(at)) else {
            return;
        };
        for (side, _) in ends.iter().filter(|(_, joined)| *joined) {
            if let Some(side) = cell.get_mut(*side) {
                *side = weight as u8;
            }
        }
    }

    fn index(&self, (x, y): (u16, u16)) -> Option<usize> {
        let inside = self.area.contains((x, y).into());
        let at = usize::from(y.checked_sub(self.area.y)?) * usize::from(self.area.width);
        inside.then_some(at + usize::from(x.checked_sub(self.area.x)?))
    }

    /// Draws all of them; `role` says in which colour, cell by cell.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, role: impl Fn((u16, u16)) -> StyleRole) {
        for (position, sides) in self.area.positions().zip(&self.cells) {
            if *sides == [0; 4] {
                continue;
            }
            let glyph = match canvas.theme.glyphs {
                Glyphs::Unicode => unicode(*sides),
                Glyphs::Ascii => ascii(*sides),
            };
            let at = (position.x, position.y);
            let style = canvas.theme.style(role(at));
            let mut text = [0; 4];
            canvas.cell(at, glyph.encode_utf8(&mut text), style, 1);
        }
    }
}

fn unicode(sides: [u8; 4]) -> char {
    let index = sides.iter().fold(0, |index, side| index * 3 + usize::from(*side));
    JUNCTIONS.get(index).copied().unwrap_or(' ')
}

/// What stands in a cell when a thin line comes to it from one side; nothing where there is no line to join.
pub(crate) fn joined(symbol: &str, side: CellSide, glyphs: Glyphs) -> Option<String> {
    if glyphs == Glyphs::Ascii {
        return match symbol {
            "|" | "-" | "+" => Some("+".to_owned()),
            "#" | "=" => Some("#".to_owned()),
            _ => None,
        };
    }
    let mut letters = symbol.chars();
    let (letter, None) = (letters.next()?, letters.next()) else {
        return None;
    };
    let index = JUNCTIONS.iter().position(|known| *known == letter)?;
    if index == 0 {
        return None;
    }
    let mut sides =
        [index / 27, index / 9 % 3, index / 3 % 3, index % 3].map(|weight| u8::try_from(weight).unwrap_or(0));
    let end = sides.get_mut(side as usize)?;
    *end = (*end).max(LineWeight::Light as u8);
    Some(unicode(sides).to_string())
}

fn ascii([up, right, down, left]: [u8; 4]) -> char {
    let heavy = [up, right, down, left].contains(&2);
    match ((up | down) > 0, (left | right) > 0, heavy) {
        (true, true, false) => '+',
        (true, true | false, true) => '#',
        (true, false, false) => '|',
        (false, _, true) => '=',
        (false, _, false) => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_of_ends_has_its_own_junction() {
        assert_eq!(unicode([0, 1, 1, 0]), '┌');
        assert_eq!(unicode([1, 1, 1, 1]), '┼');
        assert_eq!(unicode([2, 2, 0, 0]), '┗');
        assert_eq!(unicode([2, 1, 2, 0]), '┠');
        let mut all = JUNCTIONS.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 81);
        assert_eq!(
            joined("│", CellSide::Right, Glyphs::Unicode).as_deref(),
            Some("├")
        );
        assert_eq!(
            joined("┤", CellSide::Right, Glyphs::Unicode).as_deref(),
            Some("┼")
        );
        assert_eq!(joined("┃", CellSide::Left, Glyphs::Unicode).as_deref(), Some("┨"));
        assert_eq!(joined("┴", CellSide::Down, Glyphs::Unicode).as_deref(), Some("┼"));
        for nothing in ["x", " ", "", "日", "│x"] {
            assert_eq!(
                joined(nothing, CellSide::Up, Glyphs::Unicode),
                None,
                "{nothing:?}"
            );
        }
        assert_eq!(joined("-", CellSide::Up, Glyphs::Ascii).as_deref(), Some("+"));
        assert_eq!(joined("=", CellSide::Up, Glyphs::Ascii).as_deref(), Some("#"));
        assert_eq!(joined("a", CellSide::Up, Glyphs::Ascii), None);
    }
}
