//! Graph plans: `plan.json` files of version 3, whose tasks wait for each other by their indices (G1, G2, 4.8 of the formats). They are
//! read here, and nothing in them is run.

mod checks;
mod commands;
mod decisions;
mod model;
mod task;
mod write_back;

use std::path::Path;

pub use checks::{ancestors, depths};
pub use decisions::undecided;
pub use model::{
    GraphAgent, GraphAssumption, GraphContext, GraphContextFile, GraphCriterion, GraphPlan, GraphStatus,
    GraphTask, GraphTaskKind,
};
pub use write_back::{GraphProgress, with_progress};

use crate::finding::Findings;
use crate::json_object::{self, JsonField, JsonObject, TextLimit};
use crate::json_place::JsonContent;

/// The version of the format that is read.
pub const GRAPH_PLAN_VERSION: u64 = 3;

/// Maximum number of tasks of a plan that are read: each is compared with each.
const MOST_TASKS: usize = 100;
/// Maximum number of characters of a line, and of a longer text.
const MOST_LINE: usize = 500;
const MOST_TEXT: usize = 20_000;
const LINE: TextLimit = (MOST_LINE, true);
const TEXT: TextLimit = (MOST_TEXT, false);

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
    if let Some(root) = json_object::parse(text, &found) {
        read_root(JsonField::root(&root, &found), &mut plan, exists);
    }
    plan.findings = found.finish();
    plan
}

fn read_root(root: JsonField<'_>, plan: &mut GraphPlan, exists: FileExists<'_>) {
    let Some(object) = root.object("a graph plan", &FIELDS) else {
        return;
    };
    // Another version may mean anything by the same names.
    if !has_version(&object) {
        return;
    }
    plan.goal = object.needed("goal", "what is wanted as a \"goal\"", LINE);
    plan.context = context(&object).unwrap_or_default();
    let entries = object.entries("tasks", "tasks", MOST_TASKS);
    let is_empty = |tasks: JsonField<'_>| tasks.place.entries().is_some_and(<[_]>::is_empty);
    if entries.is_empty() && object.field("tasks").is_none_or(is_empty) {
        let text = "a graph plan needs at least one task; write its \"tasks\", or have them written anew";
        object.error("NO_TASKS", "tasks", text);
    }
    let tasks = entries.iter().map(|entry| {
        // A task keeps its place even if it cannot be read, for its index is its name (G4).
        task::read(entry.clone()).unwrap_or_else(|| GraphTask::unread(entry.line()))
    });
    plan.tasks = tasks.collect();
    checks::check(plan, entries, exists);
}

/// Returns true if the plan is of the version that is read (G32).
fn has_version(object: &JsonObject<'_>) -> bool {
    let Some(field) = object.field("schemaVersion") else {
        let text = format!(
            "this is missing, so the file is not a graph plan; a graph plan begins with {{\"schemaVersion\": {GRAPH_PLAN_VERSION}}}"
        );
        object.lacks("SCHEMA_VERSION", "schemaVersion", text);
        return false;
    };
    let version = match &field.place.content {
        JsonContent::Number(number) if number.as_u64() == Some(GRAPH_PLAN_VERSION) => return true,
        JsonContent::Number(number) => number.to_string(),
        _ => field.place.kind().to_owned(),
    };
    let text = format!(
        "this plan says {version}; version {GRAPH_PLAN_VERSION} is read, so have the plan written anew"
    );
    field.error("SCHEMA_VERSION", text);
    false
}

fn context(root: &JsonObject<'_>) -> Option<GraphContext> {
    let object = root.field("context")?.object("the context", &CONTEXT_FIELDS)?;
    let command = (MOST_TEXT, true);
    Some(GraphContext {
        stack: object.text("stack", TEXT),
        conventions: object.text("conventions", TEXT),
        test_command: object.text("testCommand", command),
        build_command: object.text("buildCommand", command),
        lsp: servers(&object).unwrap_or_default(),
    })
}

fn servers(context: &JsonObject<'_>) -> Option<Vec<String>> {
    let servers = context
        .field("lsp")?
        .object("the language servers", &["available"])?;
    Some(servers.texts("available", 50, MOST_LINE))
}
