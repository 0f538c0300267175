//! Fields that several documents of a design have.

use serde::Serialize;

use crate::json_object::{JsonObject, TextLimit, words};

/// Maximum number of characters of a line, and of a longer text.
pub(super) const MOST_LINE: usize = 300;
pub(super) const MOST_TEXT: usize = 4_000;
pub(super) const LINE: TextLimit = (MOST_LINE, true);
pub(super) const TEXT: TextLimit = (MOST_TEXT, false);
/// Maximum number of entries of a list.
pub(super) const MOST_ENTRIES: usize = 30;

/// Maximum number of ways to a goal that are weighed.
const MOST_APPROACHES: usize = 3;

/// Models, in the words of Claude, as in a graph plan (G29).
pub(super) const MODELS: [(&str, &str); 3] = [("opus", "opus"), ("sonnet", "sonnet"), ("haiku", "haiku")];

/// Amount of something, such as effort or risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr, strum::VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Degree {
    Low,
    Medium,
    High,
}

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
pub(super) fn approaches(object: &JsonObject<'_>, least: usize) -> Vec<Approach> {
    let many = object.count("approaches");
    let entries = object.entries("approaches", "approaches", MOST_APPROACHES);
    if many < least {
        let text = format!("this has {many} approaches; weigh {least} to {MOST_APPROACHES}");
        object.error("FEW_APPROACHES", "approaches", text);
    }
    let objects = entries.into_iter();
    let objects = objects.filter_map(|entry| entry.object("an approach", &APPROACH_FIELDS));
    let approaches: Vec<Approach> = objects.map(|one| approach(&one)).collect();
    let recommended = approaches.iter().filter(|one| one.recommended).count();
    if !approaches.is_empty() && recommended != 1 {
        let text = format!("{recommended} of these are recommended; recommend one");
        object.error("BAD_RECOMMENDATION", "approaches", text);
    }
    approaches
}

fn approach(object: &JsonObject<'_>) -> Approach {
    Approach {
        name: object.needed("name", "a short \"name\"", LINE),
        description: object.needed("description", "a \"description\"", TEXT),
        pros: object.texts("pros", MOST_ENTRIES, MOST_LINE),
        cons: object.texts("cons", MOST_ENTRIES, MOST_LINE),
        effort: object.word("effort", &words()),
        risk: object.word("risk", &words()),
        recommended: object.switch("recommended"),
        rationale: object.text("rationale", TEXT),
    }
}
