//! The analysis of a goal (G8): its meaning in this project, its complexity, and the experts who look at it next.

use std::collections::BTreeSet;

use serde::Serialize;

use super::fields::{Approach, MODELS, MOST_ENTRIES, MOST_LINE, MOST_TEXT, approaches, needed_word};
use crate::finding::Findings;
use crate::json_findings::quoted;
use crate::json_object::JsonObject;
use crate::json_place::JsonPlace;

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

/// Fewest experts of a goal that is not small.
const LEAST_EXPERTS: usize = 2;
/// Most experts of a goal.
pub const MOST_EXPERTS: usize = 5;
/// Longest name of an expert: it is part of the name of a file and of a task.
const LONGEST_NAME: usize = 20;

/// Difficulty of planning a goal, which decides who takes part in that (G9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// Goal of one to three tasks and one obvious way: the plan is written from the analysis.
    Minimal,
    /// Goal of four to eight tasks and some decisions: experts look at it first.
    Standard,
    /// Goal of nine tasks and more, or several ways that touch everything: a critic examines the reports of the experts.
    Full,
}

const COMPLEXITIES: [(&str, Complexity); 3] = [
    ("minimal", Complexity::Minimal),
    ("standard", Complexity::Standard),
    ("full", Complexity::Full),
];

impl Complexity {
    /// All words.
    pub const WORDS: [&'static str; 3] = ["minimal", "standard", "full"];

    /// Returns the complexity of that word.
    pub fn named(word: &str) -> Option<Complexity> {
        let known = COMPLEXITIES.iter().find(|(name, _)| *name == word);
        known.map(|(_, complexity)| *complexity)
    }

    /// Returns its word in the file and on the command line.
    pub fn word(self) -> &'static str {
        let known = COMPLEXITIES.iter().find(|(_, complexity)| *complexity == self);
        known.map_or("", |(word, _)| word)
    }
}

/// View that an expert takes of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpertKind {
    /// Expert for everything in one domain (G13).
    Scanner,
    /// Expert for one problem of the goal, with several ways to solve it (G14).
    Architect,
}

pub(super) const KINDS: [(&str, ExpertKind); 2] = [
    ("scanner", ExpertKind::Scanner),
    ("architect", ExpertKind::Architect),
];

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

pub(super) fn read(object: &JsonObject<'_>, found: &Findings<'_>) -> GoalAnalysis {
    let complexity = needed_word(object, "complexity", &COMPLEXITIES, found);
    let is_small = complexity == Some(Complexity::Minimal);
    let lists = (MOST_ENTRIES, MOST_LINE);
    GoalAnalysis {
        refined_goal: object.needed(
            ("refinedGoal", "the goal in your words"),
            (MOST_TEXT, false),
            found,
        ),
        concepts: object.texts("concepts", lists, found),
        prior_art: object.texts("priorArt", lists, found),
        codebase_context: context(object, found),
        sub_problems: object.texts("subProblems", lists, found),
        approaches: approaches(object, if is_small { 1 } else { 2 }, found),
        complexity,
        complexity_rationale: object.needed(
            ("complexityRationale", "why it is that complex"),
            (MOST_TEXT, false),
            found,
        ),
        scope_notes: object.text("scopeNotes", (MOST_TEXT, false), found),
        recommended_team: team(object, is_small, found),
    }
}

fn context(root: &JsonObject<'_>, found: &Findings<'_>) -> GoalContext {
    let of = ("what is there", CONTEXT_FIELDS.as_slice());
    let Some(value) = root.field("codebaseContext") else {
        root.missing("codebaseContext", "what is there as an object", found);
        return GoalContext::default();
    };
    let Some(object) = JsonObject::read((value, root.at("codebaseContext")), of, found) else {
        return GoalContext::default();
    };
    let lists = (MOST_ENTRIES, MOST_LINE);
    GoalContext {
        stack: object.text("stack", (MOST_TEXT, false), found),
        conventions: object.text("conventions", (MOST_TEXT, false), found),
        test_command: object.text("testCommand", (MOST_LINE, true), found),
        build_command: object.text("buildCommand", (MOST_LINE, true), found),
        relevant_modules: object.texts("relevantModules", lists, found),
        existing_patterns: object.texts("existingPatterns", lists, found),
    }
}

fn team(root: &JsonObject<'_>, is_small: bool, found: &Findings<'_>) -> Vec<ExpertBrief> {
    let entries = root.entries(("recommendedTeam", "experts"), MOST_EXPERTS, found);
    let listed = root.field("recommendedTeam");
    let many = listed.and_then(JsonPlace::entries).map_or(0, <[_]>::len);
    if many < LEAST_EXPERTS && !is_small {
        let at = listed.map_or(root.value().start, |value| value.start);
        let text = format!("these are {many} experts; name {LEAST_EXPERTS} to {MOST_EXPERTS}");
        found.error_at("FEW_EXPERTS", at, &root.at("recommendedTeam"), &text);
    }
    let mut names = BTreeSet::new();
    let mut team = Vec::new();
    for (value, path) in entries {
        let Some(object) = JsonObject::read((value, path), ("an expert", &EXPERT_FIELDS), found) else {
            continue;
        };
        let expert = expert(&object, found);
        if !expert.name.is_empty() && !names.insert(expert.name.clone()) {
            let text = format!("another expert is called {} too", quoted(&expert.name));
            found.error_at("DUPLICATE_NAME", value.start, &object.at("name"), &text);
        }
        team.push(expert);
    }
    team
}

fn expert(object: &JsonObject<'_>, found: &Findings<'_>) -> ExpertBrief {
    let name = object.needed(("name", "a short \"name\""), (LONGEST_NAME, true), found);
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    if !name.chars().all(is_plain) || name.starts_with('-') || name.ends_with('-') {
        let at = object
            .field("name")
            .map_or(object.value().start, |value| value.start);
        let text = format!(
            "{} is no name; write small letters, digits and hyphens",
            quoted(&name)
        );
        found.error_at("BAD_NAME", at, &object.at("name"), &text);
    }
    ExpertBrief {
        name,
        role: object.needed(("role", "a \"role\""), (MOST_LINE, true), found),
        kind: needed_word(object, "type", &KINDS, found).unwrap_or(ExpertKind::Scanner),
        model: object.word("model", &MODELS, found),
        mandate: object.needed(("mandate", "what it is to find out"), (MOST_TEXT, false), found),
    }
}
