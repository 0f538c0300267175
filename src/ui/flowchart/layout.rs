//! Positions of boxes, lanes and words in a flowchart, within 80 columns for any workflow.

use super::char_grid::{ArrowHead, CharGrid};
use super::lanes::{FlowLane, LaneSide, lanes};
use super::nodes::{FlowEdge, FlowNode, nodes};
use crate::display::Glyphs;
use crate::display::text::{cut, width};
use crate::domain::Workflow;

/// Maximum columns of the whole drawing.
const COLUMNS: usize = 80;

/// Maximum columns of words at the right.
const WORDS: usize = 30;

/// Draws the stages of a workflow as boxes with their edges: edges forward at the left, edges back (reject, fail) at the right, and in
/// words the signals that lead to no other stage. At most 80 columns wide; the same workflow is always drawn the same.
pub fn flowchart(flow: &Workflow, glyphs: Glyphs) -> Vec<String> {
    let more = glyphs.pick("…", "~");
    let mut nodes = nodes(flow, more);
    let on = lanes(&mut nodes, LaneSide::Forward);
    let back = lanes(&mut nodes, LaneSide::Back);
    for note in nodes.iter_mut().flat_map(|node| &mut node.notes) {
        *note = cut(note, WORDS - 3, more);
    }
    let plan = FlowLayout::new(&nodes, on, back);
    let mut grid = CharGrid::new(COLUMNS, plan.tops.last().map_or(0, |top| top + 3));
    for (at, node) in nodes.iter().enumerate() {
        plan.boxed(&mut grid, at, node, more);
        plan.below(&mut grid, at, node, glyphs);
        plan.beside(&mut grid, at, node);
    }
    plan.arrivals(&mut grid, glyphs);
    grid.lines(glyphs)
}

/// The positions of all boxes, lanes and labels of a workflow drawing.
struct FlowLayout {
    /// The upper edge of each box.
    tops: Vec<usize>,
    rows: Vec<usize>,
    on: Vec<FlowLane>,
    back: Vec<FlowLane>,
    /// The left and the right edge of the boxes.
    left: usize,
    right: usize,
    /// Columns of words at the right.
    words: usize,
}

impl FlowLayout {
    fn new(nodes: &[FlowNode], on: Vec<FlowLane>, back: Vec<FlowLane>) -> FlowLayout {
        let rows: Vec<usize> = nodes.iter().map(rows).collect();
        let below = |top: &mut usize, rows: &usize| {
            let at = *top;
            *top += rows + 3;
            Some(at)
        };
        let tops = rows.iter().scan(0, below).collect();
        let left = if on.is_empty() {
            0
        } else {
            2 * breadth(&on) + label_room(nodes, LaneSide::Forward)
        };
        let texts = nodes.iter().flat_map(|node| &node.notes);
        let note_width = texts.map(|note| width(note) + 3).max().unwrap_or(0);
        let words = note_width.max(label_room(nodes, LaneSide::Back));
        let inside = nodes.iter().flat_map(|node| &node.lines).map(|line| width(line));
        let room = COLUMNS.saturating_sub(left + words + 2 * breadth(&back));
        let wide = (inside.max().unwrap_or(0) + 4).min(room);
        FlowLayout {
            tops,
            rows,
            on,
            back,
            left,
            right: left + wide.saturating_sub(1),
            words,
        }
    }

    fn top(&self, at: usize) -> usize {
        self.tops.get(at).copied().unwrap_or(0)
    }

    fn boxed(&self, grid: &mut CharGrid, at: usize, node: &FlowNode, more: &str) {
        let top = self.top(at);
        let bottom = top + self.rows.get(at).copied().unwrap_or(0) + 1;
        grid.across(top, self.left, self.right);
        grid.across(bottom, self.left, self.right);
        grid.down(self.left, top, bottom);
        grid.down(self.right, top, bottom);
        let room = (self.right - self.left).saturating_sub(3);
        for (row, line) in node.lines.iter().enumerate() {
            grid.write(self.left + 2, top + 1 + row, &cut(line, room, more));
        }
    }

    /// Draws the edge straight down.
    fn below(&self, grid: &mut CharGrid, at: usize, node: &FlowNode, glyphs: Glyphs) {
        let Some(label) = &node.down else { return };
        let (middle, bottom) = (self.left.midpoint(self.right), self.top(at + 1).saturating_sub(2));
        grid.down(middle, bottom, bottom + 1);
        grid.arrow_head(middle, bottom + 1, ArrowHead::Down, glyphs);
        grid.write(middle + 2, bottom + 1, label);
    }

    /// Draws the edges and notes that leave a box at its sides.
    fn beside(&self, grid: &mut CharGrid, at: usize, node: &FlowNode) {
        let first = self.top(at) + 2;
        for (row, way) in node.forward.iter().enumerate() {
            let y = first + row;
            if let Some(x) = self.column(LaneSide::Forward, way) {
                grid.across(y, x, self.left);
                grid.down(x, y, self.top(way.to) + 1);
                let from = self.left.saturating_sub(width(&way.label) + 3);
                put_label(grid, from, y, &way.label);
            }
        }
        for (row, way) in node.back.iter().enumerate() {
            let y = first + row;
            if let Some(x) = self.column(LaneSide::Back, way) {
                grid.across(y, self.right, x);
                grid.down(x, y, self.top(way.to) + 1);
                put_label(grid, self.right + 2, y, &way.label);
            }
        }
        for (row, note) in node.notes.iter().enumerate() {
            let y = first + node.back.len() + row;
            grid.across(y, self.right, self.right + 1);
            grid.write(self.right + 3, y, note);
        }
    }

    /// Draws the ends of lanes with their arrow heads at the sides of boxes.
    fn arrivals(&self, grid: &mut CharGrid, glyphs: Glyphs) {
        for lane in &self.on {
            let y = self.top(lane.to) + 1;
            grid.across(y, self.lane(LaneSide::Forward, lane), self.left - 1);
            grid.arrow_head(self.left - 1, y, ArrowHead::Right, glyphs);
        }
        for lane in &self.back {
            let y = self.top(lane.to) + 1;
            grid.across(y, self.right + 1, self.lane(LaneSide::Back, lane));
            grid.arrow_head(self.right + 1, y, ArrowHead::Left, glyphs);
        }
    }

    fn column(&self, side: LaneSide, way: &FlowEdge) -> Option<usize> {
        let lanes = match side {
            LaneSide::Forward => &self.on,
            LaneSide::Back => &self.back,
        };
        let lane = lanes.iter().find(|lane| lane.to == way.to)?;
        Some(self.lane(side, lane))
    }

    fn lane(&self, side: LaneSide, lane: &FlowLane) -> usize {
        match side {
            LaneSide::Forward => 2 * (breadth(&self.on).saturating_sub(1 + lane.at)),
            LaneSide::Back => self.right + self.words + 1 + 2 * lane.at,
        }
    }
}

fn put_label(grid: &mut CharGrid, x: usize, y: usize, label: &str) {
    if !label.is_empty() {
        grid.write(x, y, &format!(" {label} "));
    }
}

/// Returns the rows inside a box: its lines, and a row for each edge and note that leaves it.
fn rows(node: &FlowNode) -> usize {
    let beside = node.forward.len().max(node.back.len() + node.notes.len());
    node.lines.len().max(1 + beside)
}

/// Lanes side by side.
fn breadth(lanes: &[FlowLane]) -> usize {
    lanes.iter().map(|lane| lane.at + 1).max().unwrap_or(0)
}

/// Columns for the labels of a side, or for the heads of its arrows.
fn label_room(nodes: &[FlowNode], side: LaneSide) -> usize {
    let ways = nodes.iter().flat_map(|node| side.edges(node));
    ways.map(|way| width(&way.label) + 4).max().unwrap_or(0)
}
