//! Puts each task behind those it waits for; otherwise they stay in the order they were written in.

use super::{ListedDependency, ListedTask};

/// The tasks in order. Some that wait for each other are told, and left out with all that wait for them.
pub(super) fn ordered(tasks: Vec<ListedTask>, find: &mut impl FnMut(usize, String)) -> Vec<ListedTask> {
    let TopologicalOrder {
        placed,
        cycle: circle,
    } = order(&tasks);
    if let Some(circle) = circle {
        let line = |place: &usize| tasks.get(*place).map_or(0, |task| task.line);
        let lines: Vec<String> = circle.iter().map(|place| line(place).to_string()).collect();
        let text = format!(
            "it waits for itself: lines {}; let one of them wait for something else",
            lines.join(" > ")
        );
        find(circle.first().map_or(0, line), text);
    }
    let mut now_at = vec![None; tasks.len()];
    for (now, before) in placed.iter().enumerate() {
        if let Some(slot) = now_at.get_mut(*before) {
            *slot = Some(now);
        }
    }
    let moved = |dependency: ListedDependency| match dependency {
        ListedDependency::Listed(before) => now_at
            .get(before)
            .copied()
            .flatten()
            .map(ListedDependency::Listed),
        there @ ListedDependency::External(_) => Some(there),
    };
    let mut tasks: Vec<Option<ListedTask>> = tasks.into_iter().map(Some).collect();
    let taken = placed.iter().filter_map(|before| tasks.get_mut(*before)?.take());
    taken
        .map(|task| ListedTask {
            deps: task.deps.into_iter().filter_map(moved).collect(),
            ..task
        })
        .collect()
}

struct TopologicalOrder {
    /// Places in the file, in the new order.
    placed: Vec<usize>,
    /// The first tasks found that wait for each other; the last one is the first again.
    cycle: Option<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    Unvisited,
    InProgress,
    Placed,
}

fn order(tasks: &[ListedTask]) -> TopologicalOrder {
    let mut seen = vec![VisitState::Unvisited; tasks.len()];
    let mut placed = Vec::new();
    for start in 0..tasks.len() {
        // The way from the start to where we are: a task, and how many of what it waits for were looked at.
        let mut way = vec![(start, 0)];
        while let Some((place, looked_at)) = way.last_mut() {
            let (place, nth) = (*place, *looked_at);
            *looked_at += 1;
            if seen.get(place) == Some(&VisitState::Placed) {
                way.pop();
                continue;
            }
            mark(&mut seen, place, VisitState::InProgress);
            let Some(next) = listed_deps(tasks, place).nth(nth) else {
                mark(&mut seen, place, VisitState::Placed);
                placed.push(place);
                way.pop();
                continue;
            };
            if seen.get(next) == Some(&VisitState::InProgress) {
                let on_it = way.iter().map(|(place, _)| *place);
                let circle = on_it.skip_while(|place| *place != next).chain([next]);
                return TopologicalOrder {
                    cycle: Some(circle.collect()),
                    placed,
                };
            }
            way.push((next, 0));
        }
    }
    TopologicalOrder { placed, cycle: None }
}

fn mark(seen: &mut [VisitState], place: usize, now: VisitState) {
    if let Some(slot) = seen.get_mut(place) {
        *slot = now;
    }
}

/// What a task of the list waits for in the list.
fn listed_deps(tasks: &[ListedTask], place: usize) -> impl Iterator<Item = usize> + '_ {
    let deps = tasks
        .get(place)
        .map(|task| task.deps.as_slice())
        .unwrap_or_default();
    deps.iter().filter_map(|dependency| match dependency {
        ListedDependency::Listed(place) => Some(*place),
        ListedDependency::External(_) => None,
    })
}
