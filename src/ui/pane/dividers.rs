//! The lines between panes: finding the line at a place, and moving it. Knows rectangles only.

use ratatui::layout::{Position, Rect};

use super::{LEAST_HEIGHT, LEAST_WIDTH, PaneId, PaneTree, Split};
use crate::keymap::Axis;

/// The path from the root of a pane tree to one of its splits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SplitPath(Vec<SplitSide>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SplitSide {
    First,
    Second,
}

impl PaneTree {
    /// Returns the line between two panes at that place, of the tree drawn on that area.
    pub(crate) fn split_at(&self, area: Rect, focus: PaneId, at: (u16, u16)) -> Option<SplitPath> {
        let mut way = Vec::new();
        self.find_line(area, focus, at.into(), &mut way)
            .then_some(SplitPath(way))
    }

    fn find_line(&self, area: Rect, focus: PaneId, at: Position, way: &mut Vec<SplitSide>) -> bool {
        let PaneTree::Split(split) = self else {
            return false;
        };
        let Some((first, second)) = split.cut(area) else {
            let (side, node) = if split.second.contains(focus) {
                (SplitSide::Second, &split.second)
            } else {
                (SplitSide::First, &split.first)
            };
            way.push(side);
            return node.find_line(area, focus, at, way);
        };
        let on_it = match split.axis {
            Axis::Columns => at.x == second.x,
            Axis::Rows => at.y == second.y,
        };
        if on_it && area.contains(at) {
            return true;
        }
        for (side, area, node) in [
            (SplitSide::First, first, &split.first),
            (SplitSide::Second, second, &split.second),
        ] {
            if area.contains(at) {
                way.push(side);
                if node.find_line(area, focus, at, way) {
                    return true;
                }
                way.pop();
            }
        }
        false
    }

    /// Moves a line of the tree drawn on that area to that place, as far as there is room at both sides.
    pub(crate) fn move_split(&mut self, area: Rect, SplitPath(way): &SplitPath, to: (u16, u16)) {
        let (mut node, mut area) = (self, area);
        for side in way {
            let PaneTree::Split(split) = node else { return };
            let cut = split.cut(area);
            (node, area) = match (side, cut) {
                (SplitSide::First, cut) => (&mut split.first, cut.map_or(area, |(first, _)| first)),
                (SplitSide::Second, cut) => (&mut split.second, cut.map_or(area, |(_, second)| second)),
            };
        }
        if let PaneTree::Split(split) = node {
            split.move_to(area, to.into());
        }
    }
}

impl Split {
    fn move_to(&mut self, area: Rect, to: Position) {
        let (length, least, wished) = match self.axis {
            Axis::Columns => (area.width, LEAST_WIDTH, to.x.saturating_sub(area.x)),
            Axis::Rows => (area.height, LEAST_HEIGHT, to.y.saturating_sub(area.y)),
        };
        if length < least * 2 - 1 {
            return;
        }
        // Counted as `cut` counts: from the first line to this one, of all but the last line.
        let first = u32::from(wished.clamp(least - 1, length - least));
        let all = u32::from(length - 1);
        self.share = u16::try_from((first * 1000 + all / 2) / all).unwrap_or(500);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(number: u32) -> PaneTree {
        PaneTree::Leaf(PaneId::Fixed(number))
    }

    /// Two panes side by side, the second one over a third.
    fn tree() -> PaneTree {
        let right = PaneTree::split(Axis::Rows, 500, leaf(1), leaf(2));
        PaneTree::split(Axis::Columns, 500, leaf(0), right)
    }

    fn left(tree: &PaneTree, pane: u32) -> Rect {
        let placed = tree.pane_rects(AREA, PaneId::Fixed(0));
        placed
            .into_iter()
            .find(|(id, _)| *id == PaneId::Fixed(pane))
            .expect("placed")
            .1
    }

    const AREA: Rect = Rect::new(0, 2, 200, 57);

    #[test]
    fn a_line_is_found_where_it_is_drawn_and_goes_where_it_is_moved() {
        for x in 20..170 {
            let mut tree = tree();
            let at = (left(&tree, 1).x, 10);
            let line = tree.split_at(AREA, PaneId::Fixed(0), at).expect("a line");
            tree.move_split(AREA, &line, (x, 40));
            assert_eq!(left(&tree, 1).x, x);
            assert_eq!(left(&tree, 0).right(), x + 1);
        }
        for y in 10..50 {
            let mut tree = tree();
            let at = (150, left(&tree, 2).y);
            let line = tree.split_at(AREA, PaneId::Fixed(0), at).expect("a line");
            tree.move_split(AREA, &line, (0, y));
            assert_eq!(left(&tree, 2).y, y);
        }
    }

    #[test]
    fn no_line_is_elsewhere_and_none_is_moved_over_another_pane() {
        let mut tree = tree();
        for at in [(5, 5), (0, 10), (50, left(&tree, 2).y), (199, 10)] {
            assert_eq!(tree.split_at(AREA, PaneId::Fixed(0), at), None, "{at:?}");
        }
        let at = (left(&tree, 1).x, 10);
        let line = tree.split_at(AREA, PaneId::Fixed(0), at).expect("a line");
        tree.move_split(AREA, &line, (0, 0));
        assert_eq!(left(&tree, 0).width, LEAST_WIDTH);
        tree.move_split(AREA, &line, (500, 0));
        assert_eq!(left(&tree, 1).width, LEAST_WIDTH);
    }
}
