//! Tasks of task-master: `tasks.json`, with a list of tasks, or one for each tag. A task with subtasks is done by doing those.

use super::shape_findings::ShapeFindings;
use super::{WorkItem, as_text, json_of, names_in, sections, tag, text_of};
use crate::json_place::JsonPlace;

/// Tag whose tasks are named without it.
const MAIN_TAG: &str = "master";

/// Task or subtask with its name in the whole file.
pub(super) struct Entry<'a> {
    pub(super) id: String,
    pub(super) task: &'a JsonPlace,
    pub(super) parent: Option<(String, &'a JsonPlace)>,
    /// Prefix of the names of its list.
    prefix: String,
    tag: Option<&'a str>,
}

pub(super) fn read(text: &str, found: &mut ShapeFindings<'_>) -> Vec<WorkItem> {
    let Some((root, lines)) = json_of(text, found) else {
        return Vec::new();
    };
    let entries = entries(&root);
    let mut items = Vec::new();
    for entry in entries.iter().filter(|entry| !has_subtasks(entry.task)) {
        let line = lines.line_of(entry.task.start);
        match item(entry, line) {
            Some(mut item) => {
                item.needs = item
                    .needs
                    .iter()
                    .flat_map(|need| leaves(need, &entries))
                    .collect();
                items.push(item);
            }
            None => found.error("NO_NAME", line, "this task has no id or no title"),
        }
    }
    items
}

/// Returns true if a document is such a file: its tasks have titles, in one list or in one for each tag.
pub(super) fn is_whole(root: &JsonPlace) -> bool {
    let is_list = |value: &JsonPlace| {
        let tasks = value.member("tasks").and_then(JsonPlace::entries);
        tasks.is_some_and(|tasks| tasks.first().is_none_or(|task| task.member("title").is_some()))
    };
    let members = root.members().unwrap_or_default();
    is_list(root) || (!members.is_empty() && members.iter().all(|(_, value)| is_list(value)))
}

/// Returns all tasks and subtasks of a file.
pub(super) fn entries(root: &JsonPlace) -> Vec<Entry<'_>> {
    let untagged = root.member("tasks").map(|list| (None, list));
    let members = root
        .members()
        .filter(|_| untagged.is_none())
        .unwrap_or_default()
        .iter();
    let tagged = members.filter_map(|(tag, value)| Some((Some(tag.as_str()), value.member("tasks")?)));
    let lists = untagged.into_iter().chain(tagged);
    let mut entries = Vec::new();
    for (tag, list) in lists {
        let prefix = tag
            .filter(|tag| *tag != MAIN_TAG)
            .map_or_else(String::new, |tag| format!("{tag}/"));
        for task in list.entries().unwrap_or_default() {
            let id = format!("{prefix}{}", text_of(task, "id"));
            let of = |id, task, parent| Entry {
                id,
                task,
                parent,
                prefix: prefix.clone(),
                tag,
            };
            entries.push(of(id.clone(), task, None));
            for subtask in task
                .member("subtasks")
                .and_then(JsonPlace::entries)
                .unwrap_or_default()
            {
                let own = format!("{id}.{}", text_of(subtask, "id"));
                entries.push(of(own, subtask, Some((id.clone(), task))));
            }
        }
    }
    entries
}

/// Returns true if a task or subtask is over.
pub(super) fn is_over(task: &JsonPlace) -> bool {
    matches!(
        text_of(task, "status").as_str(),
        "done" | "completed" | "cancelled"
    )
}

pub(super) fn has_subtasks(task: &JsonPlace) -> bool {
    let subtasks = task.member("subtasks").and_then(JsonPlace::entries);
    subtasks.is_some_and(|subtasks| !subtasks.is_empty())
}

/// Returns the items that stand for a name: of a task with subtasks all of those.
fn leaves(id: &str, entries: &[Entry<'_>]) -> Vec<String> {
    let children = entries
        .iter()
        .filter(|entry| entry.parent.as_ref().is_some_and(|(parent, _)| parent == id));
    let children: Vec<String> = children.map(|entry| entry.id.clone()).collect();
    if children.is_empty() {
        vec![id.to_owned()]
    } else {
        children
    }
}

fn item(entry: &Entry<'_>, line: usize) -> Option<WorkItem> {
    let text = |key: &str| text_of(entry.task, key);
    if text("id").is_empty() {
        return None;
    }
    let parent = entry.parent.as_ref().map(|(_, parent)| *parent);
    let of_parent = parent.map(|parent| {
        sections(&[
            ("", &text_of(parent, "title")),
            ("", &text_of(parent, "description")),
        ])
    });
    let own = names_in(entry.task, "dependencies", "id");
    // A subtask names its siblings by their own numbers, and others by the whole name.
    let own = own.into_iter().map(|need| match &entry.parent {
        Some((parent, _)) if !need.contains('.') => format!("{parent}.{need}"),
        _ => format!("{}{need}", entry.prefix),
    });
    let inherited = parent
        .map(|parent| names_in(parent, "dependencies", "id"))
        .unwrap_or_default();
    let inherited = inherited
        .into_iter()
        .map(|need| format!("{}{need}", entry.prefix));
    let priority = entry
        .task
        .member("priority")
        .or_else(|| parent?.member("priority"))
        .map(as_text);
    Some(WorkItem {
        body: sections(&[
            ("", &text("description")),
            ("Details", &text("details")),
            ("How it is tested", &text("testStrategy")),
            ("Part of", &of_parent.unwrap_or_default()),
        ]),
        needs: own.chain(inherited).collect(),
        tags: entry.tag.map(tag).into_iter().collect(),
        priority: match priority.as_deref() {
            Some("critical") => 0,
            Some("high") => 1,
            Some("low") => 3,
            _ => 2,
        },
        is_done: is_over(entry.task) || parent.is_some_and(is_over),
        ..WorkItem::new(&entry.id, &text("title"), line)?
    })
}
