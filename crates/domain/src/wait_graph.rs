//! Graph of nodes that wait for each other: their order, what waits for itself, and the longest chains.

use std::collections::{BTreeMap, BTreeSet};

/// Directed graph of nodes, in the order they were given, and of the nodes that each waits for.
#[derive(Debug, Clone)]
pub struct WaitGraph<K> {
    needs: BTreeMap<K, Vec<K>>,
    order: Vec<K>,
    stuck: Vec<K>,
}

impl<K: Ord + Clone> WaitGraph<K> {
    /// Builds the graph of these nodes, each with what it waits for. Nodes that are not given themselves are not waited for.
    pub fn new<N: IntoIterator<Item = K>>(given: impl IntoIterator<Item = (K, N)>) -> WaitGraph<K> {
        let mut nodes: Vec<K> = Vec::new();
        let mut needs: BTreeMap<K, Vec<K>> = BTreeMap::new();
        for (node, own) in given {
            if !needs.contains_key(&node) {
                nodes.push(node.clone());
            }
            needs.entry(node).or_default().extend(own);
        }
        let places: BTreeMap<&K, usize> = nodes.iter().zip(0..).collect();
        for own in needs.values_mut() {
            own.retain(|need| places.contains_key(need));
            own.sort_by_key(|need| places.get(need));
            own.dedup();
        }
        let order = sorted(&nodes, &needs);
        let in_order: BTreeSet<&K> = order.iter().collect();
        nodes.retain(|node| !in_order.contains(node));
        WaitGraph {
            needs,
            order,
            stuck: nodes,
        }
    }

    /// Returns the nodes, each behind those it waits for, otherwise as they were given; without those that are stuck.
    pub fn order(&self) -> &[K] {
        &self.order
    }

    /// Returns the nodes that wait for themselves, or for a node that does.
    pub fn stuck(&self) -> &[K] {
        &self.stuck
    }

    /// Returns nodes of which each waits for the next, the last one being the first again; empty if no node waits for itself.
    pub fn circle(&self) -> Vec<K> {
        let stuck: BTreeSet<&K> = self.stuck.iter().collect();
        let mut path: Vec<K> = Vec::new();
        let mut next = self.stuck.first();
        while let Some(node) = next {
            let start = path.iter().position(|before| before == node);
            path.push(node.clone());
            if let Some(start) = start {
                return path.split_off(start);
            }
            next = self.needs(node).find(|need| stuck.contains(need));
        }
        path
    }

    /// Returns the nodes that a node waits for.
    pub fn needs(&self, node: &K) -> impl DoubleEndedIterator<Item = &K> {
        self.needs.get(node).into_iter().flatten()
    }

    /// Returns the weight of the heaviest chain that ends with each node; nothing of those that are stuck.
    pub fn longest(&self, weight: impl Fn(&K) -> usize) -> BTreeMap<K, usize> {
        let mut longest: BTreeMap<K, usize> = BTreeMap::new();
        for node in &self.order {
            let before = self.needs(node).filter_map(|need| longest.get(need)).max();
            let own = before.copied().unwrap_or_default() + weight(node);
            longest.insert(node.clone(), own);
        }
        longest
    }
}

/// Returns the nodes that do not lead to a circle. A node comes forward if one before it waits for it.
fn sorted<K: Ord + Clone>(nodes: &[K], needs: &BTreeMap<K, Vec<K>>) -> Vec<K> {
    // Nothing while the needs of a node are visited; then true if it has a place in the order.
    let mut seen: BTreeMap<&K, Option<bool>> = BTreeMap::new();
    let mut order = Vec::with_capacity(nodes.len());
    for start in nodes {
        // The path from the start: a node, and the number of its needs that were visited.
        let mut path = vec![(start, 0)];
        while let Some((node, visited)) = path.pop() {
            if visited == 0 && seen.contains_key(node) {
                continue;
            }
            seen.entry(node).or_insert(None);
            let own = needs.get(node).map_or(&[][..], Vec::as_slice);
            if let Some(next) = own.get(visited) {
                path.extend([(node, visited + 1), (next, 0)]);
                continue;
            }
            let is_placed = own.iter().all(|need| seen.get(need) == Some(&Some(true)));
            seen.insert(node, Some(is_placed));
            if is_placed {
                order.push(node.clone());
            }
        }
    }
    order
}

/// Returns the nodes to start from and everything that `next` leads to, over any number of steps.
pub fn reachable<K: Ord + Copy, N: IntoIterator<Item = K>>(
    from: impl IntoIterator<Item = K>,
    next: impl Fn(K) -> N,
) -> BTreeSet<K> {
    let mut open: Vec<K> = from.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(next(node));
        }
    }
    reached
}
