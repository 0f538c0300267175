//! The tree of panes: binary splits that always tile their area exactly. Neighbours share the line between them. Knows rectangles and
//! identities, but not the contents of panes.

use std::collections::BTreeSet;

use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use crate::domain::AttemptId;
use crate::keymap::{Axis, Direction};

/// The identity of a pane: numbered, or the pane of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneId {
    /// Pane that stays until it is closed.
    Fixed(u32),
    /// The pane of an agent in a tab that arranges itself.
    Agent(AttemptId),
}

/// A binary tree of panes: one pane, or two trees divided by a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneTree {
    Leaf(PaneId),
    Split(Box<Split>),
}

/// A node of a pane tree: two halves, the axis between them, and the share of the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    pub axis: Axis,
    /// Share of the first half, in thousandths.
    pub share: u16,
    /// Left or upper half.
    pub first: PaneTree,
    /// Right or lower half.
    pub second: PaneTree,
}

/// Minimum columns of a pane with its lines; below that only the side with the focus is drawn.
const LEAST_WIDTH: u16 = 16;
/// Minimum rows of a pane with its lines.
const LEAST_HEIGHT: u16 = 4;

impl PaneTree {
    /// Joins two trees side by side or above each other.
    pub fn split(axis: Axis, share: u16, first: PaneTree, second: PaneTree) -> PaneTree {
        PaneTree::Split(Box::new(Split {
            axis,
            share,
            first,
            second,
        }))
    }

    /// Joins several trees in a row, each sized by its weight.
    pub fn row(axis: Axis, mut parts: Vec<(u16, PaneTree)>) -> Option<PaneTree> {
        let (weight, last) = parts.pop()?;
        let mut total = u32::from(weight.max(1));
        let mut node = last;
        while let Some((weight, part)) = parts.pop() {
            let weight = u32::from(weight.max(1));
            total += weight;
            let share = u16::try_from(weight * 1000 / total).unwrap_or(500);
            node = PaneTree::split(axis, share, part, node);
        }
        Some(node)
    }

    /// Returns the panes in reading order.
    pub fn panes(&self) -> Vec<PaneId> {
        match self {
            PaneTree::Leaf(id) => vec![*id],
            PaneTree::Split(split) => {
                let mut panes = split.first.panes();
                panes.extend(split.second.panes());
                panes
            }
        }
    }

    /// Gives the panes other names.
    pub fn rename(&mut self, new: &dyn Fn(PaneId) -> PaneId) {
        match self {
            PaneTree::Leaf(id) => *id = new(*id),
            PaneTree::Split(split) => {
                split.first.rename(new);
                split.second.rename(new);
            }
        }
    }

    /// Returns true if the pane is in the tree.
    pub fn contains(&self, pane: PaneId) -> bool {
        self.panes().contains(&pane)
    }

    /// Returns the rectangle of each pane, lines included. When there is no room for two, only the side with the focus is returned.
    pub fn pane_rects(&self, area: Rect, focus: PaneId) -> Vec<(PaneId, Rect)> {
        match self {
            PaneTree::Leaf(id) => vec![(*id, area)],
            PaneTree::Split(split) => match split.cut(area) {
                Some((first, second)) => {
                    let mut placed = split.first.pane_rects(first, focus);
                    placed.extend(split.second.pane_rects(second, focus));
                    placed
                }
                None if split.second.contains(focus) => split.second.pane_rects(area, focus),
                None => split.first.pane_rects(area, focus),
            },
        }
    }

    /// Puts a new pane beside another one, half and half.
    pub fn insert(&mut self, beside: PaneId, axis: Axis, new: PaneId) -> bool {
        match self {
            PaneTree::Leaf(id) if *id == beside => {
                *self = PaneTree::split(axis, 500, PaneTree::Leaf(beside), PaneTree::Leaf(new));
                true
            }
            PaneTree::Leaf(_) => false,
            PaneTree::Split(split) => {
                split.first.insert(beside, axis, new) || split.second.insert(beside, axis, new)
            }
        }
    }

    /// Returns the tree without that pane; `None` if it was the only one.
    pub fn remove(self, pane: PaneId) -> Option<PaneTree> {
        match self {
            PaneTree::Leaf(id) => (id != pane).then_some(PaneTree::Leaf(id)),
            PaneTree::Split(split) => {
                let Split {
                    axis,
                    share,
                    first,
                    second,
                } = *split;
                match (first.remove(pane), second.remove(pane)) {
                    (Some(first), Some(second)) => Some(PaneTree::split(axis, share, first, second)),
                    (only, None) | (None, only) => only,
                }
            }
        }
    }

    /// Swaps the places of two panes.
    pub fn swap(&mut self, one: PaneId, other: PaneId) {
        self.rename(&|pane| match pane {
            pane if pane == one => other,
            pane if pane == other => one,
            pane => pane,
        });
    }

    /// Moves the nearest line around the pane across that direction, by thousandths; returns true if there was such a line.
    pub fn resize(&mut self, pane: PaneId, toward: Direction, by: u16) -> bool {
        let PaneTree::Split(split) = self else {
            return false;
        };
        let inner = if split.first.contains(pane) {
            &mut split.first
        } else if split.second.contains(pane) {
            &mut split.second
        } else {
            return false;
        };
        if inner.resize(pane, toward, by) {
            return true;
        }
        let (axis, grows) = match toward {
            Direction::Left => (Axis::Columns, false),
            Direction::Right => (Axis::Columns, true),
            Direction::Up => (Axis::Rows, false),
            Direction::Down => (Axis::Rows, true),
        };
        if split.axis == axis {
            let moved = if grows {
                split.share.saturating_add(by)
            } else {
                split.share.saturating_sub(by)
            };
            split.share = moved.clamp(100, 900);
        }
        split.axis == axis
    }
}

impl Split {
    /// Returns both areas, sharing one line; `None` if one would be too small.
    fn cut(&self, area: Rect) -> Option<(Rect, Rect)> {
        let (length, least) = match self.axis {
            Axis::Columns => (area.width, LEAST_WIDTH),
            Axis::Rows => (area.height, LEAST_HEIGHT),
        };
        if length < least * 2 - 1 {
            return None;
        }
        // Counted without the last line, and rounded: then equal shares give equal insides.
        let wished = (u32::from(length - 1) * u32::from(self.share.min(1000)) + 500) / 1000 + 1;
        let first = u16::try_from(wished)
            .unwrap_or(length)
            .clamp(least, length + 1 - least);
        let part = |at: u16, length: u16| match self.axis {
            Axis::Columns => Rect {
                x: area.x + at,
                width: length,
                ..area
            },
            Axis::Rows => Rect {
                y: area.y + at,
                height: length,
                ..area
            },
        };
        Some((part(0, first), part(first - 1, length + 1 - first)))
    }
}

/// Returns the pane next to another one in that direction: the nearest that overlaps, the upper or left one if several do.
pub(super) fn neighbour(placed: &[(PaneId, Rect)], from: PaneId, toward: Direction) -> Option<PaneId> {
    let (_, here) = placed.iter().find(|(id, _)| *id == from)?;
    let overlaps = |a: u16, a_len: u16, b: u16, b_len: u16| {
        a < b + b_len.saturating_sub(1) && b < a + a_len.saturating_sub(1)
    };
    let candidates = placed
        .iter()
        .filter(|(id, _)| *id != from)
        .filter_map(|(id, there)| {
            let beside = match toward {
                Direction::Left | Direction::Right => overlaps(here.y, here.height, there.y, there.height),
                Direction::Up | Direction::Down => overlaps(here.x, here.width, there.x, there.width),
            };
            let gap = match toward {
                Direction::Left => here.x.checked_sub(there.right().saturating_sub(1)),
                Direction::Right => there.x.checked_sub(here.right().saturating_sub(1)),
                Direction::Up => here.y.checked_sub(there.bottom().saturating_sub(1)),
                Direction::Down => there.y.checked_sub(here.bottom().saturating_sub(1)),
            };
            gap.filter(|_| beside).map(|gap| (gap, there.y, there.x, *id))
        });
    candidates.min().map(|(_, _, _, id)| id)
}

/// Builds a tree that arranges panes in a grid of that many columns; the last row may hold fewer.
pub(super) fn grid(panes: &[PaneId], columns: usize) -> Option<PaneTree> {
    let rows: Vec<(u16, PaneTree)> = panes
        .chunks(columns.max(1))
        .filter_map(|row| {
            PaneTree::row(
                Axis::Columns,
                row.iter().map(|id| (1, PaneTree::Leaf(*id))).collect(),
            )
        })
        .map(|row| (1, row))
        .collect();
    PaneTree::row(Axis::Rows, rows)
}

/// Builds one of the arrangements a person can cycle through: tiled, side by side, stacked, one large at the left.
pub(super) fn preset_layout(panes: &[PaneId], which: u8) -> Option<PaneTree> {
    let leaves = |panes: &[PaneId]| {
        panes
            .iter()
            .map(|id| (1, PaneTree::Leaf(*id)))
            .collect::<Vec<_>>()
    };
    match which % 4 {
        0 => grid(panes, columns_for(panes.len())),
        1 => PaneTree::row(Axis::Columns, leaves(panes)),
        2 => PaneTree::row(Axis::Rows, leaves(panes)),
        _ => {
            let (first, rest) = panes.split_first()?;
            match PaneTree::row(Axis::Rows, leaves(rest)) {
                Some(rest) => Some(PaneTree::split(Axis::Columns, 600, PaneTree::Leaf(*first), rest)),
                None => Some(PaneTree::Leaf(*first)),
            }
        }
    }
}

fn columns_for(count: usize) -> usize {
    (1..=count)
        .find(|columns| columns * columns >= count)
        .unwrap_or(1)
}

/// Returns the first free pane number above those in use.
pub(super) fn next_free_id(used: &BTreeSet<PaneId>) -> PaneId {
    let highest = used.iter().filter_map(|id| match id {
        PaneId::Fixed(number) => Some(*number),
        PaneId::Agent(_) => None,
    });
    PaneId::Fixed(highest.max().map_or(0, |number| number.saturating_add(1)))
}

mod dividers;

pub(crate) use dividers::SplitPath;

#[cfg(test)]
mod tests;
