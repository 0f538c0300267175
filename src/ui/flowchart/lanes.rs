//! Lanes beside the boxes: assigns edges to lanes so that no two share one at the same height. Edges to the same box share a lane.

use super::nodes::{ENTRY, FlowEdge, FlowNode};

/// Maximum number of lanes at a side; an edge that finds none becomes a note.
const MOST: usize = 4;

/// The side of the boxes on which edges run: forward at the left, back at the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneSide {
    /// At the left: edges to later boxes.
    Forward,
    /// At the right: edges to earlier boxes.
    Back,
}

/// A vertical lane beside the boxes, shared by all edges of one side that lead to the same box.
#[derive(Debug)]
pub(super) struct FlowLane {
    /// The box that its edges lead to.
    pub(super) to: usize,
    /// Distance from the boxes; 0 is next to them.
    pub(super) at: usize,
    first: usize,
    last: usize,
}

impl LaneSide {
    /// Returns the edges of a box at that side.
    pub(super) fn edges(self, node: &FlowNode) -> &[FlowEdge] {
        match self {
            LaneSide::Forward => &node.forward,
            LaneSide::Back => &node.back,
        }
    }

    /// Returns true if two lanes touch: an edge forward arrives above the point where the next one leaves the same box, an edge back does
    /// not.
    fn meet(self, one: &FlowLane, other: &FlowLane) -> bool {
        match self {
            LaneSide::Forward => one.first < other.last && other.first < one.last,
            LaneSide::Back => one.first <= other.last && other.first <= one.last,
        }
    }
}

/// Returns the lanes of a side, short ones inside. Edges for which there is no room become notes.
pub(super) fn lanes(nodes: &mut [FlowNode], side: LaneSide) -> Vec<FlowLane> {
    let mut open: Vec<FlowLane> = Vec::new();
    for (from, node) in nodes.iter().enumerate() {
        for way in side.edges(node) {
            if let Some(lane) = open.iter_mut().find(|lane| lane.to == way.to) {
                lane.first = lane.first.min(from);
                lane.last = lane.last.max(from);
            } else {
                open.push(FlowLane {
                    to: way.to,
                    at: 0,
                    first: from.min(way.to),
                    last: from.max(way.to),
                });
            }
        }
    }
    open.sort_by_key(|lane| (lane.last - lane.first, lane.first));
    let mut placed: Vec<FlowLane> = Vec::new();
    for mut lane in open {
        let is_free = |at: &usize| {
            let taken = |other: &FlowLane| other.at == *at && side.meet(other, &lane);
            !placed.iter().any(taken)
        };
        let free = (0..MOST).find(is_free);
        if let Some(at) = free {
            lane.at = at;
            placed.push(lane);
        }
    }
    note_undrawn(nodes, side, &placed);
    placed
}

fn note_undrawn(nodes: &mut [FlowNode], side: LaneSide, placed: &[FlowLane]) {
    let names: Vec<String> = nodes
        .iter()
        .map(|node| node.lines.first().cloned().unwrap_or_default())
        .map(|name| name.trim_start_matches(ENTRY).to_owned())
        .collect();
    for node in nodes {
        let ways = match side {
            LaneSide::Forward => &mut node.forward,
            LaneSide::Back => &mut node.back,
        };
        let (drawn, unplaced): (Vec<FlowEdge>, Vec<FlowEdge>) = ways
            .drain(..)
            .partition(|way| placed.iter().any(|lane| lane.to == way.to));
        *ways = drawn;
        for way in unplaced {
            let name = names.get(way.to).map_or("", String::as_str);
            let word = if way.label.is_empty() { "done" } else { &way.label };
            node.notes.push(format!("{word}: to {name}"));
        }
    }
}
