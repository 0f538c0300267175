//! The word for the source that says what an agent does.

use crate::domain::attempt::Activity;

/// The word for the source of an activity.
pub fn source_words(activity: &Activity) -> &str {
    match activity.source.as_str() {
        "osc 7501" => "report",
        "started" => "start",
        "exit" => "end",
        other => other,
    }
}
