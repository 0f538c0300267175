//! Random graphs of nodes that wait for each other.

use std::collections::BTreeSet;

use dbs::domain::WaitGraph;
use dbs::domain::wait_graph::reachable;
use proptest::prelude::*;

/// Returns up to twelve nodes, each waiting for a few of them.
fn needs() -> impl Strategy<Value = Vec<BTreeSet<usize>>> {
    proptest::collection::vec(proptest::collection::btree_set(0..12_usize, 0..3), 0..12)
}

/// Returns such nodes without cycles: each waits only for those before it in a random order.
fn acyclic() -> impl Strategy<Value = Vec<BTreeSet<usize>>> {
    (needs(), any::<u64>()).prop_map(|(needs, seed)| {
        let rank = |node: usize| (node as u64 + 1).wrapping_mul(seed | 1).rotate_left(17);
        let before = |at: usize, need: &usize| (rank(*need), *need) < (rank(at), at);
        let kept =
            |(at, own): (usize, BTreeSet<usize>)| own.into_iter().filter(|need| before(at, need)).collect();
        needs.into_iter().enumerate().map(kept).collect()
    })
}

fn graph(needs: &[BTreeSet<usize>]) -> WaitGraph<usize> {
    WaitGraph::new(needs.iter().cloned().enumerate())
}

/// Returns everything that a node waits for, directly or indirectly.
fn behind(needs: &[BTreeSet<usize>], node: usize) -> BTreeSet<usize> {
    let next = |node: usize| needs.get(node).cloned().unwrap_or_default();
    reachable(next(node), next)
}

proptest! {
    #[test]
    fn every_node_stands_behind_those_it_waits_for(needs in needs()) {
        let graph = graph(&needs);
        for (at, node) in graph.order().iter().enumerate() {
            for need in graph.needs(node) {
                prop_assert!(graph.order()[..at].contains(need));
            }
        }
    }

    #[test]
    fn nodes_are_stuck_exactly_if_they_lead_to_one_that_waits_for_itself(needs in needs()) {
        let on_circle = |node: &usize| *node < needs.len() && behind(&needs, *node).contains(node);
        let is_stuck = |node: &usize| on_circle(node) || behind(&needs, *node).iter().any(on_circle);
        let expected: Vec<usize> = (0..needs.len()).filter(is_stuck).collect();
        let graph = graph(&needs);
        prop_assert_eq!(graph.stuck(), expected);
    }

    #[test]
    fn each_node_of_a_circle_waits_for_the_next(needs in needs()) {
        let graph = graph(&needs);
        let circle = graph.circle();
        prop_assert_eq!(circle.is_empty(), graph.stuck().is_empty());
        prop_assert_eq!(circle.first(), circle.last());
        for pair in circle.windows(2) {
            prop_assert!(needs[pair[0]].contains(&pair[1]));
        }
    }

    #[test]
    fn a_node_comes_forward_only_because_one_before_it_waits_for_it(needs in acyclic()) {
        let order = graph(&needs).order().to_vec();
        prop_assert_eq!(order.len(), needs.len());
        for (at, node) in order.iter().enumerate() {
            for passed in order[at..].iter().filter(|passed| *passed < node) {
                let waits = |earlier: usize| behind(&needs, earlier).contains(node);
                prop_assert!((0..=*passed).any(waits), "{} before {}", node, passed);
            }
        }
    }

    #[test]
    fn the_longest_chain_is_one_longer_than_those_before(needs in acyclic()) {
        let graph = graph(&needs);
        let longest = graph.longest(|_| 1);
        for node in graph.order() {
            let before = graph.needs(node).map(|need| longest[need]).max().unwrap_or(0);
            prop_assert_eq!(longest[node], before + 1);
        }
    }
}
