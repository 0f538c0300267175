//! The tasks an action affects, named before it is done: one by one, of many the first, and of the others the number of each kind.

use std::collections::BTreeMap;

use crate::domain::Task;

/// Maximum number of tasks named one by one; of more only the states are counted.
const MOST_LISTED: usize = 20;

/// Returns every task by name and state; of many the first, and the number of each state.
pub(super) fn affected_lines<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<String> {
    let named = tasks.map(|task| {
        let word = task.state.word();
        let line = format!("  {}  {}  ({word})", task.id, task.title);
        (line, word.to_owned())
    });
    listed(named.collect())
}

/// Returns a line for each; of many the first, and of the others the number of each sort.
pub(super) fn listed(named: Vec<(String, String)>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for (line, sort) in named {
        if lines.len() < MOST_LISTED {
            lines.push(line);
        } else {
            *counts.entry(sort).or_default() += 1;
        }
    }
    if !counts.is_empty() {
        let counts: Vec<String> = counts
            .iter()
            .map(|(sort, many)| format!("{many} {sort}"))
            .collect();
        lines.push(format!("  and {}", counts.join(", ")));
    }
    lines
}
