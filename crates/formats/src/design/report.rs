//! The report of an expert (G13 to G15): its findings, the tasks it proposes, and, from an architect, the ways that were weighed.

use serde::Serialize;

use super::analysis::ExpertKind;
use super::fields::{Approach, LINE, MODELS, MOST_ENTRIES, MOST_LINE, MOST_TEXT, TEXT, approaches};
use crate::json_object::{JsonField, JsonObject, words};

pub(super) const FIELDS: [&str; 5] = ["expert", "type", "findings", "tasks", "approaches"];
const TASK_FIELDS: [&str; 9] = [
    "subject",
    "description",
    "create",
    "modify",
    "dependsOn",
    "criteria",
    "model",
    "chosenApproach",
    "alternativesConsidered",
];

/// Minimum number of ways that an architect weighs.
const LEAST_APPROACHES: usize = 2;

/// Findings and proposals of an expert.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ExpertReport {
    pub expert: String,
    #[serde(rename = "type")]
    pub kind: Option<ExpertKind>,
    pub findings: Vec<String>,
    pub tasks: Vec<ProposedTask>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approaches: Vec<Approach>,
}

/// A task that an expert proposes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposedTask {
    pub subject: String,
    pub description: String,
    pub create: Vec<String>,
    pub modify: Vec<String>,
    /// Subjects of the tasks it needs, of this expert or of another.
    pub depends_on: Vec<String>,
    pub criteria: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'static str>,
    /// Choice of an architect, and the ways it was preferred to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub chosen_approach: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternatives_considered: Vec<String>,
}

pub(super) fn read(object: &JsonObject<'_>) -> ExpertReport {
    let expert = object.needed("expert", "your name", LINE);
    let kind = object.needed_word("type", &words());
    let is_architect = kind == Some(ExpertKind::Architect);
    let findings = object.texts("findings", MOST_ENTRIES, MOST_TEXT);
    let is_empty = |field: JsonField<'_>| field.place.entries().is_some_and(<[_]>::is_empty);
    if object.field("findings").is_none_or(is_empty) {
        let text = "a report needs at least one finding";
        object.lacks("NO_FINDINGS", "findings", text);
    }
    let tasks = object.entries("tasks", "tasks", MOST_ENTRIES).into_iter();
    let tasks = tasks.filter_map(|entry| Some(task(&entry.object("a task", &TASK_FIELDS)?, is_architect)));
    let tasks = tasks.collect();
    let least = if is_architect { LEAST_APPROACHES } else { 0 };
    ExpertReport {
        expert,
        kind,
        findings,
        tasks,
        approaches: approaches(object, least),
    }
}

fn task(object: &JsonObject<'_>, is_architect: bool) -> ProposedTask {
    let chosen = "chosenApproach";
    ProposedTask {
        subject: object.needed("subject", "a short \"subject\"", LINE),
        description: object.needed("description", "what to do and why", TEXT),
        create: object.texts("create", MOST_ENTRIES, MOST_LINE),
        modify: object.texts("modify", MOST_ENTRIES, MOST_LINE),
        depends_on: object.texts("dependsOn", MOST_ENTRIES, MOST_LINE),
        criteria: object.texts("criteria", MOST_ENTRIES, MOST_LINE),
        model: object.word("model", &MODELS),
        chosen_approach: if is_architect {
            object.needed(chosen, "which approach it follows", TEXT)
        } else {
            object.text(chosen, TEXT)
        },
        alternatives_considered: object.texts("alternativesConsidered", MOST_ENTRIES, MOST_LINE),
    }
}
