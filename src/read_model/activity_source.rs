//! From what it is known what an agent does, in a word.

use crate::domain::attempt::Activity;

/// What people are told of a source: what it is of the agent's, not how its bytes are called. Reads after "known from".
pub fn source_words(activity: &Activity) -> &str {
    match activity.source.as_str() {
        "osc 7501" => "report",
        "started" => "start",
        "exit" => "end",
        other => other,
    }
}
