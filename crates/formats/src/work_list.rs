//! Lists of work that people keep with other tools: issues of beads, tasks of task-master, lists of stories, checklists, issues of a forge.
//! Their items are read as tasks to be made, and a done one is closed there; nothing in them is run or followed.

mod beads;
mod checklist;
mod forge;
mod json_lines;
mod shape;
mod shape_findings;
mod stories;
mod task_master;
mod write_back;

use std::path::Path;
use std::sync::Arc;

use dbs_domain::WorkSource;
use dbs_domain::cut::{cut_bytes, cut_chars};
use dbs_domain::task::TaskKind;

pub use forge::address_of;
pub use shape::{TextShape, shape_of};
pub use write_back::with_done;

use crate::finding::{Finding, LineStarts};
use crate::json_place::{self, JsonPlace};
use crate::prompt::is_hidden;
use shape_findings::ShapeFindings;

/// Maximum number of items of a list: all of them go to the board in one turn.
const MOST_ITEMS: usize = 5_000;
/// Maximum lengths of a title, a name and a tag in characters, and of a text in bytes.
const MOST_TITLE: usize = 200;
const MOST_NAME: usize = 200;
const MOST_TAG: usize = 48;
const MOST_BODY: usize = 128 * 1024;
/// Maximum number of names of one kind in an item.
const MOST_NAMES: usize = 60;

/// A list of work as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkList {
    pub source: WorkSource,
    pub items: Vec<WorkItem>,
    /// Findings, one for each shape that was not understood.
    pub findings: Vec<Finding>,
}

/// Item of a list. Its texts are cut to what a task may hold, and have no invisible characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    /// Name in its list; the same at each reading.
    pub id: String,
    pub title: String,
    pub body: String,
    /// Names of the items it waits for.
    pub needs: Vec<String>,
    pub tags: Vec<String>,
    /// Urgency from 0 to 4.
    pub priority: u8,
    pub kind: TaskKind,
    pub is_done: bool,
    /// Items of the same name. The number in this item's name is valid only while their texts are unchanged. `None` if the name is unique.
    pub alike: Option<Arc<AlikeItems>>,
    /// Line at which it begins, from 1.
    pub line: usize,
}

/// Items of a list that have the same name, and are told apart by numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlikeItems {
    pub name: String,
    /// Texts of all of them.
    pub texts: String,
}

impl WorkItem {
    /// Builds an item of middle urgency; `None` if it has no name or no title.
    fn new(id: &str, title: &str, line: usize) -> Option<WorkItem> {
        let (id, title) = (item_name(id), one_line(title, MOST_TITLE));
        (!id.is_empty() && !title.is_empty()).then_some(WorkItem {
            id,
            title,
            body: String::new(),
            needs: Vec::new(),
            tags: Vec::new(),
            priority: 2,
            kind: TaskKind::Task,
            is_done: false,
            alike: None,
            line,
        })
    }
}

/// Reads a list of that kind.
pub fn read(source: WorkSource, file: &Path, text: &str) -> WorkList {
    let mut found = ShapeFindings::about(file);
    let mut items = items_of(source, text, &mut found);
    if items.len() > MOST_ITEMS {
        let text = format!(
            "the list has {} items, and {MOST_ITEMS} are the most: split it",
            items.len()
        );
        found.error("TOO_MANY", 0, text);
        items.clear();
    }
    for item in &mut items {
        // A stage is no tag on the board.
        item.tags
            .retain(|tag| !tag.is_empty() && !tag.starts_with("stage:"));
        item.tags.truncate(MOST_NAMES);
    }
    drop_unknown_needs(&mut items, &mut found);
    let findings = found.finish();
    WorkList {
        source,
        items,
        findings,
    }
}

/// Returns the items of a list of that kind as they are there now, whatever else is in it.
pub fn items(source: WorkSource, text: &str) -> Vec<WorkItem> {
    items_of(source, text, &mut ShapeFindings::about(Path::new("")))
}

fn items_of(source: WorkSource, text: &str, found: &mut ShapeFindings<'_>) -> Vec<WorkItem> {
    let body = text.trim_start_matches('\u{feff}');
    match source {
        WorkSource::Beads => beads::read(body, found),
        WorkSource::TaskMaster => task_master::read(body, found),
        WorkSource::Stories => stories::read(body, found),
        WorkSource::Checklist => checklist::read(body),
        WorkSource::Github | WorkSource::Gitlab => forge::read(body, found),
    }
}

/// Removes what items wait for that is not in the list; that is said once.
fn drop_unknown_needs(items: &mut [WorkItem], found: &mut ShapeFindings<'_>) {
    let known: std::collections::BTreeSet<String> = items.iter().map(|item| item.id.clone()).collect();
    for item in items {
        let (id, line) = (item.id.clone(), item.line);
        item.needs.retain(|need| *need != id);
        item.needs.dedup();
        if let Some(need) = item.needs.iter().find(|need| !known.contains(*need)) {
            let text = format!("{id} waits for {need}, which is not in the list: it begins without it");
            found.warning("UNKNOWN_DEPENDENCY", line, text);
            item.needs.retain(|need| known.contains(need));
        }
    }
}

/// Reads a text as JSON, with the starts of its lines; a fault in it becomes a finding.
fn json_of(text: &str, found: &mut ShapeFindings<'_>) -> Option<(JsonPlace, LineStarts)> {
    let lines = LineStarts::of(text);
    match json_place::parse(text) {
        Ok(root) => Some((root, lines)),
        Err(fault) => {
            let why = format!("this cannot be read as JSON: {}", fault.text);
            found.error("BAD_JSON", lines.line_of(fault.at), why);
            None
        }
    }
}

/// Returns a name in a list as that of an item.
fn item_name(text: &str) -> String {
    one_line(text, MOST_NAME)
}

/// Returns a text as one line without invisible characters.
fn one_line(text: &str, most: usize) -> String {
    let seen: String = text
        .chars()
        .filter(|c| c.is_whitespace() || !is_hidden(*c))
        .collect();
    let words: Vec<&str> = seen.split_whitespace().collect();
    cut_chars(&words.join(" "), most).to_owned()
}

/// Returns a text without invisible characters, cut to the length that a task may have.
fn whole_text(text: &str) -> String {
    let seen: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    cut_bytes(seen.trim(), MOST_BODY).to_owned()
}

/// Returns a label as a tag of a task: one word.
fn tag(text: &str) -> String {
    one_line(text, MOST_TAG).replace([' ', ','], "-")
}

/// Returns texts below their headings; empty ones are left out.
fn sections(parts: &[(&str, &str)]) -> String {
    let mut whole = String::new();
    for (heading, text) in parts {
        let text = whole_text(text);
        if text.is_empty() {
            continue;
        }
        if !whole.is_empty() {
            whole.push_str("\n\n");
        }
        if !heading.is_empty() {
            whole.extend([heading, ":\n"]);
        }
        whole.push_str(&text);
    }
    cut_bytes(&whole, MOST_BODY).to_owned()
}

/// Returns the text of a field; a number as its digits, a list as its lines, empty for anything else.
fn text_of(object: &JsonPlace, key: &str) -> String {
    object.member(key).map(as_text).unwrap_or_default()
}

fn as_text(value: &JsonPlace) -> String {
    use crate::json_place::JsonContent;
    match &value.content {
        JsonContent::Text(text) => text.clone(),
        JsonContent::Number(number) => number.to_string(),
        JsonContent::List(entries) => {
            let lines = entries.iter().map(as_text).filter(|line| !line.is_empty());
            let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
            lines.join("\n")
        }
        JsonContent::Null | JsonContent::Switch(_) | JsonContent::Object(_) => String::new(),
    }
}

/// Returns the names in a list, which are texts, numbers, or objects with that field.
fn names_in(object: &JsonPlace, key: &str, field: &str) -> Vec<String> {
    let entries = object
        .member(key)
        .and_then(JsonPlace::entries)
        .unwrap_or_default();
    let names = entries.iter().map(|entry| match entry.member(field) {
        Some(name) => as_text(name),
        None => as_text(entry),
    });
    names
        .filter(|name| !name.trim().is_empty())
        .take(MOST_NAMES)
        .collect()
}

fn is_true(object: &JsonPlace, key: &str) -> bool {
    use crate::json_place::JsonContent;
    matches!(
        object.member(key).map(|value| &value.content),
        Some(JsonContent::Switch(true))
    )
}
