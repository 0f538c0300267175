//! Beside the boxes: which way runs in which lane, so that no two share one at the same height. Ways to one box share a lane.

use super::nodes::{ENTRY, Node, Way};

/// Most lanes at one side; a way that finds none is told in words.
const MOST: usize = 4;

/// Which side of the boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// At the left: ways on.
    On,
    /// At the right: ways back.
    Back,
}

/// What all ways of a side that lead to one box share.
#[derive(Debug)]
pub(super) struct Lane {
    /// The box they lead to.
    pub(super) to: usize,
    /// How far from the boxes it runs; 0 is next to them.
    pub(super) at: usize,
    first: usize,
    last: usize,
}

impl Side {
    /// The ways of a box at that side.
    pub(super) fn of(self, node: &Node) -> &[Way] {
        match self {
            Side::On => &node.on,
            Side::Back => &node.back,
        }
    }

    /// A way on arrives above where the next one leaves the same box, a way back does not.
    fn meet(self, one: &Lane, other: &Lane) -> bool {
        match self {
            Side::On => one.first < other.last && other.first < one.last,
            Side::Back => one.first <= other.last && other.first <= one.last,
        }
    }
}

/// The lanes of a side, short ones inside. Ways for which there is no room become notes.
pub(super) fn lanes(nodes: &mut [Node], side: Side) -> Vec<Lane> {
    let mut open: Vec<Lane> = Vec::new();
    for (from, node) in nodes.iter().enumerate() {
        for way in side.of(node) {
            if let Some(lane) = open.iter_mut().find(|lane| lane.to == way.to) {
                lane.first = lane.first.min(from);
                lane.last = lane.last.max(from);
            } else {
                open.push(Lane {
                    to: way.to,
                    at: 0,
                    first: from.min(way.to),
                    last: from.max(way.to),
                });
            }
        }
    }
    open.sort_by_key(|lane| (lane.last - lane.first, lane.first));
    let mut placed: Vec<Lane> = Vec::new();
    for mut lane in open {
        let is_free = |at: &usize| {
            let taken = |other: &Lane| other.at == *at && side.meet(other, &lane);
            !placed.iter().any(taken)
        };
        let free = (0..MOST).find(is_free);
        if let Some(at) = free {
            lane.at = at;
            placed.push(lane);
        }
    }
    tell_the_rest(nodes, side, &placed);
    placed
}

fn tell_the_rest(nodes: &mut [Node], side: Side, placed: &[Lane]) {
    let names: Vec<String> = nodes
        .iter()
        .map(|node| node.lines.first().cloned().unwrap_or_default())
        .map(|name| name.trim_start_matches(ENTRY).to_owned())
        .collect();
    for node in nodes {
        let ways = match side {
            Side::On => &mut node.on,
            Side::Back => &mut node.back,
        };
        let (drawn, told): (Vec<Way>, Vec<Way>) = ways
            .drain(..)
            .partition(|way| placed.iter().any(|lane| lane.to == way.to));
        *ways = drawn;
        for way in told {
            let name = names.get(way.to).map_or("", String::as_str);
            let word = if way.label.is_empty() { "done" } else { &way.label };
            node.notes.push(format!("{word}: to {name}"));
        }
    }
}
