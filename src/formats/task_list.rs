//! Tasks written down to be made together: JSON objects one after another, one a line as a rule, or a JSON list of them. Every
//! problem is named with its line; a file with one is refused as a whole. Knows nothing of the board the tasks are for.

mod topological;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::diagnostic::{Diagnostic, DiagnosticLevel};
use crate::domain::task::{GateCommand, TaskKind};

/// A task as it was read from a task list, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTask {
    /// Line it begins at.
    pub line: usize,
    /// Its identity, if it was given one.
    pub id: Option<String>,
    /// What others in the file call it.
    pub name: Option<String>,
    /// One line.
    pub title: String,
    /// Everything else.
    pub description: String,
    /// What it waits for.
    pub deps: Vec<ListedDependency>,
    /// Tags.
    pub tags: BTreeSet<String>,
    /// 0 (most urgent) to 4.
    pub priority: u8,
    /// Kind of work.
    pub kind: TaskKind,
    /// Where it begins; the workflow's entry without it.
    pub stage: Option<String>,
    /// The workflow.
    pub workflow: String,
    /// The batch.
    pub batch: String,
    /// Whether a person must approve it.
    pub approval: bool,
    /// Gates of its own.
    pub gates: Vec<GateCommand>,
}

/// Something a listed task waits for: another task of the list or one outside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListedDependency {
    /// The task at this place of the list; always an earlier one.
    Listed(usize),
    /// A task that is not in the file, by its id.
    External(String),
}

/// The fields of a task in a task list as deserialized, before names are resolved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTask {
    id: Option<String>,
    name: Option<String>,
    title: String,
    #[serde(default, alias = "body")]
    description: String,
    #[serde(default)]
    deps: Vec<String>,
    #[serde(default)]
    tags: BTreeSet<String>,
    #[serde(default = "default_priority")]
    priority: u8,
    #[serde(default, rename = "type", alias = "kind")]
    kind: TaskKind,
    stage: Option<String>,
    #[serde(default = "default_workflow")]
    workflow: String,
    #[serde(default = "default_batch")]
    batch: String,
    #[serde(default, alias = "needs_approval")]
    approval: bool,
    #[serde(default)]
    gates: Vec<GateCommand>,
}

/// What of a task that `dbs task list --json` printed is taken: what it says, not how far it came.
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

/// Reads tasks; each stands behind those it waits for. With findings nothing is to be made of what was read.
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
    let mut rows = Vec::new();
    for found in values::all(text) {
        match found.and_then(|(line, value)| Ok((line, row(value).map_err(|why| (line, why))?))) {
            Ok(row) => rows.push(row),
            Err((line, why)) => find(line, why),
        }
    }
    let places = index_by_name(&rows, &mut find);
    let planned = rows.into_iter().map(|(line, row)| planned(line, row, &places));
    let ordered = topological::ordered(planned.collect(), &mut find);
    (ordered, findings)
}

fn row(value: Value) -> Result<RawTask, String> {
    let Value::Object(mut fields) = value else {
        return Err("a task is written as a JSON object: {\"title\": \"…\"}".to_owned());
    };
    if fields.contains_key("state") && fields.contains_key("stage") {
        fields = task_fields(fields);
    }
    let row: RawTask = serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    let is_empty = |text: &Option<String>| text.as_deref() == Some("");
    if is_empty(&row.id) || is_empty(&row.name) {
        return Err("its id or name is empty: leave it out, or name it".to_owned());
    }
    Ok(row)
}

fn task_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let kept = |(field, _): &(String, Value)| TASK_FIELDS.contains(&field.as_str());
    fields.into_iter().filter(kept).collect()
}

/// Where in the list what bears that name or id is.
fn index_by_name(rows: &[(usize, RawTask)], find: &mut impl FnMut(usize, String)) -> HashMap<String, usize> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, (line, row)) in rows.iter().enumerate() {
        let own: BTreeSet<&String> = row.id.iter().chain(&row.name).collect();
        for name in own {
            if let Some(earlier) = places.insert(name.clone(), place) {
                let there = rows.get(earlier).map_or(0, |(line, _)| *line);
                find(
                    *line,
                    format!("`{name}` is the task of line {there} already: give one of them another name"),
                );
            }
        }
    }
    places
}

fn planned(line: usize, row: RawTask, places: &HashMap<String, usize>) -> ListedTask {
    let dependency = |name: String| match places.get(&name) {
        Some(place) => ListedDependency::Listed(*place),
        None => ListedDependency::External(name),
    };
    ListedTask {
        line,
        id: row.id,
        name: row.name,
        title: row.title,
        description: row.description,
        deps: row.deps.into_iter().map(dependency).collect(),
        tags: row.tags,
        priority: row.priority,
        kind: row.kind,
        stage: row.stage,
        workflow: row.workflow,
        batch: row.batch,
        approval: row.approval,
        gates: row.gates,
    }
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
    fn of_a_task_that_was_listed_what_it_says_is_taken_and_not_how_far_it_came() {
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
        let says = |text: &str, wanted: &str| {
            let said = bad(text);
            assert!(
                said.iter().any(|line| line.contains(wanted)),
                "{wanted}: {said:?}"
            );
        };
        says(
            "{\"title\": \"a\"}\n{\"titel\": \"b\"}",
            "plan.jsonl:2: error: unknown field `titel`",
        );
        says("{\"title\": \"a\"}\n\n{\"title\": }", "plan.jsonl:3: error: ");
        says(
            "{\"title\": \"a\"}\n7",
            "plan.jsonl:2: error: a task is written as a JSON object",
        );
        says("{\"title\": \"a\",\n\"priority\": -1}", "plan.jsonl:1: error: ");
        says(
            "{\"title\": \"a\", \"id\": \"\"}",
            "plan.jsonl:1: error: its id or name is empty",
        );
        says("{}", "plan.jsonl:1: error: missing field `title`");
        says(
            "[{\"title\": \"a\"}\n{\"title\": \"b\"}]",
            "plan.jsonl:2: error: ",
        );
        says("[{\"title\": \"a\"}", "plan.jsonl:1: error: the list has no end");
        says(
            "[{\"title\": \"a\"}]\n{\"title\": \"b\"}",
            "plan.jsonl:2: error: ",
        );
        says(
            "{\"id\": \"a\", \"title\": \"a\"}\n{\"name\": \"a\", \"title\": \"b\"}",
            "plan.jsonl:2: error: `a` is the task of line 1 already",
        );
    }

    #[test]
    fn tasks_that_wait_for_each_other_are_named() {
        let text = "{\"title\": \"free\"}\n{\"name\": \"a\", \"title\": \"A\", \"deps\": [\"b\"]}\n{\"name\": \"b\", \"title\": \"B\", \"deps\": [\"a\"]}\n";
        let said = bad(text);
        assert_eq!(
            said,
            [
                "plan.jsonl:2: error: it waits for itself: lines 2 > 3 > 2; let one of them wait for something else"
            ]
        );
        let own = bad("{\"name\": \"a\", \"title\": \"A\", \"deps\": [\"a\"]}");
        assert!(own[0].contains("lines 1 > 1"), "{own:?}");
    }
}
