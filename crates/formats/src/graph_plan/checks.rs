//! Conditions between the tasks of a graph plan (G19 to G26, V1 to V11 of the format).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use dbs_domain::WaitGraph;
use dbs_domain::wait_graph::reachable;

use super::commands::weakness;
use super::model::{GraphPlan, GraphStatus, GraphTask};
use super::{FileExists, GraphAgent};
use crate::json_object::JsonField;

/// Tasks and the length of chains up to which a plan is easily overseen (G25, G26).
const ADVISED_TASKS: usize = 12;
const ADVISED_DEPTH: usize = 4;

/// Checks all tasks together.
pub(super) fn check(plan: &GraphPlan, entries: Vec<JsonField<'_>>, exists: FileExists<'_>) {
    let about = TaskFields(entries);
    let is_sound = dependencies(&plan.tasks, &about);
    if plan.tasks.len() > ADVISED_TASKS {
        let text = format!(
            "these are {} tasks; above {ADVISED_TASKS} a plan is better cut into several",
            plan.tasks.len()
        );
        about.warning("MANY_TASKS", 0, "", &text);
    }
    if !is_sound {
        return;
    }
    let depths = depths(&plan.tasks);
    if let Some((at, depth)) = depths
        .iter()
        .enumerate()
        .find(|(_, depth)| **depth > ADVISED_DEPTH)
    {
        let text = format!(
            "this stands at the end of a chain of {depth} tasks; above {ADVISED_DEPTH} little is done at the same time"
        );
        about.warning("LONG_CHAIN", at, ".blockedBy", &text);
    }
    let before = ancestors(&plan.tasks);
    overlaps(&plan.tasks, &before, &about);
    let made = PathOwners::of(each(&plan.tasks, |task| {
        task.paths.create.iter().map(String::as_str).collect()
    }));
    for (at, task) in plan.tasks.iter().enumerate() {
        if task.status == GraphStatus::Completed {
            continue;
        }
        files(at, task, &made, &before, &about, exists);
        weak_checks(at, &task.agent, &task.paths.create, &about);
    }
}

/// Places of the tasks, by their indices.
struct TaskFields<'a>(Vec<JsonField<'a>>);

impl TaskFields<'_> {
    fn error(&self, code: &'static str, task: usize, below: &str, text: &str) {
        if let Some(field) = self.0.get(task) {
            field.below(below).error(code, text);
        }
    }

    fn warning(&self, code: &'static str, task: usize, below: &str, text: &str) {
        if let Some(field) = self.0.get(task) {
            field.below(below).warning(code, text);
        }
    }
}

/// Returns true if everything that tasks wait for exists, and none waits for itself in any way (G22).
fn dependencies(tasks: &[GraphTask], about: &TaskFields<'_>) -> bool {
    let mut is_sound = true;
    for (at, task) in tasks.iter().enumerate() {
        for need in &task.needs {
            let why = match need {
                need if *need == at => "a task cannot wait for itself".to_owned(),
                need if *need >= tasks.len() => {
                    format!("there is no task {need}; the last one is {}", tasks.len() - 1)
                }
                _ => continue,
            };
            about.error("MISSING_DEPENDENCY", at, ".blockedBy", &why);
            is_sound = false;
        }
    }
    if !is_sound {
        return false;
    }
    let graph = graph(tasks);
    let rest = graph.stuck();
    if let Some(first) = rest.first() {
        let names: Vec<String> = rest.iter().map(ToString::to_string).collect();
        let text = format!(
            "these tasks wait for each other, or for such tasks, so none of them can start: {}",
            names.join(", ")
        );
        about.error("CIRCULAR_DEPENDENCY", *first, ".blockedBy", &text);
    }
    rest.is_empty()
}

/// Returns the graph of the tasks by their indices.
fn graph(tasks: &[GraphTask]) -> WaitGraph<usize> {
    WaitGraph::new(tasks.iter().map(|task| task.needs.iter().copied()).enumerate())
}

/// Returns the depth of each task: 1 if it waits for none, else one more than the deepest of these (G30).
pub fn depths(tasks: &[GraphTask]) -> Vec<usize> {
    let depths = graph(tasks).longest(|_| 1);
    (0..tasks.len())
        .map(|at| depths.get(&at).copied().unwrap_or(1))
        .collect()
}

/// Returns everything that each task waits for, by any number of steps.
pub fn ancestors(tasks: &[GraphTask]) -> Vec<BTreeSet<usize>> {
    let needs = |at: usize| {
        tasks
            .get(at)
            .into_iter()
            .flat_map(|task| task.needs.iter().copied())
    };
    (0..tasks.len()).map(|at| reachable(needs(at), needs)).collect()
}

/// Checks that two tasks that may be worked on at the same time touch no path of each other (G20, G21). The board has those that write the
/// same path work one after another (G36).
fn overlaps(tasks: &[GraphTask], before: &[BTreeSet<usize>], about: &TaskFields<'_>) {
    let written = || each(tasks, |task| task.paths.listed().collect());
    let read = || each(tasks, |task| task.reads.iter().map(String::as_str).collect());
    let (by_written, by_read) = (PathOwners::of(written()), PathOwners::of(read()));
    let mut writes = by_written.meetings(written());
    for ((at, other), path) in writes.clone() {
        writes.entry((other, at)).or_insert(path);
    }
    let mut reads = by_written.meetings(read());
    for ((writer, reader), path) in by_read.meetings(written()) {
        reads.entry((reader, writer)).or_insert(path);
    }
    let waits = |one: usize, other: usize| before.get(one).is_some_and(|all| all.contains(&other));
    let is_over = |at: usize| {
        let task = tasks.get(at);
        task.is_none_or(|task| task.status == GraphStatus::Completed)
    };
    let is_together = |one: usize, other: usize| {
        !(waits(one, other) || waits(other, one) || is_over(one) || is_over(other))
    };
    for ((at, other), path) in &writes {
        if other < at && is_together(*at, *other) {
            let text = format!(
                "task {other} makes or changes {path} too, and neither waits for the other: they are worked on one after another; \
                 better add one to \"blockedBy\""
            );
            about.warning("WRITE_OVERLAP", *at, ".metadata.files", &text);
        }
    }
    for ((reader, writer), path) in &reads {
        let is_told = writes.contains_key(&(*reader, *writer));
        if !is_told && is_together(*reader, *writer) {
            let text = format!(
                "task {writer} makes or changes {path}, which this one reads, and neither waits for the other; add one to \"blockedBy\""
            );
            about.error("READ_OVERLAP", *reader, ".metadata.reads", &text);
        }
    }
}

/// Returns the paths of all tasks, each with the index of its task.
fn each<'a>(
    tasks: &'a [GraphTask],
    paths: impl Fn(&'a GraphTask) -> Vec<&'a str>,
) -> impl Iterator<Item = (usize, &'a str)> {
    let tasks = tasks.iter().enumerate();
    tasks.flat_map(move |(at, task)| paths(task).into_iter().map(move |path| (at, path)))
}

/// Tasks by the paths that they name. Work grows with the paths and their lengths, not with the square of their number.
struct PathOwners<'a>(BTreeMap<&'a str, BTreeSet<usize>>);

impl<'a> PathOwners<'a> {
    fn of(paths: impl Iterator<Item = (usize, &'a str)>) -> PathOwners<'a> {
        let mut owners: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (at, path) in paths {
            owners.entry(path.trim_end_matches('/')).or_default().insert(at);
        }
        PathOwners(owners)
    }

    /// Returns the tasks that name the path or a folder above it.
    fn at_or_above(&self, path: &str) -> impl Iterator<Item = usize> {
        let path = path.trim_end_matches('/');
        let above = path.match_indices('/').map(|(end, _)| end);
        let ends = above.chain(std::iter::once(path.len()));
        let names = ends.filter_map(move |end| self.0.get(path.get(..end)?));
        names.flatten().copied()
    }

    /// Returns the tasks that name something below the path.
    fn below(&self, path: &str) -> impl Iterator<Item = usize> {
        let folder = format!("{}/", path.trim_end_matches('/'));
        let from = self
            .0
            .range::<str, _>((Bound::Excluded(folder.as_str()), Bound::Unbounded));
        let inside = from.take_while(move |(name, _)| name.starts_with(&folder));
        inside.flat_map(|(_, owners)| owners).copied()
    }

    /// Returns pairs of a task of `paths` and another one that names the same path or a folder above it, each with the first such path.
    fn meetings<'b>(
        &self,
        paths: impl Iterator<Item = (usize, &'b str)>,
    ) -> BTreeMap<(usize, usize), &'b str> {
        let mut found = BTreeMap::new();
        for (at, path) in paths {
            for other in self.at_or_above(path).filter(|other| *other != at) {
                found.entry((at, other)).or_insert(path);
            }
        }
        found
    }
}

/// Checks that every file to be changed or read exists, or is made by a task before (V11).
fn files(
    at: usize,
    task: &GraphTask,
    made: &PathOwners<'_>,
    before: &[BTreeSet<usize>],
    about: &TaskFields<'_>,
    exists: FileExists<'_>,
) {
    let is_before = |owner: &usize| before.get(at).is_some_and(|all| all.contains(owner));
    let is_made = |path: &str| {
        made.at_or_above(path)
            .chain(made.below(path))
            .any(|owner| is_before(&owner))
    };
    let is_missing = |path: &&str| !exists(path) && !is_made(path);
    for path in task.paths.modify.iter().map(String::as_str).filter(is_missing) {
        let text = format!("{path} is to be changed, but it is not there and no task before makes it");
        about.warning("MISSING_FILE", at, ".metadata.files.modify", &text);
    }
    let context = task.agent.context_files.iter().map(|file| file.path.as_str());
    for path in context.filter(is_missing) {
        let text = format!("{path} is to be read, but it is not there and no task before makes it");
        about.warning("MISSING_FILE", at, ".agent.contextFiles", &text);
    }
}

/// Reports commands that check nothing (LG-9).
fn weak_checks(at: usize, agent: &GraphAgent, made: &[String], about: &TaskFields<'_>) {
    for (index, criterion) in agent.criteria.iter().enumerate() {
        if let Some(why) = weakness(&criterion.check, made) {
            let text = format!("this check proves little: {why}");
            let below = format!(".agent.acceptanceCriteria[{index}].check");
            about.warning("WEAK_CHECK", at, &below, &text);
        }
    }
}
