//! Fields that several documents of a design have.

use serde::Serialize;

use crate::finding::Findings;
use crate::json_object::JsonObject;
use crate::json_place::JsonContent;

/// Most characters of a line, and of a longer text.
pub(super) const MOST_LINE: usize = 300;
pub(super) const MOST_TEXT: usize = 4_000;
/// Most entries of a list.
pub(super) const MOST_ENTRIES: usize = 30;

/// Most ways to a goal that are weighed.
const MOST_APPROACHES: usize = 3;

/// Models, in the words of Claude, as in a graph plan (G29).
pub(super) const MODELS: [(&str, &str); 3] = [("opus", "opus"), ("sonnet", "sonnet"), ("haiku", "haiku")];

/// Amount of something, such as effort or risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Degree {
    Low,
    Medium,
    High,
}

const DEGREES: [(&str, Degree); 3] = [
    ("low", Degree::Low),
    ("medium", Degree::Medium),
    ("high", Degree::High),
];

/// A way to reach something, with arguments for and against it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Approach {
    pub name: String,
    pub description: String,
    pub pros: Vec<String>,
    pub cons: Vec<String>,
    pub effort: Option<Degree>,
    pub risk: Option<Degree>,
    /// True if it is the way that its author would take.
    pub recommended: bool,
    /// Reason for or against it, and the facts that would change that.
    pub rationale: String,
}

const APPROACH_FIELDS: [&str; 8] = [
    "name",
    "description",
    "pros",
    "cons",
    "effort",
    "risk",
    "recommended",
    "rationale",
];

/// Reads the ways that were weighed: at least `least` and 3 at most, one of which is recommended.
pub(super) fn approaches(object: &JsonObject<'_>, least: usize, found: &Findings<'_>) -> Vec<Approach> {
    let entries = object.entries(("approaches", "approaches"), MOST_APPROACHES, found);
    let listed = object.field("approaches").and_then(|value| value.entries());
    let many = listed.map_or(0, <[_]>::len);
    let at = object
        .field("approaches")
        .map_or(object.value().start, |value| value.start);
    if many < least {
        let text = format!("this has {many} approaches; weigh {least} to {MOST_APPROACHES}");
        found.error_at("FEW_APPROACHES", at, &object.at("approaches"), &text);
    }
    let read = entries.into_iter().filter_map(|(value, path)| {
        let one = JsonObject::read((value, path), ("an approach", &APPROACH_FIELDS), found)?;
        Some(approach(&one, found))
    });
    let approaches: Vec<Approach> = read.collect();
    let recommended = approaches.iter().filter(|one| one.recommended).count();
    if !approaches.is_empty() && recommended != 1 {
        let text = format!("{recommended} of these are recommended; recommend one");
        found.error_at("BAD_RECOMMENDATION", at, &object.at("approaches"), &text);
    }
    approaches
}

fn approach(object: &JsonObject<'_>, found: &Findings<'_>) -> Approach {
    let lists = (MOST_ENTRIES, MOST_LINE);
    Approach {
        name: object.needed(("name", "a short \"name\""), (MOST_LINE, true), found),
        description: object.needed(("description", "a \"description\""), (MOST_TEXT, false), found),
        pros: object.texts("pros", lists, found),
        cons: object.texts("cons", lists, found),
        effort: object.word("effort", &DEGREES, found),
        risk: object.word("risk", &DEGREES, found),
        recommended: switch(object, "recommended", found),
        rationale: object.text("rationale", (MOST_TEXT, false), found),
    }
}

/// Reads true or false; false if it was not given.
fn switch(object: &JsonObject<'_>, key: &str, found: &Findings<'_>) -> bool {
    let Some(value) = object.field(key) else {
        return false;
    };
    if let JsonContent::Switch(switch) = value.content {
        return switch;
    }
    let text = format!("this must be true or false, not {}", value.kind());
    found.error_at("WRONG_KIND", value.start, &object.at(key), &text);
    false
}

/// Reads a word that may not be missing.
pub(super) fn needed_word<T: Copy>(
    object: &JsonObject<'_>,
    key: &str,
    words: &[(&'static str, T)],
    found: &Findings<'_>,
) -> Option<T> {
    if object.field(key).is_none() {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        object.missing(key, &format!("one of {}", known.join(", ")), found);
    }
    object.word(key, words, found)
}
