//! PRDs: JSON files with the stories of a feature, in both dialects (A23, LA-16). They are read, and one field of them is written; nothing
//! in them is run or followed.

mod edit;
mod model;
mod story;

use std::collections::BTreeMap;
use std::path::Path;

pub use edit::{SetPassesError, set_passes};
pub use model::{PrdDialect, PrdDocument, PrdStory, StorySize};
use serde_json::Map;

use crate::finding::Findings;
use crate::json_findings::quoted;
use crate::json_place::{self, JsonPlace};

/// Most bytes of a PRD that are read.
pub const MOST_PRD_BYTES: usize = 1_048_576;
/// Most stories of a PRD.
const MOST_STORIES: usize = 500;
const MOST_NAME: usize = 500;
const MOST_DESCRIPTION: usize = 20_000;

const FIELDS: [&str; 4] = ["type", "name", "description", "userStories"];
const KINDS: [&str; 6] = ["feature", "bug", "enhancement", "spike", "chore", "tech-debt"];

/// Returns true if a text is a PRD, by its content: an object with `userStories`. A text with a slip in its JSON counts when it looks like
/// one, so that the slip is reported.
pub fn is_prd(text: &str) -> bool {
    if text.len() > MOST_PRD_BYTES {
        return false;
    }
    if let Ok(root) = json_place::parse(text) {
        return root.member("userStories").is_some();
    }
    let body = text.trim_start_matches('\u{feff}').trim_start();
    body.starts_with('{') && body.contains("\"userStories\"")
}

/// Returns the name under which a story's files are kept: two ids with the same one would share a test file (LA-18).
fn story_key(id: &str) -> String {
    id.replace('-', "_").to_lowercase()
}

/// Reads a PRD. Its faults are in its findings, each with its path in the document.
pub fn read(file: &Path, text: &str) -> PrdDocument {
    let found = Findings::about(file, text);
    let mut prd = PrdDocument {
        file: file.to_owned(),
        dialect: None,
        kind: None,
        name: String::new(),
        description: String::new(),
        stories: Vec::new(),
        other: Map::new(),
        findings: Vec::new(),
    };
    if text.len() > MOST_PRD_BYTES {
        let text = format!(
            "this has {} bytes; a PRD has {MOST_PRD_BYTES} at most",
            text.len()
        );
        found.error_at("TOO_LARGE", 0, "$", &text);
    } else {
        match json_place::parse(text) {
            Ok(root) => read_root(&root, &mut prd, &found),
            Err(fault) => {
                let text = format!("this is no JSON that can be read: {}", fault.text);
                found.error_at("BAD_JSON", fault.at, "$", &text);
            }
        }
    }
    prd.findings = found.finish();
    prd
}

fn read_root(root: &JsonPlace, prd: &mut PrdDocument, found: &Findings<'_>) {
    let Some(members) = root.members() else {
        let text = format!("a PRD is an object with \"userStories\", not {}", root.kind());
        found.error_at("WRONG_KIND", root.start, "$", &text);
        return;
    };
    found.keys_once(root, "$");
    for (key, value) in members.iter().filter(|(key, _)| !FIELDS.contains(&key.as_str())) {
        found.unknown_key(key, &FIELDS, value, "$");
        prd.other.insert(key.clone(), value.plain());
    }
    // Only the strict schema has fields beside the stories.
    let is_strict = root.member("type").is_some() || root.member("name").is_some();
    let dialect = if is_strict {
        PrdDialect::Strict
    } else {
        PrdDialect::Template
    };
    prd.dialect = Some(dialect);
    prd.kind = kind(root, dialect, found);
    prd.name = root_text(root, "name", (MOST_NAME, true), found, dialect);
    prd.description = root_text(root, "description", (MOST_DESCRIPTION, false), found, dialect);
    prd.stories = stories(root, dialect, found);
}

fn kind(root: &JsonPlace, dialect: PrdDialect, found: &Findings<'_>) -> Option<String> {
    let text = root_text(root, "type", (MOST_NAME, true), found, dialect);
    if text.is_empty() || KINDS.contains(&text.as_str()) {
        return Some(text).filter(|text| !text.is_empty());
    }
    let at = root.member("type").map_or(root.start, |value| value.start);
    let text = format!("{} is no type of PRD; write {}", quoted(&text), KINDS.join(", "));
    found.error_at("BAD_TYPE", at, "$.type", &text);
    None
}

/// Reads a text of the root, which the strict dialect must have.
fn root_text(
    root: &JsonPlace,
    key: &str,
    (most, is_one_line): (usize, bool),
    found: &Findings<'_>,
    dialect: PrdDialect,
) -> String {
    let path = format!("$.{key}");
    let Some(value) = root.member(key) else {
        if dialect == PrdDialect::Strict {
            found.error_at("MISSING_FIELD", root.start, &path, "this is missing");
        }
        return String::new();
    };
    let text = found.text(value, &path, most, is_one_line);
    if text.as_deref() == Some("") {
        found.error_at("EMPTY", value.start, &path, "this is empty");
    }
    text.unwrap_or_default()
}

fn stories(root: &JsonPlace, dialect: PrdDialect, found: &Findings<'_>) -> Vec<PrdStory> {
    let path = "$.userStories";
    let Some(value) = root.member("userStories") else {
        let text = "this is missing; a PRD is a list of at least one story";
        found.error_at("MISSING_FIELD", root.start, path, text);
        return Vec::new();
    };
    let Some(entries) = value.entries() else {
        let text = format!("this must be a list of stories, not {}", value.kind());
        found.error_at("WRONG_KIND", value.start, path, &text);
        return Vec::new();
    };
    if entries.is_empty() {
        found.error_at("NO_STORIES", value.start, path, "a PRD needs at least one story");
    }
    if entries.len() > MOST_STORIES {
        let text = format!(
            "these are {} stories; write {MOST_STORIES} at most",
            entries.len()
        );
        found.error_at("TOO_MANY", value.start, path, &text);
        return Vec::new();
    }
    let mut stories: Vec<PrdStory> = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Some(story) = story::read(entry, &path, dialect, found) else {
            continue;
        };
        if let Some(first) = seen.insert(story_key(&story.id), path.clone()) {
            let text = format!("{} names the same files as the id of {first}", quoted(&story.id));
            found.error_at("DUPLICATE_ID", entry.start, &format!("{path}.id"), &text);
        }
        stories.push(story);
    }
    stories
}
