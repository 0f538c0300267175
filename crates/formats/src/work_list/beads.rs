//! Issues of beads: `.beads/issues.jsonl`, an object on each line.

use std::collections::BTreeMap;

use dbs_domain::task::TaskKind;

use super::json_lines;
use super::shape_findings::ShapeFindings;
use super::{MOST_NAMES, WorkItem, names_in, sections, tag, text_of};
use crate::json_place::JsonPlace;

/// Kinds of dependencies that have to be over before an issue can begin; the others only tell of a relation.
const BLOCKS: [&str; 3] = ["blocks", "waits-for", "conditional-blocks"];
const OPEN: [&str; 7] = [
    "open",
    "in_progress",
    "blocked",
    "deferred",
    "hooked",
    "pinned",
    "review",
];
/// Maximum number of comments that are read.
const MOST_COMMENTS: usize = 20;

pub(super) fn read(text: &str, found: &mut ShapeFindings<'_>) -> Vec<WorkItem> {
    let mut items = Vec::new();
    let mut epics: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in json_lines::lines(text) {
        let Some(issue) = &line.value else {
            found.error(
                "BAD_LINE",
                line.line,
                "this is not a JSON object, as every issue of beads must be",
            );
            continue;
        };
        let kind = text_of(issue, "_type");
        if !kind.is_empty() && kind != "issue" {
            found.warning(
                "OTHER_RECORD",
                line.line,
                format!("this is a {}, no issue: it is left out", tag(&kind)),
            );
            continue;
        }
        let status = text_of(issue, "status");
        if status == "tombstone" {
            continue;
        }
        if !OPEN.contains(&status.as_str()) && !is_closed(issue) {
            found.warning(
                "UNKNOWN_STATUS",
                line.line,
                "this status is not known: the issue is taken as open",
            );
        }
        let Some(item) = item(issue, line.line) else {
            found.error("NO_NAME", line.line, "this issue has no id or no title");
            continue;
        };
        for parent in of_kind(issue, &["parent-child"]) {
            epics.entry(parent).or_default().push(item.id.clone());
        }
        if text_of(issue, "issue_type") == "epic" {
            if !item.is_done {
                found.warning("EPIC", line.line, "an epic does not become a task: its issues do, and tasks that wait for the epic wait for them");
            }
            epics.entry(item.id).or_default();
            continue;
        }
        items.push(item);
    }
    let own: Vec<String> = items.iter().map(|item| item.id.clone()).collect();
    for item in &mut items {
        let needs = std::mem::take(&mut item.needs);
        item.needs = needs
            .into_iter()
            .flat_map(|need| match epics.get(&need) {
                Some(children) if !own.contains(&need) => children.clone(),
                _ => vec![need],
            })
            .collect();
    }
    items
}

/// Returns true if an issue is over.
pub(super) fn is_closed(issue: &JsonPlace) -> bool {
    matches!(text_of(issue, "status").as_str(), "closed" | "tombstone")
}

fn item(issue: &JsonPlace, line: usize) -> Option<WorkItem> {
    let text = |key: &str| text_of(issue, key);
    let priority = text("priority").parse::<u8>().unwrap_or(2).min(4);
    let comments = comments(issue);
    Some(WorkItem {
        body: sections(&[
            ("", &text("description")),
            ("Design", &text("design")),
            ("Acceptance criteria", &text("acceptance_criteria")),
            ("Notes", &text("notes")),
            ("Comments", &comments),
        ]),
        needs: of_kind(issue, &BLOCKS),
        tags: names_in(issue, "labels", "name")
            .iter()
            .map(|name| tag(name))
            .collect(),
        priority,
        kind: match text("issue_type").as_str() {
            "bug" => TaskKind::Bug,
            "feature" | "story" => TaskKind::Feature,
            "chore" => TaskKind::Chore,
            _ => TaskKind::Task,
        },
        is_done: is_closed(issue),
        ..WorkItem::new(&text("id"), &text("title"), line)?
    })
}

/// Returns the ids that an issue depends on in one of these ways; the older form has ids alone, which block.
fn of_kind(issue: &JsonPlace, kinds: &[&str]) -> Vec<String> {
    let entries = issue
        .member("dependencies")
        .and_then(JsonPlace::entries)
        .unwrap_or_default();
    let blocks = kinds.contains(&"blocks");
    let needs = entries.iter().filter_map(|entry| {
        if let Some(id) = entry.text() {
            return blocks.then(|| id.to_owned());
        }
        let kind = text_of(entry, "type");
        let is_meant = kinds.contains(&kind.as_str()) || (kind.is_empty() && blocks);
        is_meant.then(|| text_of(entry, "depends_on_id"))
    });
    needs.filter(|id| !id.is_empty()).take(MOST_NAMES).collect()
}

fn comments(issue: &JsonPlace) -> String {
    let comments = issue
        .member("comments")
        .and_then(JsonPlace::entries)
        .unwrap_or_default();
    let comments = comments.iter().take(MOST_COMMENTS);
    let lines =
        comments.map(|comment| format!("- {}: {}", text_of(comment, "author"), text_of(comment, "text")));
    lines.collect::<Vec<_>>().join("\n")
}
