//! Graph of dependencies: the tasks that depend on others or are depended on, each once, below the dependency that comes last before it;
//! the depth of the graph; and the longest chain of work that is left.

use std::collections::{BTreeMap, BTreeSet};

use super::ReadModel;
use crate::domain::{Task, TaskId, WaitGraph};

/// The dependencies between tasks in reading order, with the critical path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DependencyGraph {
    pub rows: Vec<DependencyRow>,
    pub depth: usize,
    /// Tasks that nothing waits for and that wait for nothing.
    pub alone: usize,
    /// The longest chain of tasks that are not over: the way to the end can take no fewer.
    pub path: Vec<TaskId>,
}

/// Task of the dependency graph and its position in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRow {
    pub task: TaskId,
    /// Flags for each level above it: true if more follows there below this row; its own level last.
    pub follows: Vec<bool>,
    pub below: Option<usize>,
    pub also: Vec<TaskId>,
    pub is_critical: bool,
}

impl DependencyGraph {
    /// Draws it up from the board.
    pub fn of(model: &ReadModel) -> DependencyGraph {
        let links = DependencyLinks::of(model);
        let depths = links.graph.longest(|_| 1);
        let path = links.path(model);
        let critical: BTreeSet<&TaskId> = path.iter().collect();
        let mut below: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
        let mut roots = Vec::new();
        for id in links.graph.order() {
            match links.main(id, &depths, &critical) {
                Some(main) => below.entry(main).or_default().push(id),
                None => roots.push(*id),
            }
        }
        let mut graph = DependencyGraph {
            rows: Vec::new(),
            depth: depths.values().copied().max().unwrap_or(0),
            alone: model.tasks.len() - links.linked.len(),
            path: Vec::new(),
        };
        roots.sort_unstable();
        let mut stack: Vec<(&TaskId, Option<usize>, Vec<bool>)> =
            roots.into_iter().rev().map(|id| (id, None, Vec::new())).collect();
        while let Some((id, parent, follows)) = stack.pop() {
            let at = graph.rows.len();
            let mut children = below.remove(id).unwrap_or_default();
            children.sort_unstable();
            let last = children.len().saturating_sub(1);
            for (nth, child) in children.iter().enumerate().rev() {
                let mut levels = follows.clone();
                levels.push(nth < last);
                stack.push((child, Some(at), levels));
            }
            let main = parent
                .and_then(|parent| graph.rows.get(parent))
                .map(|row| &row.task);
            let also = DependencyLinks::needs(model, id).filter(|dep| Some(*dep) != main);
            graph.rows.push(DependencyRow {
                task: id.clone(),
                also: also.cloned().collect(),
                follows,
                below: parent,
                is_critical: critical.contains(id),
            });
        }
        graph.path = path;
        graph
    }
}

/// Linked tasks, and the dependencies between those that exist.
struct DependencyLinks<'a> {
    linked: BTreeSet<&'a TaskId>,
    /// The board refuses circles: tasks in one would be skipped.
    graph: WaitGraph<&'a TaskId>,
}

impl<'a> DependencyLinks<'a> {
    fn of(model: &'a ReadModel) -> DependencyLinks<'a> {
        let mut linked = BTreeSet::new();
        for (id, task) in &model.tasks {
            for dep in &task.deps {
                linked.insert(id);
                linked.extend(model.tasks.get_key_value(dep).map(|(dep, _)| dep));
            }
        }
        let nodes = linked.iter().map(|id| (*id, DependencyLinks::needs(model, id)));
        let graph = WaitGraph::new(nodes);
        DependencyLinks { linked, graph }
    }

    /// The dependency a task is drawn below: the one on the longest chain with it, else the deepest, else the first.
    fn main(
        &self,
        id: &'a TaskId,
        depths: &BTreeMap<&'a TaskId, usize>,
        critical: &BTreeSet<&TaskId>,
    ) -> Option<&'a TaskId> {
        let both = |dep: &TaskId| critical.contains(id) && critical.contains(dep);
        let deps = self.graph.needs(&id).rev();
        deps.max_by_key(|dep| (both(dep), depths.get(*dep))).copied()
    }

    /// The longest chain of tasks that are not over, in the order they must be done.
    fn path(&self, model: &ReadModel) -> Vec<TaskId> {
        let is_open = |id: &TaskId| model.tasks.get(id).is_some_and(|task| !task.state.is_terminal());
        let chains = self.graph.longest(|id| usize::from(is_open(id)));
        let mut at = self
            .graph
            .order()
            .iter()
            .rev()
            .copied()
            .max_by_key(|id| chains.get(id));
        let mut path = Vec::new();
        while let Some(id) = at.filter(|id| chains.get(id).is_some_and(|length| *length > 0)) {
            if is_open(id) {
                path.push(id.clone());
            }
            let deps = self.graph.needs(&id).rev().copied();
            at = deps.max_by_key(|dep| chains.get(dep));
        }
        path.reverse();
        if path.len() < 2 { Vec::new() } else { path }
    }

    fn needs(model: &'a ReadModel, id: &TaskId) -> impl Iterator<Item = &'a TaskId> {
        let deps = |task: &'a Task| task.deps.iter();
        model.tasks.get(id).map(AsRef::as_ref).into_iter().flat_map(deps)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::command::TaskDraft;
    use crate::domain::{TaskState, Timestamp};

    fn task(id: &str, deps: &[&str]) -> Task {
        Task {
            deps: deps.iter().map(|dep| (*dep).into()).collect(),
            ..Task::planned(Timestamp(0), &TaskDraft::new(id, id), "development".into())
        }
    }

    fn model(tasks: &[(&str, &[&str])]) -> ReadModel {
        let tasks = tasks
            .iter()
            .map(|(id, deps)| ((*id).into(), Arc::new(task(id, deps))));
        ReadModel {
            tasks: tasks.collect(),
            ..ReadModel::default()
        }
    }

    fn drawn(graph: &DependencyGraph) -> Vec<String> {
        let row = |row: &DependencyRow| {
            let mark = if row.is_critical { "*" } else { "" };
            format!("{}{}{mark}", "  ".repeat(row.follows.len()), row.task)
        };
        graph.rows.iter().map(row).collect()
    }

    const TASKS: &[(&str, &[&str])] = &[
        ("a", &[]),
        ("b", &["a"]),
        ("c", &["a", "b"]),
        ("d", &["x"]),
        ("e", &["c"]),
        ("f", &["a"]),
        ("g", &[]),
    ];

    #[test]
    fn each_task_stands_once_below_its_last_dependency() {
        let graph = DependencyGraph::of(&model(TASKS));
        assert_eq!(drawn(&graph), ["a*", "  b*", "    c*", "      e*", "  f", "d"]);
        assert_eq!((graph.depth, graph.alone), (4, 1));
        let c = graph.rows.iter().find(|row| row.task.as_str() == "c");
        assert_eq!(c.map(|row| row.also.clone()), Some(vec!["a".into()]));
        assert_eq!(
            graph.rows.last().map(|row| row.also.clone()),
            Some(vec!["x".into()])
        );
    }

    #[test]
    fn what_is_over_is_no_part_of_the_longest_chain() {
        let mut model = model(TASKS);
        for done in ["a", "b"] {
            let task = model.tasks.get_mut(&done.into()).expect("task");
            Arc::make_mut(task).state = TaskState::Done;
        }
        let path: Vec<_> = DependencyGraph::of(&model).path;
        assert_eq!(path, ["c".into(), "e".into()]);
    }

    #[test]
    fn a_circle_is_skipped_and_ends_nothing() {
        let graph = DependencyGraph::of(&model(&[("a", &["b"]), ("b", &["a"])]));
        assert!(graph.rows.is_empty());
        assert_eq!(
            DependencyGraph::of(&ReadModel::default()),
            DependencyGraph::default()
        );
    }
}
