//! The report of an expert (G13 to G15): its findings, the tasks it proposes, and, from an architect, the ways that were weighed.

use serde::Serialize;

use super::analysis::{ExpertKind, KINDS};
use super::fields::{Approach, MODELS, MOST_ENTRIES, MOST_LINE, MOST_TEXT, approaches, needed_word};
use crate::finding::Findings;
use crate::json_object::JsonObject;

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

/// Fewest ways that an architect weighs.
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

pub(super) fn read(object: &JsonObject<'_>, found: &Findings<'_>) -> ExpertReport {
    let expert = object.needed(("expert", "your name"), (MOST_LINE, true), found);
    let kind = needed_word(object, "type", &KINDS, found);
    let is_architect = kind == Some(ExpertKind::Architect);
    let findings = object.texts("findings", (MOST_ENTRIES, MOST_TEXT), found);
    if object
        .field("findings")
        .is_none_or(|value| value.entries().is_some_and(<[_]>::is_empty))
    {
        let text = "a report needs at least one finding";
        found.error_at("NO_FINDINGS", object.value().start, &object.at("findings"), text);
    }
    let mut tasks = Vec::new();
    for (value, path) in object.entries(("tasks", "tasks"), MOST_ENTRIES, found) {
        if let Some(one) = JsonObject::read((value, path), ("a task", &TASK_FIELDS), found) {
            tasks.push(task(&one, is_architect, found));
        }
    }
    let least = if is_architect { LEAST_APPROACHES } else { 0 };
    ExpertReport {
        expert,
        kind,
        findings,
        tasks,
        approaches: approaches(object, least, found),
    }
}

fn task(object: &JsonObject<'_>, is_architect: bool, found: &Findings<'_>) -> ProposedTask {
    let lists = (MOST_ENTRIES, MOST_LINE);
    let chosen = ("chosenApproach", "which approach it follows");
    ProposedTask {
        subject: object.needed(("subject", "a short \"subject\""), (MOST_LINE, true), found),
        description: object.needed(
            ("description", "what is to be done and why"),
            (MOST_TEXT, false),
            found,
        ),
        create: object.texts("create", lists, found),
        modify: object.texts("modify", lists, found),
        depends_on: object.texts("dependsOn", lists, found),
        criteria: object.texts("criteria", lists, found),
        model: object.word("model", &MODELS, found),
        chosen_approach: if is_architect {
            object.needed(chosen, (MOST_TEXT, false), found)
        } else {
            object.text(chosen.0, (MOST_TEXT, false), found)
        },
        alternatives_considered: object.texts("alternativesConsidered", lists, found),
    }
}
