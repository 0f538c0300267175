//! Task lists: JSON objects one after another, usually one a line, or a JSON list of them. Every problem is named with its line; a file
//! with one is refused as a whole. This reader does not know the board the tasks are for.

mod topological;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::finding::{Finding, FindingLevel};
use dbs_domain::task::{GateCommand, TaskKind};
use dbs_domain::{AgentSettings, BatchId, Cause, PlanEntry, Span, StageId, TaskDraft, TaskId, WorkflowId};

/// A task as it was read from a task list, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTask {
    /// Line at which it begins.
    pub line: usize,
    /// The name that other tasks of the list use for it.
    pub name: Option<String>,
    /// Task to be created. Its id is empty if none was given; it waits for ids and for names of the list.
    pub draft: TaskDraft,
}

impl ListedTask {
    /// Returns the names that other tasks of the list may use for it: its id and its name, as far as they were given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let id = Some(self.draft.id.as_str()).filter(|id| !id.is_empty());
        let name = self.name.as_deref().filter(|name| Some(*name) != id);
        id.into_iter().chain(name)
    }
}

/// Form of a draft in a task list.
#[derive(Deserialize)]
#[serde(remote = "TaskDraft", deny_unknown_fields)]
struct WrittenDraft {
    #[serde(default = "no_id")]
    id: TaskId,
    title: String,
    #[serde(default, rename = "description", alias = "body")]
    body: String,
    #[serde(default)]
    deps: BTreeSet<TaskId>,
    #[serde(default)]
    tags: BTreeSet<String>,
    #[serde(default = "default_priority")]
    priority: u8,
    #[serde(default, rename = "type", alias = "kind")]
    kind: TaskKind,
    stage: Option<StageId>,
    #[serde(default = "default_workflow")]
    workflow: WorkflowId,
    #[serde(default = "default_batch")]
    batch: BatchId,
    #[serde(default, rename = "approval", alias = "needs_approval")]
    needs_approval: bool,
    #[serde(default)]
    gates: Vec<GateCommand>,
    #[serde(default, deserialize_with = "values::time_limit")]
    timeout: Option<Span>,
    #[serde(default)]
    agent: Box<AgentSettings>,
    plan: Option<Arc<PlanEntry>>,
}

/// Fields of a task printed by `dbs task list --json` that are read; the others report its progress.
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
    "timeout",
    "agent",
    "plan",
];

fn no_id() -> TaskId {
    TaskId::from("")
}

fn default_priority() -> u8 {
    2
}

fn default_workflow() -> WorkflowId {
    "kanban".into()
}

fn default_batch() -> BatchId {
    "main".into()
}

/// Reads tasks; each is behind those it waits for. With a finding the tasks must not be used.
pub fn read(file: &Path, text: &str) -> (Vec<ListedTask>, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut find = |line: usize, text: String| {
        findings.push(Finding::new(FindingLevel::Error, file, line, text));
    };
    let mut tasks = Vec::new();
    for found in values::all(text) {
        match found.and_then(|(line, value)| task(line, value).map_err(|why| (line, why.text))) {
            Ok(task) => tasks.push(task),
            Err((line, why)) => find(line, why),
        }
    }
    let (ordered, faults) = in_order(file, tasks);
    findings.extend(faults);
    (ordered, findings)
}

/// Puts each task behind those it waits for. With a finding the tasks must not be used.
pub fn in_order(file: &Path, tasks: Vec<ListedTask>) -> (Vec<ListedTask>, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut find = |line: usize, text: String| {
        findings.push(Finding::new(FindingLevel::Error, file, line, text));
    };
    let places = index_by_name(&tasks, &mut find);
    let ordered = topological::ordered(tasks, &places, &mut find);
    (ordered, findings)
}

fn task(line: usize, value: Value) -> Result<ListedTask, Cause> {
    let Value::Object(mut fields) = value else {
        return Err("a task is written as a JSON object: {\"title\": \"…\"}".into());
    };
    if fields.contains_key("state") && fields.contains_key("stage") {
        fields.retain(|field, _| TASK_FIELDS.contains(&field.as_str()));
    }
    // A field that is null was not given.
    fields.retain(|_, value| !value.is_null());
    let is_empty = |field: &str| fields.get(field).is_some_and(|value| value == "");
    if is_empty("id") || is_empty("name") {
        return Err("its id or name is empty: leave it out, or name it".into());
    }
    let name = match fields.remove("name") {
        None => None,
        Some(Value::String(name)) => Some(name),
        Some(_) => return Err("its name is not text".into()),
    };
    let draft =
        WrittenDraft::deserialize(Value::Object(fields)).map_err(|error| Cause::from(error.to_string()))?;
    let stage = draft
        .stage
        .as_ref()
        .map(|stage| stage.as_str().replace('-', "_").as_str().into());
    let draft = TaskDraft { stage, ..draft };
    Ok(ListedTask { line, name, draft })
}

/// Returns the place in the list of each name and id.
fn index_by_name(tasks: &[ListedTask], find: &mut impl FnMut(usize, String)) -> HashMap<String, usize> {
    let mut places: HashMap<String, usize> = HashMap::new();
    for (place, task) in tasks.iter().enumerate() {
        for name in task.names() {
            if let Some(earlier) = places.insert(name.to_owned(), place) {
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
            let titles: Vec<&str> = tasks.iter().map(|task| task.draft.title.as_str()).collect();
            assert_eq!(titles, ["Parse", "Use it"], "{text}");
            assert_eq!(tasks[1].draft.deps, ["parser", "dbs-9"].map(TaskId::from).into());
            assert_eq!((tasks[1].line, tasks[0].line), (first, first + 2));
        }
        assert_eq!(good(" \n"), Vec::new());
        assert_eq!(good("[]"), Vec::new());
    }

    #[test]
    fn what_comes_forward_because_another_waits_for_it_keeps_the_order_of_the_file() {
        let text = "{\"title\": \"Use\", \"deps\": [\"a\", \"z\"]}\n{\"title\": \"Free\"}\n\
                    {\"name\": \"z\", \"title\": \"Z\"}\n{\"name\": \"a\", \"title\": \"A\"}\n{\"title\": \"Last\"}\n";
        let titles: Vec<String> = good(text).into_iter().map(|task| task.draft.title).collect();
        assert_eq!(titles, ["Z", "A", "Use", "Free", "Last"]);
    }

    #[test]
    fn every_part_of_a_task_can_be_written_down() {
        let text = "{\"id\": \"t-1\", \"title\": \"T\", \"description\": \"D\", \"tags\": [\"security\"], \"priority\": 0, \
                    \"type\": \"bug\", \"stage\": \"security-review\", \"workflow\": \"own\", \"batch\": \"b\", \"approval\": true, \
                    \"gates\": [{\"name\": \"test\", \"command\": \"true\"}], \"timeout\": \"90m\", \
                    \"agent\": {\"model\": \"small\", \"effort\": \"high\"}}";
        let draft = TaskDraft {
            body: "D".to_owned(),
            tags: ["security".to_owned()].into(),
            priority: 0,
            kind: TaskKind::Bug,
            stage: Some("security_review".into()),
            workflow: "own".into(),
            batch: "b".into(),
            needs_approval: true,
            gates: vec![GateCommand {
                name: "test".to_owned(),
                command: "true".to_owned(),
            }],
            timeout: Some(Span::minutes(90)),
            agent: Box::new(AgentSettings {
                model: Some("small".to_owned()),
                effort: Some("high".to_owned()),
                ..AgentSettings::default()
            }),
            ..TaskDraft::new("t-1", "T")
        };
        let (line, name) = (1, None);
        assert_eq!(good(text), [ListedTask { line, name, draft }]);
        let bare = good("{\"title\": \"T\", \"name\": null, \"stage\": null}").remove(0);
        assert_eq!((bare.draft, bare.name), (TaskDraft::new("", "T"), None));
    }

    #[test]
    fn a_listed_task_is_read_without_its_progress() {
        let text = "[{\"id\": \"t-1\", \"title\": \"T\", \"body\": \"B\", \"stage\": \"merging\", \"state\": \"done\", \"spawns\": 3, \"kind\": \"chore\", \"timeout\": 60000}]";
        let draft = good(text).remove(0).draft;
        assert_eq!((draft.body.as_str(), draft.kind), ("B", TaskKind::Chore));
        assert_eq!((draft.stage, draft.timeout), (None, Some(Span::minutes(1))));
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
            "{\"title\": \"a\", \"name\": 7}",
            "plan.jsonl:1: error: its name is not text",
        );
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
