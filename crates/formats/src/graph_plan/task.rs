//! Task of a graph plan, and the rules for each of its fields (G28).

use super::model::{
    GraphAgent, GraphAssumption, GraphContextFile, GraphCriterion, GraphStatus, GraphTask, GraphTaskKind,
};
use super::{LINE, MOST_TASKS, MOST_TEXT, TEXT};
use crate::inner_path::escape_reason;
use crate::json_object::{JsonField, JsonObject, quoted, words};
use crate::prompt::is_hidden;
use dbs_domain::PathRules;

/// Maximum number of entries of each list of a task.
const MOST_ENTRIES: usize = 50;

const FIELDS: [&str; 9] = [
    "subject",
    "description",
    "activeForm",
    "status",
    "result",
    "attempts",
    "blockedBy",
    "metadata",
    "agent",
];
const METADATA_FIELDS: [&str; 3] = ["type", "files", "reads"];
const AGENT_FIELDS: [&str; 11] = [
    "role",
    "model",
    "approach",
    "contextFiles",
    "assumptions",
    "acceptanceCriteria",
    "rollbackTriggers",
    "constraints",
    "expertise",
    "priorArt",
    "fallback",
];

const MODELS: [(&str, &str); 3] = [("opus", "opus"), ("sonnet", "sonnet"), ("haiku", "haiku")];

/// Reads a task; `None` if it is not an object. A completed one may have been trimmed: then only the fields that identify it are required
/// (G49).
pub(super) fn read(entry: JsonField<'_>) -> Option<GraphTask> {
    let line = entry.line();
    let object = entry.object("a task", &FIELDS)?;
    let status = object.needed_field("status", "\"status\": \"pending\"");
    let status = status.and_then(|_| object.word("status", &words()));
    let status = status.unwrap_or(GraphStatus::Pending);
    let is_whole = status != GraphStatus::Completed;
    let subject = object.needed("subject", "a short \"subject\"", LINE);
    let example = "a \"description\" of what to do and why";
    let description = text(&object, "description", is_whole.then_some(example));
    object.needed_field("blockedBy", "\"blockedBy\": []");
    let needs = object.numbers("blockedBy", MOST_TASKS);
    let (kind, paths, reads) = metadata(&object, is_whole);
    Some(GraphTask {
        subject,
        description,
        status,
        needs,
        kind,
        paths,
        reads,
        agent: agent(&object, is_whole),
        line,
    })
}

/// Reads a longer text, which may be missing if it has no example.
fn text(object: &JsonObject<'_>, key: &str, example: Option<&str>) -> String {
    match example {
        Some(example) => object.needed(key, example, TEXT),
        None => object.text(key, TEXT),
    }
}

/// Reads an object below another one; `None` if it is missing, which is reported.
fn part<'a>(object: &JsonObject<'a>, key: &str, what: &str, known: &[&str]) -> Option<JsonObject<'a>> {
    let field = object.needed_field(key, format_args!("{what} as an object"))?;
    field.object(what, known)
}

fn metadata(task: &JsonObject<'_>, is_whole: bool) -> (GraphTaskKind, PathRules, Vec<String>) {
    let nothing = (GraphTaskKind::Implementation, PathRules::default(), Vec::new());
    let Some(object) = part(task, "metadata", "its \"metadata\"", &METADATA_FIELDS) else {
        return nothing;
    };
    let kind = object.word("type", &words());
    if is_whole {
        object.needed_field("type", "\"type\": \"implementation\"");
    }
    let reads = paths(&object, "reads");
    let files = part(&object, "files", "its \"files\"", &["create", "modify"]);
    let rules = files.map(|files| PathRules {
        create: paths(&files, "create"),
        modify: paths(&files, "modify"),
        protected: Vec::new(),
    });
    (kind.unwrap_or(nothing.0), rules.unwrap_or_default(), reads)
}

/// Reads paths of the project, normalised; others are errors.
fn paths(object: &JsonObject<'_>, key: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in object.entries(key, "paths", MOST_ENTRIES) {
        let Some(path) = entry.text(LINE) else {
            continue;
        };
        match normal(&path) {
            Ok(path) => paths.push(path),
            Err(why) => {
                let text = format!("the path {} {why}; name one of the project", quoted(&path));
                entry.error("BAD_PATH", text);
            }
        }
    }
    paths
}

/// Returns the path as git names it; one that ends with `/` is a folder.
fn normal(path: &str) -> Result<String, &'static str> {
    if let Some(why) = escape_reason(path) {
        return Err(why);
    }
    if path.contains(['*', '?', '[']) {
        return Err("is a pattern");
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    if parts.is_empty() {
        return Err("is the whole project");
    }
    let end = if path.ends_with('/') { "/" } else { "" };
    Ok(format!("{}{end}", parts.join("/")))
}

fn agent(task: &JsonObject<'_>, is_whole: bool) -> GraphAgent {
    let Some(object) = part(task, "agent", "its \"agent\"", &AGENT_FIELDS) else {
        return GraphAgent::default();
    };
    let model = object.needed_field("model", "\"model\": \"sonnet\"");
    let model = model.and_then(|_| object.word("model", &MODELS));
    GraphAgent {
        role: object.needed("role", "the \"role\" of the agent", LINE),
        model,
        expertise: object.text("expertise", TEXT),
        approach: text(
            &object,
            "approach",
            is_whole.then_some("the \"approach\" as a text"),
        ),
        prior_art: object.text("priorArt", TEXT),
        fallback: object.text("fallback", TEXT),
        context_files: context_files(&object),
        assumptions: assumptions(&object, is_whole),
        criteria: criteria(&object, is_whole),
        triggers: triggers(&object, is_whole),
        constraints: object.texts("constraints", MOST_ENTRIES, MOST_TEXT),
    }
}

/// Reads a command. The text shown to a person must be the command that is run, so it holds no invisible sign.
fn command(object: &JsonObject<'_>, key: &str) -> String {
    let command = object.text(key, (MOST_TEXT, true));
    if command.chars().any(is_hidden) {
        let text = "this command has invisible characters; write it again without them";
        object.error("HIDDEN_CHARACTER", key, text);
    }
    command
}

/// Reads the entries of a list of objects.
fn objects<'a>(object: &JsonObject<'a>, key: &str, what: &str, known: &[&str]) -> Vec<JsonObject<'a>> {
    let entries = object.entries(key, "objects", MOST_ENTRIES).into_iter();
    entries.filter_map(|entry| entry.object(what, known)).collect()
}

fn context_files(agent: &JsonObject<'_>) -> Vec<GraphContextFile> {
    let known = ["path", "reason", "lines"];
    let files = objects(agent, "contextFiles", "a file to be read", &known).into_iter();
    let read = files.map(|file| GraphContextFile {
        path: file.needed("path", "its \"path\"", LINE),
        reason: file.text("reason", TEXT),
        lines: file.text("lines", LINE),
    });
    read.collect()
}

/// Reads the conditions that must hold before; a task without any is an error (G23).
fn assumptions(agent: &JsonObject<'_>, is_whole: bool) -> Vec<GraphAssumption> {
    let known = ["claim", "verify", "severity"];
    let words = [("blocking", true), ("warning", false)];
    let assumed = objects(agent, "assumptions", "an assumption", &known).into_iter();
    let read = assumed.map(|one| {
        let verify = command(&one, "verify");
        if verify.is_empty() {
            one.missing("verify", "the command that shows it");
        }
        GraphAssumption {
            claim: one.needed("claim", "the \"claim\"", TEXT),
            verify,
            is_blocking: one.word("severity", &words).unwrap_or(true),
        }
    });
    let read: Vec<GraphAssumption> = read.collect();
    if is_whole && read.is_empty() {
        let text = "a task needs an assumption that is looked at before its work begins";
        agent.lacks("NO_ASSUMPTION", "assumptions", text);
    }
    read
}

/// Reads the conditions that must hold in the end; at least one is shown by a command (LG-16).
fn criteria(agent: &JsonObject<'_>, is_whole: bool) -> Vec<GraphCriterion> {
    let known = ["criterion", "check"];
    let wanted = objects(agent, "acceptanceCriteria", "a criterion", &known).into_iter();
    let read = wanted.map(|one| {
        let criterion = GraphCriterion {
            criterion: one.needed("criterion", "what must hold as \"criterion\"", TEXT),
            check: command(&one, "check"),
            line: one.whole.line(),
        };
        if criterion.check.is_empty() {
            let text = "nothing checks this criterion but the agent itself; write the command that does as \"check\"";
            one.doubts("SOFT_CRITERION", "check", text);
        }
        criterion
    });
    let read: Vec<GraphCriterion> = read.collect();
    if is_whole && read.iter().all(|one| one.check.is_empty()) {
        let text = "a task needs a criterion with the command that checks it";
        agent.lacks("NO_CRITERIA", "acceptanceCriteria", text);
    }
    read
}

/// Reads the conditions in which the agent stops; a task without any is an error (G23).
fn triggers(agent: &JsonObject<'_>, is_whole: bool) -> Vec<String> {
    let read = agent.texts("rollbackTriggers", MOST_ENTRIES, MOST_TEXT);
    if is_whole && read.is_empty() {
        let text = "a task needs a rollback trigger: when its agent is to stop at once";
        agent.lacks("NO_ROLLBACK_TRIGGER", "rollbackTriggers", text);
    }
    read
}
