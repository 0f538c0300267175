//! Task of a graph plan, and the rules for each of its fields (G28).

use super::model::{
    GraphAgent, GraphAssumption, GraphContextFile, GraphCriterion, GraphStatus, GraphTask, GraphTaskKind,
    STATUSES,
};
use super::{MOST_LINE, MOST_TASKS, MOST_TEXT};
use crate::finding::Findings;
use crate::inner_path::escape_reason;
use crate::json_findings::quoted;
use crate::json_object::JsonObject;
use crate::json_place::JsonPlace;
use crate::prompt::is_hidden;
use dbs_domain::PathRules;

/// Most entries of each list of a task.
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

const KINDS: [(&str, GraphTaskKind); 4] = [
    ("research", GraphTaskKind::Research),
    ("implementation", GraphTaskKind::Implementation),
    ("testing", GraphTaskKind::Testing),
    ("configuration", GraphTaskKind::Configuration),
];
const MODELS: [(&str, &str); 3] = [("opus", "opus"), ("sonnet", "sonnet"), ("haiku", "haiku")];

/// Reads a task; nothing if it is not an object. A completed one may have been trimmed: then only the fields that identify it are required
/// (G49).
pub(super) fn read(value: &JsonPlace, path: String, found: &Findings<'_>) -> Option<GraphTask> {
    let object = JsonObject::read((value, path), ("a task", &FIELDS), found)?;
    let status = object.word("status", &STATUSES, found);
    if object.field("status").is_none() {
        object.missing("status", "\"status\": \"pending\"", found);
    }
    let status = status.unwrap_or(GraphStatus::Pending);
    let is_whole = status != GraphStatus::Completed;
    let subject = object.needed(("subject", "a short \"subject\""), (MOST_LINE, true), found);
    let description = text(
        &object,
        ("description", is_whole),
        "a \"description\" of what is to be done and why",
        found,
    );
    if object.field("blockedBy").is_none() {
        object.missing("blockedBy", "\"blockedBy\": []", found);
    }
    let needs = object.numbers("blockedBy", MOST_TASKS, found);
    let (kind, paths, reads) = metadata(&object, is_whole, found);
    Some(GraphTask {
        subject,
        description,
        status,
        needs,
        kind,
        paths,
        reads,
        agent: agent(&object, is_whole, found),
        line: found.line_of(value.start),
    })
}

/// Reads a longer text, which may be missing if it is not needed.
fn text(
    object: &JsonObject<'_>,
    (key, is_needed): (&str, bool),
    example: &str,
    found: &Findings<'_>,
) -> String {
    if is_needed {
        object.needed((key, example), (MOST_TEXT, false), found)
    } else {
        object.text(key, (MOST_TEXT, false), found)
    }
}

/// Reads an object below another one; nothing if it is missing, which is reported.
fn part<'a>(
    object: &JsonObject<'a>,
    (key, what): (&str, &str),
    known: &[&str],
    found: &Findings<'_>,
) -> Option<JsonObject<'a>> {
    let Some(value) = object.field(key) else {
        object.missing(key, &format!("{what} as an object"), found);
        return None;
    };
    JsonObject::read((value, object.at(key)), (what, known), found)
}

fn metadata(
    task: &JsonObject<'_>,
    is_whole: bool,
    found: &Findings<'_>,
) -> (GraphTaskKind, PathRules, Vec<String>) {
    let nothing = (GraphTaskKind::Implementation, PathRules::default(), Vec::new());
    let Some(object) = part(task, ("metadata", "its \"metadata\""), &METADATA_FIELDS, found) else {
        return nothing;
    };
    let kind = object.word("type", &KINDS, found);
    if is_whole && object.field("type").is_none() {
        object.missing("type", "\"type\": \"implementation\"", found);
    }
    let reads = paths(&object, "reads", found);
    let files = part(&object, ("files", "its \"files\""), &["create", "modify"], found);
    let rules = files.map(|files| PathRules {
        create: paths(&files, "create", found),
        modify: paths(&files, "modify", found),
        protected: Vec::new(),
    });
    (kind.unwrap_or(nothing.0), rules.unwrap_or_default(), reads)
}

/// Reads paths of the project, normalised; others are errors.
fn paths(object: &JsonObject<'_>, key: &str, found: &Findings<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    for (entry, at) in object.entries((key, "paths"), MOST_ENTRIES, found) {
        let Some(path) = found.text(entry, &at, MOST_LINE, true) else {
            continue;
        };
        match normal(&path) {
            Ok(path) => paths.push(path),
            Err(why) => {
                let text = format!("the path {} {why}; name one of the project", quoted(&path));
                found.error_at("BAD_PATH", entry.start, &at, &text);
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

fn agent(task: &JsonObject<'_>, is_whole: bool, found: &Findings<'_>) -> GraphAgent {
    let Some(object) = part(task, ("agent", "its \"agent\""), &AGENT_FIELDS, found) else {
        return GraphAgent::default();
    };
    let model = object.word("model", &MODELS, found);
    if object.field("model").is_none() {
        object.missing("model", "\"model\": \"sonnet\"", found);
    }
    GraphAgent {
        role: object.needed(("role", "the \"role\" of the agent"), (MOST_LINE, true), found),
        model,
        expertise: object.text("expertise", (MOST_TEXT, false), found),
        approach: text(
            &object,
            ("approach", is_whole),
            "the \"approach\" as a text",
            found,
        ),
        prior_art: object.text("priorArt", (MOST_TEXT, false), found),
        fallback: object.text("fallback", (MOST_TEXT, false), found),
        context_files: context_files(&object, found),
        assumptions: assumptions(&object, is_whole, found),
        criteria: criteria(&object, is_whole, found),
        triggers: triggers(&object, is_whole, found),
        constraints: object.texts("constraints", (MOST_ENTRIES, MOST_TEXT), found),
    }
}

/// Reads a command. The text shown to a person must be the command that is run, so it holds no invisible sign.
fn command(object: &JsonObject<'_>, key: &str, found: &Findings<'_>) -> String {
    let command = object.text(key, (MOST_TEXT, true), found);
    if command.chars().any(is_hidden) {
        let at = object.field(key).map_or(0, |value| value.start);
        let text = "this command holds signs that nobody sees; write it anew without them";
        found.error_at("HIDDEN_CHARACTER", at, &object.at(key), text);
    }
    command
}

/// Reads the entries of a list of objects.
fn objects<'a>(
    object: &JsonObject<'a>,
    (key, what): (&str, &str),
    known: &[&str],
    found: &Findings<'_>,
) -> Vec<JsonObject<'a>> {
    let entries = object.entries((key, "objects"), MOST_ENTRIES, found).into_iter();
    let read = entries.filter_map(|entry| JsonObject::read(entry, (what, known), found));
    read.collect()
}

fn context_files(agent: &JsonObject<'_>, found: &Findings<'_>) -> Vec<GraphContextFile> {
    let known = ["path", "reason", "lines"];
    let files = objects(agent, ("contextFiles", "a file to be read"), &known, found).into_iter();
    let read = files.map(|file| GraphContextFile {
        path: file.needed(("path", "its \"path\""), (MOST_LINE, true), found),
        reason: file.text("reason", (MOST_TEXT, false), found),
        lines: file.text("lines", (MOST_LINE, true), found),
    });
    read.collect()
}

/// Reports that a list which the agent of a task cannot do without is empty.
fn lacks(agent: &JsonObject<'_>, (code, key, text): (&'static str, &str, &str), found: &Findings<'_>) {
    found.error_at(code, agent.value().start, &agent.at(key), text);
}

/// Reads the conditions that must hold before; a task without any is an error (G23).
fn assumptions(agent: &JsonObject<'_>, is_whole: bool, found: &Findings<'_>) -> Vec<GraphAssumption> {
    let known = ["claim", "verify", "severity"];
    let words = [("blocking", true), ("warning", false)];
    let assumed = objects(agent, ("assumptions", "an assumption"), &known, found).into_iter();
    let read = assumed.map(|one| {
        let verify = command(&one, "verify", found);
        if verify.is_empty() {
            one.missing("verify", "the command that shows it", found);
        }
        GraphAssumption {
            claim: one.needed(("claim", "the \"claim\""), (MOST_TEXT, false), found),
            verify,
            is_blocking: one.word("severity", &words, found).unwrap_or(true),
        }
    });
    let read: Vec<GraphAssumption> = read.collect();
    if is_whole && read.is_empty() {
        let text = "a task needs an assumption that is looked at before its work begins";
        lacks(agent, ("NO_ASSUMPTION", "assumptions", text), found);
    }
    read
}

/// Reads the conditions that must hold in the end; at least one is shown by a command (LG-16).
fn criteria(agent: &JsonObject<'_>, is_whole: bool, found: &Findings<'_>) -> Vec<GraphCriterion> {
    let known = ["criterion", "check"];
    let wanted = objects(agent, ("acceptanceCriteria", "a criterion"), &known, found).into_iter();
    let read = wanted.map(|one| {
        let criterion = GraphCriterion {
            criterion: one.needed(("criterion", "what must hold as \"criterion\""), (MOST_TEXT, false), found),
            check: command(&one, "check", found),
            line: found.line_of(one.value().start),
        };
        if criterion.check.is_empty() {
            let text = "nothing checks this criterion but the agent itself; write the command that does as \"check\"";
            found.warning_at("SOFT_CRITERION", one.value().start, &one.at("check"), text);
        }
        criterion
    });
    let read: Vec<GraphCriterion> = read.collect();
    if is_whole && read.iter().all(|one| one.check.is_empty()) {
        let text = "a task needs a criterion with the command that checks it";
        lacks(agent, ("NO_CRITERIA", "acceptanceCriteria", text), found);
    }
    read
}

/// Reads the conditions in which the agent stops; a task without any is an error (G23).
fn triggers(agent: &JsonObject<'_>, is_whole: bool, found: &Findings<'_>) -> Vec<String> {
    let read = agent.texts("rollbackTriggers", (MOST_ENTRIES, MOST_TEXT), found);
    if is_whole && read.is_empty() {
        let text = "a task needs a rollback trigger: when its agent is to stop at once";
        lacks(agent, ("NO_ROLLBACK_TRIGGER", "rollbackTriggers", text), found);
    }
    read
}
