//! Graph plans: `plan.json` files of version 3, whose tasks wait for each other by their indices (G1, G2, 4.8 of the formats). They are
//! read here, and nothing in them is run.

mod checks;
mod commands;
mod decisions;
mod model;
mod task;
mod write_back;

use std::path::Path;

pub use checks::depths;
pub use decisions::undecided;
pub use model::{
    GraphAgent, GraphAssumption, GraphContext, GraphContextFile, GraphCriterion, GraphPlan, GraphStatus,
    GraphTask, GraphTaskKind,
};
pub use write_back::{GraphProgress, with_progress};

use crate::finding::Findings;
use crate::json_object::JsonObject;
use crate::json_place::{self, JsonContent, JsonPlace};

/// The version of the format that is read.
pub const GRAPH_PLAN_VERSION: u64 = 3;

/// Most tasks of a plan that are read: each is compared with each.
const MOST_TASKS: usize = 100;
/// Most characters of a line, and of a longer text.
const MOST_LINE: usize = 500;
const MOST_TEXT: usize = 20_000;

const FIELDS: [&str; 5] = ["schemaVersion", "goal", "context", "progress", "tasks"];
const CONTEXT_FIELDS: [&str; 5] = ["stack", "conventions", "testCommand", "buildCommand", "lsp"];

/// Check whether a path relative to the project exists.
pub type FileExists<'a> = &'a dyn Fn(&str) -> bool;

/// Reads a graph plan. Its faults are in its findings, each with its path in the document.
pub fn read(file: &Path, text: &str, exists: FileExists<'_>) -> GraphPlan {
    let found = Findings::about(file, text);
    let mut plan = GraphPlan {
        file: file.to_owned(),
        goal: String::new(),
        context: GraphContext::default(),
        tasks: Vec::new(),
        findings: Vec::new(),
    };
    match json_place::parse(text) {
        Ok(root) => read_root(&root, &mut plan, &found, exists),
        Err(fault) => {
            let text = format!("this is no JSON that can be read: {}", fault.text);
            found.error_at("BAD_JSON", fault.at, "$", &text);
        }
    }
    plan.findings = found.finish();
    plan
}

fn read_root(root: &JsonPlace, plan: &mut GraphPlan, found: &Findings<'_>, exists: FileExists<'_>) {
    let Some(object) = JsonObject::read((root, "$".to_owned()), ("a graph plan", &FIELDS), found) else {
        return;
    };
    // Another version may mean anything by the same names.
    if !has_version(&object, found) {
        return;
    }
    plan.goal = object.needed(("goal", "what is wanted as a \"goal\""), (MOST_LINE, true), found);
    plan.context = context(&object, found);
    let entries = object.entries(("tasks", "tasks"), MOST_TASKS, found);
    if entries.is_empty() && object.field("tasks").is_none_or(is_empty_list) {
        let at = object.field("tasks").map_or(root.start, |tasks| tasks.start);
        let text = "a graph plan needs at least one task; write its \"tasks\", or have them written anew";
        found.error_at("NO_TASKS", at, "$.tasks", text);
    }
    let tasks = entries.into_iter().map(|(entry, path)| {
        // A task keeps its place even if it cannot be read, for its index is its name (G4).
        let read = task::read(entry, path, found);
        read.unwrap_or_else(|| GraphTask::unread(found.line_of(entry.start)))
    });
    plan.tasks = tasks.collect();
    checks::check(plan, &object, found, exists);
}

fn is_empty_list(value: &JsonPlace) -> bool {
    value.entries().is_some_and(<[JsonPlace]>::is_empty)
}

/// Returns true if the plan is of the version that is read (G32).
fn has_version(object: &JsonObject<'_>, found: &Findings<'_>) -> bool {
    let path = object.at("schemaVersion");
    let Some(value) = object.field("schemaVersion") else {
        let text = format!(
            "this is missing, so the file is no graph plan; one begins with {{\"schemaVersion\": {GRAPH_PLAN_VERSION}}}"
        );
        found.error_at("SCHEMA_VERSION", object.value().start, &path, &text);
        return false;
    };
    let version = match &value.content {
        JsonContent::Number(number) if number.as_u64() == Some(GRAPH_PLAN_VERSION) => return true,
        JsonContent::Number(number) => number.to_string(),
        _ => value.kind().to_owned(),
    };
    let text = format!(
        "this plan says {version}; version {GRAPH_PLAN_VERSION} is read, so have the plan written anew"
    );
    found.error_at("SCHEMA_VERSION", value.start, &path, &text);
    false
}

fn context(root: &JsonObject<'_>, found: &Findings<'_>) -> GraphContext {
    let Some(value) = root.field("context") else {
        return GraphContext::default();
    };
    let Some(object) = JsonObject::read(
        (value, root.at("context")),
        ("the context", &CONTEXT_FIELDS),
        found,
    ) else {
        return GraphContext::default();
    };
    let text = |key: &str, is_line: bool| object.text(key, (MOST_TEXT, is_line), found);
    let (stack, conventions) = (text("stack", false), text("conventions", false));
    let (test_command, build_command) = (text("testCommand", true), text("buildCommand", true));
    let lsp = object.field("lsp").and_then(|value| {
        let of = ("the language servers", ["available"].as_slice());
        let lsp = JsonObject::read((value, object.at("lsp")), of, found)?;
        Some(lsp.texts("available", (50, MOST_LINE), found))
    });
    GraphContext {
        stack,
        conventions,
        test_command,
        build_command,
        lsp: lsp.unwrap_or_default(),
    }
}
