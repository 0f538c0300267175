//! The analysis of a goal (G8): its meaning in this project, its complexity, and the experts who look at it next.

use std::collections::BTreeSet;

use serde::Serialize;

use super::fields::{Approach, LINE, MODELS, MOST_ENTRIES, MOST_LINE, TEXT, approaches};
use crate::json_object::{JsonObject, quoted, words};

pub(super) const FIELDS: [&str; 11] = [
    "goal",
    "refinedGoal",
    "concepts",
    "priorArt",
    "codebaseContext",
    "subProblems",
    "approaches",
    "complexity",
    "complexityRationale",
    "scopeNotes",
    "recommendedTeam",
];
const CONTEXT_FIELDS: [&str; 7] = [
    "stack",
    "conventions",
    "testCommand",
    "buildCommand",
    "lsp",
    "relevantModules",
    "existingPatterns",
];
const EXPERT_FIELDS: [&str; 5] = ["name", "role", "type", "model", "mandate"];

/// Minimum number of experts of a goal that is not small.
const LEAST_EXPERTS: usize = 2;
/// Maximum number of experts of a goal.
pub const MOST_EXPERTS: usize = 5;
/// Maximum length of a name of an expert: it is part of the name of a file and of a task.
const LONGEST_NAME: usize = 20;

/// Difficulty of planning a goal, which decides who takes part in that (G9).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    strum::EnumString,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Complexity {
    /// Goal of one to three tasks and one obvious way: the plan is written from the analysis.
    Minimal,
    /// Goal of four to eight tasks and some decisions: experts look at it first.
    Standard,
    /// Goal of nine tasks and more, or several ways that touch everything: a critic examines the reports of the experts.
    Full,
}

/// View that an expert takes of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExpertKind {
    /// Expert for everything in one domain (G13).
    Scanner,
    /// Expert for one problem of the goal, with several ways to solve it (G14).
    Architect,
}

/// Findings of an analyst about a goal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalAnalysis {
    pub refined_goal: String,
    pub concepts: Vec<String>,
    pub prior_art: Vec<String>,
    pub codebase_context: GoalContext,
    pub sub_problems: Vec<String>,
    pub approaches: Vec<Approach>,
    pub complexity: Option<Complexity>,
    pub complexity_rationale: String,
    pub scope_notes: String,
    pub recommended_team: Vec<ExpertBrief>,
}

/// Parts of the project that the goal touches. A field is empty if the analysis does not fill it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GoalContext {
    pub stack: String,
    pub conventions: String,
    pub test_command: String,
    pub build_command: String,
    /// Paths, each with its content.
    pub relevant_modules: Vec<String>,
    pub existing_patterns: Vec<String>,
}

/// An expert who is asked, with the mandate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpertBrief {
    /// Name in small letters, digits and hyphens.
    pub name: String,
    pub role: String,
    #[serde(rename = "type")]
    pub kind: ExpertKind,
    /// The model it is meant for, in the words of Claude.
    pub model: Option<&'static str>,
    pub mandate: String,
}

pub(super) fn read(object: &JsonObject<'_>) -> GoalAnalysis {
    let complexity = object.needed_word("complexity", &words());
    let is_small = complexity == Some(Complexity::Minimal);
    GoalAnalysis {
        refined_goal: object.needed("refinedGoal", "the goal in your words", TEXT),
        concepts: object.texts("concepts", MOST_ENTRIES, MOST_LINE),
        prior_art: object.texts("priorArt", MOST_ENTRIES, MOST_LINE),
        codebase_context: context(object).unwrap_or_default(),
        sub_problems: object.texts("subProblems", MOST_ENTRIES, MOST_LINE),
        approaches: approaches(object, if is_small { 1 } else { 2 }),
        complexity,
        complexity_rationale: object.needed("complexityRationale", "why it is that complex", TEXT),
        scope_notes: object.text("scopeNotes", TEXT),
        recommended_team: team(object, is_small),
    }
}

fn context(root: &JsonObject<'_>) -> Option<GoalContext> {
    let field = root.needed_field("codebaseContext", "what is there as an object")?;
    let object = field.object("what is there", &CONTEXT_FIELDS)?;
    Some(GoalContext {
        stack: object.text("stack", TEXT),
        conventions: object.text("conventions", TEXT),
        test_command: object.text("testCommand", LINE),
        build_command: object.text("buildCommand", LINE),
        relevant_modules: object.texts("relevantModules", MOST_ENTRIES, MOST_LINE),
        existing_patterns: object.texts("existingPatterns", MOST_ENTRIES, MOST_LINE),
    })
}

fn team(root: &JsonObject<'_>, is_small: bool) -> Vec<ExpertBrief> {
    let entries = root.entries("recommendedTeam", "experts", MOST_EXPERTS);
    let many = root.count("recommendedTeam");
    if many < LEAST_EXPERTS && !is_small {
        let text = format!("these are {many} experts; name {LEAST_EXPERTS} to {MOST_EXPERTS}");
        root.error("FEW_EXPERTS", "recommendedTeam", text);
    }
    let mut names = BTreeSet::new();
    let mut team = Vec::new();
    for entry in entries {
        let Some(object) = entry.object("an expert", &EXPERT_FIELDS) else {
            continue;
        };
        let expert = expert(&object);
        if !expert.name.is_empty() && !names.insert(expert.name.clone()) {
            let text = format!("another expert is called {} too", quoted(&expert.name));
            object.lacks("DUPLICATE_NAME", "name", text);
        }
        team.push(expert);
    }
    team
}

fn expert(object: &JsonObject<'_>) -> ExpertBrief {
    let name = object.needed("name", "a short \"name\"", (LONGEST_NAME, true));
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if !name.chars().all(is_plain) || name.starts_with('-') || name.ends_with('-') {
        let text = format!(
            "{} is not a name; write lower-case letters, digits and hyphens",
            quoted(&name)
        );
        object.error("BAD_NAME", "name", text);
    }
    ExpertBrief {
        name,
        role: object.needed("role", "a \"role\"", LINE),
        kind: object
            .needed_word("type", &words())
            .unwrap_or(ExpertKind::Scanner),
        model: object.word("model", &MODELS),
        mandate: object.needed("mandate", "its question", TEXT),
    }
}
