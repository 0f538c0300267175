//! What must hold between the tasks of a graph plan (G19 to G26, V1 to V11 of the format).

use std::collections::BTreeSet;

use super::commands::weakness;
use super::model::{GraphPlan, GraphStatus, GraphTask};
use super::{FileExists, GraphAgent};
use crate::domain::PathRules;
use crate::formats::json_findings::JsonFindings;
use crate::formats::json_object::JsonObject;

/// Tasks and the length of chains up to which a plan is easily overseen (G25, G26).
const ADVISED_TASKS: usize = 12;
const ADVISED_DEPTH: usize = 4;

/// Looks at all tasks together.
pub(super) fn check(
    plan: &GraphPlan,
    root: &JsonObject<'_>,
    found: &mut JsonFindings<'_>,
    exists: FileExists<'_>,
) {
    let places = places(root);
    let mut about = Places {
        places: &places,
        found,
    };
    let is_sound = dependencies(&plan.tasks, &mut about);
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
    overlaps(&plan.tasks, &before, &mut about);
    for (at, task) in plan.tasks.iter().enumerate() {
        if task.status == GraphStatus::Completed {
            continue;
        }
        files(plan, (at, task), &before, (&mut about, exists));
        weak_checks(at, &task.agent, &task.paths.create, &mut about);
    }
}

/// Where each task begins, in bytes.
fn places(root: &JsonObject<'_>) -> Vec<usize> {
    let entries = root.field("tasks").and_then(|tasks| tasks.entries());
    entries
        .unwrap_or_default()
        .iter()
        .map(|task| task.start)
        .collect()
}

/// Findings about tasks by their indices.
struct Places<'a, 'b> {
    places: &'a [usize],
    found: &'a mut JsonFindings<'b>,
}

impl Places<'_, '_> {
    fn at(&self, task: usize) -> usize {
        self.places.get(task).copied().unwrap_or_default()
    }

    fn error(&mut self, code: &'static str, task: usize, below: &str, text: &str) {
        self.found
            .error(code, self.at(task), &format!("$.tasks[{task}]{below}"), text);
    }

    fn warning(&mut self, code: &'static str, task: usize, below: &str, text: &str) {
        self.found
            .warning(code, self.at(task), &format!("$.tasks[{task}]{below}"), text);
    }
}

/// Whether everything that tasks wait for is there, and none waits for itself by any way (G22).
fn dependencies(tasks: &[GraphTask], about: &mut Places<'_, '_>) -> bool {
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
    let order = order(tasks);
    let rest: Vec<usize> = (0..tasks.len()).filter(|at| !order.contains(at)).collect();
    if let Some(first) = rest.first() {
        let names: Vec<String> = rest.iter().map(ToString::to_string).collect();
        let text = format!(
            "these tasks wait for each other, or for one that does, so none of them can begin: {}",
            names.join(", ")
        );
        about.error("CIRCULAR_DEPENDENCY", *first, ".blockedBy", &text);
    }
    rest.is_empty()
}

/// The tasks, each behind those it waits for; without those that wait for each other in a circle.
fn order(tasks: &[GraphTask]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut done: BTreeSet<usize> = BTreeSet::new();
    loop {
        let ready = |(at, task): &(usize, &GraphTask)| !done.contains(at) && task.needs.is_subset(&done);
        let next: Vec<usize> = tasks.iter().enumerate().filter(ready).map(|(at, _)| at).collect();
        if next.is_empty() {
            return order;
        }
        done.extend(&next);
        order.extend(next);
    }
}

/// How deep each task stands: 1 where it waits for none, else one more than the deepest of these (G30).
pub fn depths(tasks: &[GraphTask]) -> Vec<usize> {
    let mut depths = vec![1; tasks.len()];
    for at in order(tasks) {
        let needs = tasks.get(at).map(|task| &task.needs).into_iter().flatten();
        let deepest = needs.filter_map(|need| depths.get(*need)).max().copied();
        if let (Some(own), Some(deepest)) = (depths.get_mut(at), deepest) {
            *own = deepest + 1;
        }
    }
    depths
}

/// Everything that each task waits for, by any number of steps.
fn ancestors(tasks: &[GraphTask]) -> Vec<BTreeSet<usize>> {
    let mut before = vec![BTreeSet::new(); tasks.len()];
    for at in order(tasks) {
        let needs = tasks.get(at).map(|task| &task.needs).into_iter().flatten();
        let mut all = BTreeSet::new();
        for need in needs {
            all.insert(*need);
            all.extend(before.get(*need).into_iter().flatten().copied());
        }
        if let Some(own) = before.get_mut(at) {
            *own = all;
        }
    }
    before
}

/// Two tasks that may be worked on at the same time touch no path of each other (G20, G21).
fn overlaps(tasks: &[GraphTask], before: &[BTreeSet<usize>], about: &mut Places<'_, '_>) {
    let waits = |one: usize, other: usize| before.get(one).is_some_and(|all| all.contains(&other));
    for (at, task) in tasks.iter().enumerate() {
        for (other, earlier) in tasks.iter().enumerate().take(at) {
            let is_over = |task: &GraphTask| task.status == GraphStatus::Completed;
            if waits(at, other) || waits(other, at) || is_over(task) || is_over(earlier) {
                continue;
            }
            if let Some(path) = shared(task.paths.listed(), &earlier.paths) {
                let text = format!(
                    "task {other} makes or changes {path} too, and neither waits for the other; add one to \"blockedBy\""
                );
                about.error("WRITE_OVERLAP", at, ".metadata.files", &text);
                continue;
            }
            for (reader, writer) in [(at, other), (other, at)] {
                let (Some(reads), Some(writes)) = (tasks.get(reader), tasks.get(writer)) else {
                    continue;
                };
                let reads = reads.reads.iter().map(String::as_str);
                if let Some(path) = shared(reads, &writes.paths) {
                    let text = format!(
                        "task {writer} makes or changes {path}, which this one reads, and neither waits for the other; add one to \"blockedBy\""
                    );
                    about.error("READ_OVERLAP", reader, ".metadata.reads", &text);
                }
            }
        }
    }
}

/// The first of these paths that is, holds or lies in one that is made or changed.
fn shared<'a>(mut paths: impl Iterator<Item = &'a str>, rules: &PathRules) -> Option<&'a str> {
    paths.find(|path| {
        rules
            .listed()
            .any(|theirs| holds(path, theirs) || holds(theirs, path))
    })
}

/// Whether a path is another one, or a folder above it.
fn holds(folder: &str, path: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    let rest = path.trim_end_matches('/').strip_prefix(folder);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What is to be changed or read is there, or is made by a task before (V11).
fn files(
    plan: &GraphPlan,
    (at, task): (usize, &GraphTask),
    before: &[BTreeSet<usize>],
    (about, exists): (&mut Places<'_, '_>, FileExists<'_>),
) {
    let is_made = |path: &str| {
        let tasks = before
            .get(at)
            .into_iter()
            .flatten()
            .filter_map(|one| plan.tasks.get(*one));
        let mut made = tasks.flat_map(|task| task.paths.create.iter());
        made.any(|made| holds(made, path) || holds(path, made))
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

/// Commands that check nothing are named (LG-9).
fn weak_checks(at: usize, agent: &GraphAgent, made: &[String], about: &mut Places<'_, '_>) {
    for (index, criterion) in agent.criteria.iter().enumerate() {
        if let Some(why) = weakness(&criterion.check, made) {
            let text = format!("this check proves little: {why}");
            let below = format!(".agent.acceptanceCriteria[{index}].check");
            about.warning("WEAK_CHECK", at, &below, &text);
        }
    }
}
