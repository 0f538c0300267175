//! PRDs: JSON files with the stories of a feature, in both dialects (A23, LA-16). They are read, and one field of them is written; nothing
//! in them is run or followed.

mod edit;
mod model;
mod story;

use std::collections::BTreeMap;
use std::path::Path;

use dbs_domain::WaitGraph;
pub use edit::{SetPassesError, set_passes};
pub use model::{PrdDialect, PrdDocument, PrdStory, StorySize};
use serde_json::Map;

use crate::finding::{FindingLevel, Findings};
use crate::json_object::{self, JsonField, JsonObject, TextLimit, quoted};
use crate::json_place;

/// Maximum number of bytes of a PRD that are read.
pub const MOST_PRD_BYTES: usize = 1_048_576;
/// Maximum number of stories of a PRD.
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
        found.note(FindingLevel::Error, "TOO_LARGE", 0, "$", text);
    } else if let Some(root) = json_object::parse(text, &found) {
        read_root(JsonField::root(&root, &found), &mut prd);
    }
    prd.findings = found.finish();
    prd
}

fn read_root(root: JsonField<'_>, prd: &mut PrdDocument) {
    let Some(members) = root.place.members() else {
        let text = format!(
            "a PRD is an object with \"userStories\", not {}; `dbs import FILE` makes tasks of a list of stories",
            root.place.kind()
        );
        root.error("WRONG_KIND", text);
        return;
    };
    let Some(object) = root.object("a PRD", &FIELDS) else {
        return;
    };
    let other = members.iter().filter(|(key, _)| !FIELDS.contains(&key.as_str()));
    prd.other = other.map(|(key, value)| (key.clone(), value.plain())).collect();
    // Only the strict schema has fields beside the stories.
    let is_strict = object.member("type").is_some() || object.member("name").is_some();
    let dialect = if is_strict {
        PrdDialect::Strict
    } else {
        PrdDialect::Template
    };
    prd.dialect = Some(dialect);
    prd.kind = kind(&object, dialect);
    prd.name = root_text(&object, "name", (MOST_NAME, true), dialect);
    prd.description = root_text(&object, "description", (MOST_DESCRIPTION, false), dialect);
    prd.stories = stories(&object, dialect);
}

fn kind(root: &JsonObject<'_>, dialect: PrdDialect) -> Option<String> {
    root.member("type")?;
    let text = root_text(root, "type", (MOST_NAME, true), dialect);
    if text.is_empty() || KINDS.contains(&text.as_str()) {
        return Some(text).filter(|text| !text.is_empty());
    }
    let text = format!(
        "{} is not a type of PRD; write {}",
        quoted(&text),
        KINDS.join(", ")
    );
    root.error("BAD_TYPE", "type", text);
    None
}

/// Reads a text of the root, which the strict dialect must have.
fn root_text(root: &JsonObject<'_>, key: &str, limit: TextLimit, dialect: PrdDialect) -> String {
    let Some(field) = root.member(key) else {
        if dialect == PrdDialect::Strict {
            root.lacks("MISSING_FIELD", key, "this is missing");
        }
        return String::new();
    };
    field.filled(limit).unwrap_or_default()
}

fn stories(root: &JsonObject<'_>, dialect: PrdDialect) -> Vec<PrdStory> {
    let Some(list) = root.member("userStories") else {
        let text = "this is missing; a PRD is a list of at least one story";
        root.lacks("MISSING_FIELD", "userStories", text);
        return Vec::new();
    };
    let entries = list.entries("stories", usize::MAX);
    match entries.len() {
        0 if list.place.entries().is_some() => list.error("NO_STORIES", "a PRD needs at least one story"),
        n if n > MOST_STORIES => {
            let text = format!("these are {n} stories; write {MOST_STORIES} at most");
            list.error("TOO_MANY", text);
            return Vec::new();
        }
        _ => {}
    }
    let mut stories: Vec<PrdStory> = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries {
        let Some(story) = story::read(&entry, dialect) else {
            continue;
        };
        if let Some(first) = seen.insert(story_key(&story.id), entry.path.clone()) {
            let text = format!("{} names the same files as the id of {first}", quoted(&story.id));
            entry.below(".id").error("DUPLICATE_ID", text);
        }
        stories.push(story);
    }
    check_needs(&stories, &list);
    stories
}

/// Reports stories that wait for ones that are not in the PRD, and stories that wait for each other.
fn check_needs(stories: &[PrdStory], list: &JsonField<'_>) {
    let is_unknown = |id: &&String| !stories.iter().any(|story| story.id == **id);
    let mut strange = stories
        .iter()
        .flat_map(|story| story.needs.iter().filter(is_unknown));
    if let Some(id) = strange.next() {
        let text = format!(
            "a story waits for {}, which is not in this PRD: it begins without it",
            quoted(id)
        );
        list.warning("UNKNOWN_DEPENDENCY", text);
    }
    let needs = |story: &PrdStory| story.needs.clone();
    let graph = WaitGraph::new(stories.iter().map(|story| (story.id.clone(), needs(story))));
    let circle = graph.circle();
    if !circle.is_empty() {
        let text = format!("the stories {} wait for each other", circle.join(", "));
        list.error("CIRCULAR_DEPENDENCY", text);
    }
}
