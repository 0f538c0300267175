//! Graph of nodes that wait for each other: their order, what waits for itself, and the longest chains.

use std::collections::{BTreeMap, BTreeSet};

/// Directed graph of nodes, in the order they were given, and of the nodes that each waits for.
#[derive(Debug, Clone)]
pub struct WaitGraph<K> {
    needs: BTreeMap<K, BTreeSet<K>>,
    order: Vec<K>,
    stuck: Vec<K>,
}

impl<K: Ord + Clone> WaitGraph<K> {
    /// Builds the graph of these nodes, each with what it waits for. Nodes that are not given themselves are not waited for.
    pub fn new<N: IntoIterator<Item = K>>(given: impl IntoIterator<Item = (K, N)>) -> WaitGraph<K> {
        let mut nodes: Vec<K> = Vec::new();
        let mut needs: BTreeMap<K, BTreeSet<K>> = BTreeMap::new();
        for (node, own) in given {
            if !needs.contains_key(&node) {
                nodes.push(node.clone());
            }
            needs.entry(node).or_default().extend(own);
        }
        let known: BTreeSet<K> = needs.keys().cloned().collect();
        for own in needs.values_mut() {
            own.retain(|need| known.contains(need));
        }
        let order = sorted(&nodes, &needs);
        let placed: BTreeSet<&K> = order.iter().collect();
        nodes.retain(|node| !placed.contains(node));
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

/// Returns the nodes, each behind those it waits for; of those that may follow, the first given one.
fn sorted<K: Ord + Clone>(nodes: &[K], needs: &BTreeMap<K, BTreeSet<K>>) -> Vec<K> {
    let places: BTreeMap<&K, usize> = nodes.iter().zip(0..).collect();
    let mut waiting: BTreeMap<&K, Vec<&K>> = BTreeMap::new();
    for (node, need) in needs
        .iter()
        .flat_map(|(node, own)| own.iter().map(move |need| (node, need)))
    {
        waiting.entry(need).or_default().push(node);
    }
    let mut open: BTreeMap<&K, usize> = needs.iter().map(|(node, own)| (node, own.len())).collect();
    let placed = |node| (places.get(node).copied(), node);
    let free = open.iter().filter(|(_, left)| **left == 0);
    let mut ready: BTreeSet<(Option<usize>, &K)> = free.map(|(node, _)| placed(*node)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some((_, node)) = ready.pop_first() {
        order.push(node.clone());
        for next in waiting.get(node).into_iter().flatten() {
            if let Some(left) = open.get_mut(next) {
                *left -= 1;
                if *left == 0 {
                    ready.insert(placed(*next));
                }
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
