//! Puts each task behind those it waits for; otherwise they stay in the order of the list.

use std::collections::HashMap;

use super::ListedTask;

/// The place in the list of each name.
type Places = HashMap<String, usize>;

/// Returns the tasks in order; none when some wait for each other, which is reported.
pub(super) fn ordered(
    tasks: Vec<ListedTask>,
    places: &Places,
    find: &mut impl FnMut(usize, String),
) -> Vec<ListedTask> {
    let order = match order(&tasks, places) {
        Ok(order) => order,
        Err(cycle) => {
            let line = |place: &usize| tasks.get(*place).map_or(0, |task| task.line);
            let lines: Vec<String> = cycle.iter().map(|place| line(place).to_string()).collect();
            let text = format!(
                "it waits for itself: lines {}; let one of them wait for something else",
                lines.join(" > ")
            );
            find(cycle.first().map_or(0, line), text);
            return Vec::new();
        }
    };
    let mut tasks: Vec<Option<ListedTask>> = tasks.into_iter().map(Some).collect();
    let taken = order.iter().filter_map(|before| tasks.get_mut(*before)?.take());
    taken.collect()
}

#[derive(Clone, Copy, PartialEq)]
enum VisitState {
    Unvisited,
    InProgress,
    Placed,
}

/// Returns places in the list in their new order; else the first tasks found that wait for each other, the last one being the first again.
fn order(tasks: &[ListedTask], places: &Places) -> Result<Vec<usize>, Vec<usize>> {
    let waits_for: Vec<Vec<usize>> = tasks.iter().map(|task| listed_deps(task, places)).collect();
    let mut seen = vec![VisitState::Unvisited; tasks.len()];
    let mut sorted = Vec::new();
    for start in 0..tasks.len() {
        // The path from the start: a task, and the number of its dependencies that were visited.
        let mut path = vec![(start, 0)];
        while let Some((place, visited)) = path.last_mut() {
            let (place, nth) = (*place, *visited);
            *visited += 1;
            if seen.get(place) == Some(&VisitState::Placed) {
                path.pop();
                continue;
            }
            mark(&mut seen, place, VisitState::InProgress);
            let Some(&next) = waits_for.get(place).and_then(|deps| deps.get(nth)) else {
                mark(&mut seen, place, VisitState::Placed);
                sorted.push(place);
                path.pop();
                continue;
            };
            if seen.get(next) == Some(&VisitState::InProgress) {
                let on_path = path.iter().map(|(place, _)| *place);
                let cycle = on_path.skip_while(|place| *place != next).chain([next]);
                return Err(cycle.collect());
            }
            path.push((next, 0));
        }
    }
    Ok(sorted)
}

fn mark(seen: &mut [VisitState], place: usize, now: VisitState) {
    if let Some(slot) = seen.get_mut(place) {
        *slot = now;
    }
}

/// Returns the places of the dependencies of a task that are in the list, in the order of the list.
fn listed_deps(task: &ListedTask, places: &Places) -> Vec<usize> {
    let deps = task.draft.deps.iter();
    let mut listed: Vec<usize> = deps
        .filter_map(|name| places.get(name.as_str()).copied())
        .collect();
    listed.sort_unstable();
    listed
}
