//! Changes of an integrator beyond the conflict that it was called for.

use serde::{Deserialize, Serialize};

/// Maximum number of files that are named in a text.
const MOST_NAMED: usize = 5;

/// Changes of an integrator that no earlier stage has seen: the difference between the engine's own merge of the head that was to be
/// merged, and the merge of the head that the integrator left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integration {
    /// Commit of the engine's own merge, with the markers of its conflicts; in the control repository.
    pub from: String,
    /// Commit of the merge of the integrator's head; in the control repository.
    pub to: String,
    /// Head that the integrator left.
    pub head: String,
    /// Files that differ outside of every conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Files whose conflicts were resolved with lines that neither side has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<String>,
}

impl Integration {
    /// Returns the changes in one line for people.
    pub fn summary(&self) -> String {
        let outside = named(&self.outside).map(|files| format!("changed {files} outside of a conflict"));
        let written =
            named(&self.written).map(|files| format!("wrote lines into {files} that neither side has"));
        let parts: Vec<String> = [outside, written].into_iter().flatten().collect();
        format!("its integrator {}", parts.join(" and "))
    }
}

fn named(files: &[String]) -> Option<String> {
    let shown: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let shown = (!shown.is_empty()).then(|| shown.join(", "))?;
    Some(match files.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    })
}
