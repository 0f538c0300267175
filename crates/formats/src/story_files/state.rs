//! The file `state.json`: the current story and its PRD (A18).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// Maximum number of bytes of a state file that are read.
const MOST_BYTES: usize = 262_144;
/// Maximum number of stories of a list, and of characters of a name.
const MOST_STORIES: usize = 1000;
const MOST_NAME: usize = 200;

/// State of the work on stories. The fields are written in this order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoryState {
    /// File name of the PRD; `None` if the queue is empty.
    pub current_prd: Option<String>,
    pub current_story: Option<String>,
    pub completed_stories: Vec<String>,
    /// Stories behind the current one.
    pub remaining_stories: Vec<String>,
    /// UTC: `2026-02-01T20:00:00Z`.
    pub last_updated: String,
    /// Sessions that were started.
    pub session_count: u64,
    /// Fields that are not known, as they are.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Error of a state file that is refused; each reads after "could not read state.json:".
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoryStateError {
    #[error("it has {0} bytes, and {MOST_BYTES} at most are read; move it away and start again")]
    TooLarge(usize),
    #[error("line {line}: {why}; fix the file, or move it away and start again")]
    Malformed { line: usize, why: String },
    #[error("{0}; fix the file, or move it away and start again")]
    Inconsistent(String),
}

/// Reads a state file. A current story that is also the first of the remaining ones is removed from those.
///
/// # Errors
/// When it is not JSON of this form, or contradicts itself: a state that is not understood is never written over.
pub fn read_state(text: &str) -> Result<StoryState, StoryStateError> {
    if text.len() > MOST_BYTES {
        return Err(StoryStateError::TooLarge(text.len()));
    }
    let read = serde_json::from_str(text.trim_start_matches('\u{feff}'));
    let mut state: StoryState = read.map_err(|error| {
        let told = error.to_string();
        let why = told.split(" at line ").next().unwrap_or_default().to_owned();
        StoryStateError::Malformed {
            line: error.line(),
            why,
        }
    })?;
    let is_first_too =
        state.current_story.is_some() && state.remaining_stories.first() == state.current_story.as_ref();
    if is_first_too {
        state.remaining_stories.remove(0);
    }
    check(&state)?;
    Ok(state)
}

/// Returns the text of a state file: one field a line, lists in one line, as the seed shows it.
///
/// # Errors
/// When the state contradicts itself or its time is not a time, so that a broken file is never written.
pub fn write_state(state: &StoryState) -> Result<String, StoryStateError> {
    check(state)?;
    let value = serde_json::to_value(state);
    let Ok(Value::Object(fields)) = value else {
        return Err(StoryStateError::Inconsistent(
            "it cannot be written as JSON".to_owned(),
        ));
    };
    let lines: Vec<String> = fields.iter().map(|(key, value)| line(key, value)).collect();
    Ok(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

fn line(key: &str, value: &Value) -> String {
    let key = Value::from(key);
    match value {
        Value::Array(entries) => {
            let entries: Vec<String> = entries.iter().map(ToString::to_string).collect();
            format!("  {key}: [{}]", entries.join(", "))
        }
        value => format!("  {key}: {value}"),
    }
}

fn check(state: &StoryState) -> Result<(), StoryStateError> {
    let wrong = |text: String| Err(StoryStateError::Inconsistent(text));
    if !is_utc(&state.last_updated) {
        return wrong("last_updated is not a time of the form 2026-02-01T20:00:00Z".to_owned());
    }
    if state.current_story.is_some() && state.current_prd.is_none() {
        return wrong("it names a current story and no current PRD".to_owned());
    }
    if let Some(prd) = &state.current_prd
        && (!is_name(prd) || prd.contains(['/', '\\', ':']) || prd.starts_with('.'))
    {
        return wrong("current_prd is not a plain file name".to_owned());
    }
    let stories = || {
        let listed = state.completed_stories.iter().chain(&state.remaining_stories);
        listed.chain(&state.current_story)
    };
    if stories().count() > MOST_STORIES {
        return wrong(format!("it names more than {MOST_STORIES} stories"));
    }
    let mut seen = std::collections::BTreeSet::new();
    for story in stories() {
        if !is_name(story) {
            return wrong(
                "it names a story whose id is empty, too long or holds control characters".to_owned(),
            );
        }
        if !seen.insert(story) {
            return wrong(format!("it names story {story:?} twice"));
        }
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MOST_NAME && !text.chars().any(char::is_control)
}

/// Returns true if a text is a time in UTC; parts of a second are allowed, as other programs write them.
pub(super) fn is_utc(text: &str) -> bool {
    let Some((time, zone)) = text.split_at_checked(19) else {
        return false;
    };
    let has_form = time
        .bytes()
        .zip("0000-00-00T00:00:00".bytes())
        .all(|(byte, form)| match form {
            b'0' => byte.is_ascii_digit(),
            mark => byte == mark,
        });
    let zone = match zone.strip_prefix('.') {
        Some(rest) => rest.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => zone,
    };
    has_form && text.len() <= 40 && (zone == "Z" || zone == "+00:00")
}
