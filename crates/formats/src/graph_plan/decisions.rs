//! Decisions of a plan, compared with the questions it was asked (G17).

use std::path::Path;

use crate::finding::{Finding, FindingLevel, Findings};
use crate::json_place::{self, JsonPlace};

/// Returns a finding for each of these names that no decision of the plan names.
pub fn undecided(file: &Path, text: &str, names: &[String]) -> Vec<Finding> {
    let found = Findings::about(file, text);
    // A text that is not JSON is reported by the reader of the whole plan.
    if let Ok(root) = json_place::parse(text) {
        let progress = root.member("progress");
        let decisions = progress.and_then(|progress| progress.member("decisions"));
        let entries = decisions.and_then(JsonPlace::entries).unwrap_or_default();
        let texts: Vec<&str> = entries.iter().filter_map(JsonPlace::text).collect();
        let at = decisions.map_or(root.start, |value| value.start);
        for name in names
            .iter()
            .filter(|name| !texts.iter().any(|text| has_word(text, name)))
        {
            let text =
                format!("no decision says what became of {name}; write one that begins with \"{name}: \"");
            found.note(FindingLevel::Error, "UNDECIDED", at, "$.progress.decisions", text);
        }
    }
    found.finish()
}

/// Returns true if the word appears in a text by itself: `C1` does not appear in `C10`.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter)).any(|one| one == word)
}
