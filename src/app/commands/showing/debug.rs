//! `dbs debug`: how many tasks are in each state and stage, and what lies in the state folder (K75). For reports of defects;
//! changes nothing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::app::args::Json;
use crate::app::commands::Outcome;
use crate::app::door::Door;
use crate::app::edge::Edge;
use crate::app::out;
use crate::app::snapshot::Snapshot;
use crate::domain::Task;

/// So many tasks of a group are named.
const NAMED: usize = 3;

/// Tasks that have something in common.
#[derive(Debug, Default, Serialize)]
struct Group {
    count: usize,
    first: Vec<String>,
}

/// One entry of the state folder.
#[derive(Debug, Serialize)]
struct Entry {
    name: String,
    /// Bytes of a file; none of a folder.
    bytes: Option<u64>,
    /// Entries of a folder; none of a file.
    entries: Option<usize>,
}

/// Prints the groups and the folder.
pub(in crate::app::commands) fn debug(edge: &Edge, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let board = door.snapshot()?;
    let states = groups(&board, |task| task.state.word().to_owned());
    let places = groups(&board, |task| task.stage.to_string());
    let folder = door.place.debussy.clone();
    let entries =
        listing(&folder).map_err(|error| format!("could not list {}: {error}", folder.display()))?;
    if json.json {
        out::json(&serde_json::json!({
            "states": states, "stages": places, "folder": folder, "entries": entries,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    print("state", &states);
    print("stage", &places);
    out::line(&folder.display().to_string());
    for entry in entries {
        let size = match (entry.bytes, entry.entries) {
            (Some(bytes), _) => format!("{bytes} bytes"),
            (None, Some(count)) => format!("{count} entries"),
            (None, None) => String::new(),
        };
        out::line(&format!("  {:<24} {size}", entry.name));
    }
    Ok(ExitCode::SUCCESS)
}

fn groups(board: &Snapshot, key: impl Fn(&Task) -> String) -> BTreeMap<String, Group> {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for task in board.tasks.values() {
        let group = groups.entry(key(task)).or_default();
        group.count += 1;
        if group.first.len() < NAMED {
            group.first.push(task.id.to_string());
        }
    }
    groups
}

fn print(what: &str, groups: &BTreeMap<String, Group>) {
    for (name, group) in groups {
        let more = if group.count > group.first.len() {
            ", …"
        } else {
            ""
        };
        out::line(&format!(
            "{what} {name:<16} {:>5}  {}{more}",
            group.count,
            group.first.join(", ")
        ));
    }
}

fn listing(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        let within = || std::fs::read_dir(entry.path()).map(Iterator::count);
        found.push(Entry {
            name: entry.file_name().to_string_lossy().into_owned(),
            bytes: facts.is_file().then_some(facts.len()),
            entries: if facts.is_dir() { within().ok() } else { None },
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}
