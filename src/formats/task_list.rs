//! Task lists: JSON objects one after another, usually one a line, or a JSON list of them. Every problem is named with its line; a
//! file with one is refused as a whole. Does not know the board the tasks are for.

mod topological;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::diagnostic::{Diagnostic, DiagnosticLevel};
use crate::domain::task::{GateCommand, TaskKind};

/// A task as it was read from a task list, with its line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedTask {
    /// Line it begins at.
    #[serde(skip)]
    pub line: usize,
    /// Its id on the board, if it was given one.
    pub id: Option<String>,
    /// The name other tasks of the list use for it.
    pub name: Option<String>,
    pub title: String,
    #[serde(default, alias = "body")]
    pub description: String,
    #[serde(default)]
    pub deps: Vec<ListedDependency>,
    #[serde(default)]
    pub tags: BTreeSet<String>,
    /// 0 (most urgent) to 4.
    #[serde(default = "default_priority")]
    pub priority: u8,
    #[serde(default, rename = "type", alias = "kind")]
    pub kind: TaskKind,
    /// Where it begins; the workflow's entry without it.
    pub stage: Option<String>,
    #[serde(default = "default_workflow")]
    pub workflow: String,
    #[serde(default = "default_batch")]
    pub batch: String,
    /// Whether a person must approve it.
    #[serde(default, alias = "needs_approval")]
    pub approval: bool,
    #[serde(default)]
    pub gates: Vec<GateCommand>,
}

/// Something a listed task waits for: another task of the list or one outside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum ListedDependency {
    /// The task at this place of the list; always an earlier one.
    Listed(usize),
    /// A task that is not in the list, by its id.
    External(String),
}

impl From<String> for ListedDependency {
    fn from(name: String) -> Self {
        Self::External(name)
    }
}

/// Fields of a task printed by `dbs task list --json` that are read; the others say how far it came.
const TASK_FIELDS: &[&str] = &[
    "id",
    "title",
    "body",
    "deps",
    "tags",
    "priority",
    "kind",
    "workflow",
    "batch",
    "needs_approval",
    "gates",
];

fn default_priority() -> u8 {
    2
}

fn default_workflow() -> String {
    "kanban".to_owned()
}

fn default_batch() -> String {
    "main".to_owned()
}

/// Reads tasks; each stands behind those it waits for. With a finding the tasks must not be used.
pub fn read(file: &Path, text: &str) -> (Vec<ListedTask>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut find = |line: usize, text: String| {
        findings.push(Diagnostic {
            severity: DiagnosticLevel::Error,
            file: file.to_owned(),
            line,
            text,
        });
    };
    let mut tasks = Vec::new();
    for found in values::all(text) {
        match found.and_then(|(line, value)| task(line, value).map_err(|why| (line, why))) {
            Ok(task) => tasks.push(task),
            Err((line, why)) => find(line, why),
        }
    }
    let places = index_by_name(&tasks, &mut find);
    for dependency in tasks.iter_mut().flat_map(|task| &mut task.deps) {
        if let ListedDependency::External(name) = dependency
            && let Some(place) = places.get(name)
        {
            *dependency = ListedDependency::Listed(*place);
        }
    }
    let ordered = topological::ordered(tasks, &mut find);
    (ordered, findings)
}

fn task(line: usize, value: Value) -> Result<ListedTask, String> {
    let Value::Object(mut fields) = value else {
        return Err("a task is written as a JSON object: {\"title\": \"…\"}".to_owned());
    };
    if fields.contains_key("state") && fields.contains_key("stage") {
        fields.retain(|field, _| TASK_FIELDS.contains(&field.as_str()));
    }
    let task: ListedTask =
        serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    let is_empty = |text: &Option<String>| text.as_deref() == Some("");
    if is_empty(&task.id) || is_empty(&task.name) {
        return Err("its id or name is empty: leave it out, or name it".to_owned());
    }
    Ok(ListedTask { line, ..task })
}

/// The place in the list of each name and id.
fn index_by_name(tasks: &[ListedTask], find: &mut impl FnMut(usize, String)) -> HashMap<String, usize> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        let own: BTreeSet<&String> = task.id.iter().chain(&task.name).collect();
        for name in own {
            if let Some(earlier) = places.insert(name.clone(), place) {
                let there = tasks.get(earlier).map_or(0, |task| task.line);
                let text =
                    format!("`{name}` is the task of line {there} already: give one of them another name");
                find(task.line, text);
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(text: &str) -> Vec<ListedTask> {
        let (tasks, findings) = read(Path::new("plan.jsonl"), text);
        assert_eq!(findings, Vec::new());
        tasks
    }

    fn bad(text: &str) -> Vec<String> {
        let (_, findings) = read(Path::new("plan.jsonl"), text);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn tasks_come_one_a_line_or_as_a_list_and_each_stands_behind_what_it_waits_for() {
        let lines = "{\"title\": \"Use it\", \"deps\": [\"parser\", \"dbs-9\"]}\n\n{\"name\": \"parser\", \"title\": \"Parse\"}\n";
        let list = format!("[\n{}\n]", lines.trim().replace("\n\n", ",\n\n"));
        for (text, first) in [(lines, 1), (list.as_str(), 2)] {
            let tasks = good(text);
            let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
            assert_eq!(titles, ["Parse", "Use it"], "{text}");
            let on = [
                ListedDependency::Listed(0),
                ListedDependency::External("dbs-9".to_owned()),
            ];
            assert_eq!(tasks[1].deps, on);
            assert_eq!((tasks[1].line, tasks[0].line), (first, first + 2));
        }
        assert_eq!(good(" \n"), Vec::new());
        assert_eq!(good("[]"), Vec::new());
    }

    #[test]
    fn every_part_of_a_task_can_be_written_down() {
        let text = "{\"id\": \"t-1\", \"title\": \"T\", \"description\": \"D\", \"tags\": [\"security\"], \"priority\": 0, \
                    \"type\": \"bug\", \"stage\": \"reviewing\", \"workflow\": \"own\", \"batch\": \"b\", \"approval\": true, \
                    \"gates\": [{\"name\": \"test\", \"command\": \"true\"}]}";
        let wanted = ListedTask {
            line: 1,
            id: Some("t-1".to_owned()),
            name: None,
            title: "T".to_owned(),
            description: "D".to_owned(),
            deps: Vec::new(),
            tags: ["security".to_owned()].into(),
            priority: 0,
            kind: TaskKind::Bug,
            stage: Some("reviewing".to_owned()),
            workflow: "own".to_owned(),
            batch: "b".to_owned(),
            approval: true,
            gates: vec![GateCommand {
                name: "test".to_owned(),
                command: "true".to_owned(),
            }],
        };
        assert_eq!(good(text), [wanted]);
    }

    #[test]
    fn a_listed_task_is_read_without_its_progress() {
        let text = "[{\"id\": \"t-1\", \"title\": \"T\", \"body\": \"B\", \"stage\": \"merging\", \"state\": \"done\", \"spawns\": 3, \"kind\": \"chore\"}]";
        let tasks = good(text);
        assert_eq!(
            (tasks[0].description.as_str(), tasks[0].kind),
            ("B", TaskKind::Chore)
        );
        assert_eq!(tasks[0].stage, None);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let finds = |text: &str, wanted: &str| {
            let found = bad(text);
            assert!(
                found.iter().any(|line| line.contains(wanted)),
                "{wanted}: {found:?}"
            );
        };
        finds(
            "{\"title\": \"a\"}\n{\"titel\": \"b\"}",
            "plan.jsonl:2: error: unknown field `titel`",
        );
        finds("{\"title\": \"a\"}\n\n{\"title\": }", "plan.jsonl:3: error: ");
        finds(
            "{\"title\": \"a\"}\n7",
            "plan.jsonl:2: error: a task is written as a JSON object",
        );
        finds("{\"title\": \"a\",\n\"priority\": -1}", "plan.jsonl:1: error: ");
        finds(
            "{\"title\": \"a\", \"id\": \"\"}",
            "plan.jsonl:1: error: its id or name is empty",
        );
        finds("{}", "plan.jsonl:1: error: missing field `title`");
        finds(
            "[{\"title\": \"a\"}\n{\"title\": \"b\"}]",
            "plan.jsonl:2: error: ",
        );
        finds("[{\"title\": \"a\"}", "plan.jsonl:1: error: the list has no end");
        finds(
            "[{\"title\": \"a\"}]\n{\"title\": \"b\"}",
            "plan.jsonl:2: error: ",
        );
        finds(
            "{\"id\": \"a\", \"title\": \"a\"}\n{\"name\": \"a\", \"title\": \"b\"}",
            "plan.jsonl:2: error: `a` is the task of line 1 already",
        );
    }

    #[test]
    fn tasks_that_wait_for_each_other_are_named() {
        let text = "{\"title\": \"free\"}\n{\"name\": \"a\", \"title\": \"A\", \"deps\": [\"b\"]}\n{\"name\": \"b\", \"title\": \"B\", \"deps\": [\"a\"]}\n";
        let found = bad(text);
        assert_eq!(
            found,
            [
                "plan.jsonl:2: error: it waits for itself: lines 2 > 3 > 2; let one of them wait for something else"
            ]
        );
        let own = bad("{\"name\": \"a\", \"title\": \"A\", \"deps\": [\"a\"]}");
        assert!(own[0].contains("lines 1 > 1"), "{own:?}");
    }
}
