//! Names of tasks in places that would show only their ids: an id that says nothing gets the beginning of the title.

use crate::domain::cut::cut_marked;
use crate::domain::{TaskId, WaitReason};
use crate::read_model::ReadModel;

/// Characters of a title that are shown after an id.
const TITLE: usize = 20;

impl ReadModel {
    /// The id; behind one that says nothing, such as `shop-6f2a`, the beginning of the title.
    pub fn name_of(&self, id: &TaskId) -> String {
        let title = self
            .tasks
            .get(id)
            .map(|task| task.title.trim())
            .unwrap_or_default();
        if title.is_empty() || !says_nothing(id.as_str()) {
            return id.to_string();
        }
        format!("{id} {}", cut_marked(title, TITLE))
    }

    /// Returns the reason why a task is not started, with names of the tasks it waits for.
    pub fn wait_text(&self, why: &WaitReason) -> String {
        let names = |ids: &[TaskId]| {
            let names: Vec<String> = ids.iter().map(|id| self.name_of(id)).collect();
            names.join(", ")
        };
        match why {
            WaitReason::Dependencies(ids) => format!("waits for {}", names(ids)),
            WaitReason::DependencyNotMerged(ids) => format!("waits for the merge of {}", names(ids)),
            other => other.to_string(),
        }
    }
}

/// Returns true if the part after the last dash was made by a program: four or more characters, digits among them, and no letters except a
/// to f or no vowel, so that `knot-12`, `t-100` and `v2-login` are names.
fn says_nothing(id: &str) -> bool {
    let last = id.rsplit_once('-').map_or(id, |(_, last)| last);
    let is_made = last.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase());
    let is_hex = last.chars().all(|c| c.is_ascii_hexdigit());
    let has_vowel = last.contains(['a', 'e', 'i', 'o', 'u']);
    let digits = last.chars().filter(char::is_ascii_digit).count();
    last.len() >= 4 && is_made && digits > 0 && (is_hex || !has_vowel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_programs_made_say_nothing_and_those_of_people_do() {
        for id in ["dbs-6922", "shop-6f2a", "bd-x7k2", "dbs-00af31"] {
            assert!(says_nothing(id), "{id}");
        }
        for id in [
            "knot-12", "t-1", "t-100", "login", "v2-login", "fix-face", "API-2B", "step-a1",
        ] {
            assert!(!says_nothing(id), "{id}");
        }
    }
}
