//! Puts each task behind those it waits for; otherwise they stay in the order of the list.

use std::collections::HashMap;

use dbs_domain::WaitGraph;

use super::ListedTask;

/// Returns the tasks in order, with their places by name; empty if some wait for each other, which is reported.
pub(super) fn ordered(
    tasks: Vec<ListedTask>,
    places: &HashMap<String, usize>,
    find: &mut impl FnMut(usize, String),
) -> Vec<ListedTask> {
    let place = |name: &dbs_domain::TaskId| places.get(name.as_str()).copied();
    let needs = |task: &ListedTask| -> Vec<usize> { task.draft.deps.iter().filter_map(place).collect() };
    let graph = WaitGraph::new(tasks.iter().map(needs).enumerate());
    let circle = graph.circle();
    if let Some(first) = circle.first() {
        let line = |place: &usize| tasks.get(*place).map_or(0, |task| task.line);
        let lines: Vec<String> = circle.iter().map(|place| line(place).to_string()).collect();
        let text = format!(
            "it waits for itself: lines {}; let one of them wait for something else",
            lines.join(" > ")
        );
        find(line(first), text);
        return Vec::new();
    }
    let mut tasks: Vec<Option<ListedTask>> = tasks.into_iter().map(Some).collect();
    let taken = graph
        .order()
        .iter()
        .filter_map(|place| tasks.get_mut(*place)?.take());
    taken.collect()
}
