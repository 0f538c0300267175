//! Items of a list that are closed in it; every other byte stays as it is.

use std::collections::BTreeSet;
use std::ops::Range;

use dbs_domain::WorkSource;

use super::{beads, checklist, item_name, json_lines, stories, task_master};
use crate::json_place::{self, JsonContent, JsonPlace};
use crate::text_edit::edited;

/// A part of a text, and what stands there instead.
type Edit = (Range<usize>, String);

/// Returns the text with these items closed. `at` is the time for lists that have one, as RFC 3339. An item that is closed already, or no
/// longer there, changes nothing; nothing is ever opened.
pub fn with_done(source: WorkSource, text: &str, done: &BTreeSet<&str>, at: &str) -> String {
    let body = text.trim_start_matches('\u{feff}');
    let mark = text.len() - body.len();
    let edits = match source {
        WorkSource::Beads => of_beads(body, done, at),
        WorkSource::TaskMaster => of_task_master(body, done),
        WorkSource::Stories => of_stories(body, done),
        WorkSource::Checklist => of_checklist(body, done),
        WorkSource::Github | WorkSource::Gitlab => Vec::new(),
    };
    let edits = edits
        .into_iter()
        .map(|(part, new)| (part.start + mark..part.end + mark, new));
    edited(text, edits)
}

fn of_beads(text: &str, done: &BTreeSet<&str>, at: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for line in json_lines::lines(text) {
        let Some(issue) = &line.value else { continue };
        let id = issue.member("id").and_then(JsonPlace::text).unwrap_or_default();
        if !done.contains(item_name(id).as_str()) || beads::is_closed(issue) {
            continue;
        }
        let time = format!("\"{at}\"");
        let fields = [
            ("status", "\"closed\""),
            ("updated_at", &time),
            ("closed_at", &time),
        ];
        let mut added = String::new();
        for (key, value) in fields {
            match issue.member(key) {
                Some(field) => edits.push((line.at + field.start..line.at + field.end, value.to_owned())),
                None => added.extend([",\"", key, "\":", value]),
            }
        }
        if !added.is_empty() {
            let end = line.at + issue.end - 1;
            edits.push((end..end, added));
        }
    }
    edits
}

fn of_task_master(text: &str, done: &BTreeSet<&str>) -> Vec<Edit> {
    let Ok(root) = json_place::parse(text) else {
        return Vec::new();
    };
    let entries = task_master::entries(&root);
    let is_done = |entry: &task_master::Entry<'_>| {
        done.contains(item_name(&entry.id).as_str()) && !task_master::has_subtasks(entry.task)
    };
    // A task is done with the last of its subtasks, and stays open if it is opened again.
    let ends = |at: usize| {
        let behind = entries.get(at + 1..).unwrap_or_default().iter();
        let children = behind.take_while(|child| child.parent.is_some());
        children.clone().any(is_done)
            && children
                .clone()
                .all(|child| is_done(child) || task_master::is_over(child.task))
    };
    let closed = entries.iter().enumerate();
    let closed = closed.filter(|(at, entry)| is_done(entry) || (entry.parent.is_none() && ends(*at)));
    let open = closed
        .map(|(_, entry)| entry)
        .filter(|entry| !task_master::is_over(entry.task));
    let status = open.filter_map(|entry| entry.task.member("status"));
    status
        .map(|field| (field.start..field.end, "\"done\"".to_owned()))
        .collect()
}

fn of_stories(text: &str, done: &BTreeSet<&str>) -> Vec<Edit> {
    let Ok(root) = json_place::parse(text) else {
        return Vec::new();
    };
    let list = stories::list(&root).unwrap_or_default().iter();
    let closed = list.filter(|story| done.contains(item_name(&stories::name(story)).as_str()));
    let fields = closed.filter_map(|story| stories::DONE.iter().find_map(|key| story.member(key)));
    let open = fields.filter(|field| matches!(field.content, JsonContent::Switch(false)));
    open.map(|field| (field.start..field.end, "true".to_owned()))
        .collect()
}

fn of_checklist(text: &str, done: &BTreeSet<&str>) -> Vec<Edit> {
    let items = checklist::items(text).into_iter();
    let closed = items.filter(|item| done.contains(item.id.as_str()));
    let boxes = closed.flat_map(|item| item.all);
    let open = boxes.filter(|one| text.get(one.at.clone()) == Some("[ ]"));
    open.map(|one| (one.at, "[x]".to_owned())).collect()
}
