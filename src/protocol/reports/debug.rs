//! Number of tasks in each state and stage, and the contents of the state folder (K75). For reports of defects.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::domain::Task;
use crate::protocol::query::{OutputFormat, QueryError, StateFolder};
use crate::protocol::reports::in_format;
use crate::read_model::ReadModel;

/// Number of tasks that are named in each group.
const NAMED: usize = 3;

/// Number and first ids of tasks with the same state or stage.
#[derive(Debug, Default, Serialize)]
struct TaskGroup {
    count: usize,
    first: Vec<String>,
}

pub(in crate::protocol) fn report(
    model: &ReadModel,
    folder: &StateFolder,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let states = groups(model, |task| task.state.word().to_owned());
    let places = groups(model, |task| task.stage.to_string());
    let data = || {
        serde_json::json!({
            "states": states, "stages": places, "folder": folder.path, "entries": folder.entries,
        })
    };
    in_format(format, data, || lines(&states, &places, folder))
}

type TaskGroups = BTreeMap<String, TaskGroup>;

fn lines(states: &TaskGroups, places: &TaskGroups, folder: &StateFolder) -> Vec<String> {
    let groups = states.iter().map(|(name, group)| line("state", name, group));
    let mut lines: Vec<String> = groups.collect();
    lines.extend(places.iter().map(|(name, group)| line("stage", name, group)));
    lines.push(folder.path.clone());
    lines.extend(folder.entries.iter().map(|entry| {
        let size = match (entry.bytes, entry.entries) {
            (Some(bytes), _) => format!("{bytes} bytes"),
            (None, Some(count)) => format!("{count} entries"),
            (None, None) => String::new(),
        };
        format!("  {:<24} {size}", entry.name)
    }));
    lines
}

fn groups(model: &ReadModel, key: impl Fn(&Task) -> String) -> TaskGroups {
    let mut groups = TaskGroups::new();
    for task in model.tasks.values() {
        let group = groups.entry(key(task)).or_default();
        group.count += 1;
        if group.first.len() < NAMED {
            group.first.push(task.id.to_string());
        }
    }
    groups
}

fn line(what: &str, name: &str, group: &TaskGroup) -> String {
    let more = if group.count > group.first.len() {
        ", …"
    } else {
        ""
    };
    format!(
        "{what} {name:<16} {:>5}  {}{more}",
        group.count,
        group.first.join(", ")
    )
}
