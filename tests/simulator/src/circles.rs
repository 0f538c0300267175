//! Check that nothing waits for itself: no task and no batch, directly or through others.

use std::collections::BTreeSet;

use dbs_domain::Board;

/// Task or batch, by its id; the flag is true for a batch.
type Node<'a> = (bool, &'a str);

pub(super) fn none(board: &Board) -> Result<(), String> {
    let tasks = board.tasks.keys().map(|id| (false, id.as_str()));
    for start in tasks.chain(board.batches.keys().map(|id| (true, id.as_str()))) {
        let mut open = awaited(board, start);
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if next == start {
                return Err(format!("{} waits for itself", start.1));
            }
            if seen.insert(next) {
                open.extend(awaited(board, next));
            }
        }
    }
    Ok(())
}

/// Returns the tasks and batches that must be over before a task begins or a batch is completed.
fn awaited<'a>(board: &'a Board, (is_batch, id): Node<'a>) -> Vec<Node<'a>> {
    let needs = |batch: &str| {
        let known = board.batches.get(&batch.into());
        known
            .into_iter()
            .flat_map(|batch| &batch.needs)
            .map(|id| (true, id.as_str()))
    };
    if is_batch {
        let of_it = board.tasks.values().filter(|task| task.batch.as_str() == id);
        return of_it
            .map(|task| (false, task.id.as_str()))
            .chain(needs(id))
            .collect();
    }
    let Some(task) = board.tasks.get(&id.into()) else {
        return Vec::new();
    };
    let deps = task.deps.iter().map(|id| (false, id.as_str()));
    deps.chain(needs(task.batch.as_str())).collect()
}
