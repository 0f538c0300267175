//! Writer of the known progress of the tasks of a graph plan into its file: status, result and attempts of each, and the list of the
//! completed ones (G48). Every other byte stays as it is: unknown fields, and the order of all.

use std::ops::Range;

use serde_json::{Value, json};

use super::model::GraphStatus;
use crate::json_place::{self, JsonContent, JsonPlace};
use crate::text_edit::edited;

/// Known progress of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphProgress {
    pub status: GraphStatus,
    pub result: Option<String>,
    pub attempts: u32,
}

/// Returns the text of a plan with the known progress of its tasks, by their indices. A text that is not a plan stays as it is, and so do
/// the fields of a task of which nothing is known.
pub fn with_progress(text: &str, known: &dyn Fn(usize) -> Option<GraphProgress>) -> String {
    let Ok(root) = json_place::parse(text) else {
        return text.to_owned();
    };
    let tasks = root
        .member("tasks")
        .and_then(JsonPlace::entries)
        .unwrap_or_default();
    let told: Vec<(usize, &JsonPlace, GraphProgress)> = tasks
        .iter()
        .enumerate()
        .filter_map(|(at, task)| Some((at, task, known(at)?)))
        .collect();
    let mut edits = Vec::new();
    for (_, task, progress) in &told {
        let members = [
            ("status", json!(<&str>::from(progress.status))),
            ("result", json!(progress.result)),
            ("attempts", json!(progress.attempts)),
        ];
        edits.extend(set(task, &members));
    }
    let completed = completed(&root, &told);
    edits.extend(match root.member("progress") {
        Some(progress) => set(progress, &[("completedTasks", completed)]),
        None => set(&root, &[("progress", json!({ "completedTasks": completed }))]),
    });
    edited(text, edits.into_iter())
}

/// Returns the list of completed tasks, and keeps the plan's own entries for tasks of which nothing else is known.
fn completed(root: &JsonPlace, told: &[(usize, &JsonPlace, GraphProgress)]) -> Value {
    let before = root
        .member("progress")
        .and_then(|progress| progress.member("completedTasks"));
    let before = before.and_then(JsonPlace::entries).unwrap_or_default().iter();
    let is_told = |index: Option<usize>| told.iter().any(|(at, ..)| Some(*at) == index);
    let kept = before.filter_map(|entry| {
        let index = match entry.member("index").map(|index| &index.content) {
            Some(JsonContent::Number(index)) => index.as_u64().and_then(|index| usize::try_from(index).ok()),
            _ => None,
        };
        (!is_told(index)).then(|| (index, entry.plain()))
    });
    let done = told
        .iter()
        .filter(|(.., progress)| progress.status == GraphStatus::Completed);
    let done = done.map(|(at, task, progress)| {
        let subject = task
            .member("subject")
            .and_then(JsonPlace::text)
            .unwrap_or_default();
        let summary = match &progress.result {
            Some(result) => format!("{subject}: {result}"),
            None => subject.to_owned(),
        };
        (Some(*at), json!({ "index": at, "summary": summary }))
    });
    let mut all: Vec<(Option<usize>, Value)> = kept.chain(done).collect();
    all.sort_by_key(|(index, _)| index.unwrap_or(usize::MAX));
    all.into_iter().map(|(_, entry)| entry).collect()
}

/// Returns edits that give members of an object these values; members it lacks are put first.
fn set(object: &JsonPlace, members: &[(&str, Value)]) -> Vec<(Range<usize>, String)> {
    let Some(own) = object.members() else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    let mut missing = Vec::new();
    for (key, value) in members {
        match object.member(key) {
            Some(old) if old.plain() == *value => {}
            Some(old) => edits.push((old.start..old.end, value.to_string())),
            None => missing.push(format!("\"{key}\": {value}")),
        }
    }
    if !missing.is_empty() {
        let end = if own.is_empty() { "" } else { ", " };
        let first = object.start + 1;
        edits.push((first..first, format!("{}{end}", missing.join(", "))));
    }
    edits
}
