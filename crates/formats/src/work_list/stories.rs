//! Lists of stories in the dialects of PRDs that have no `userStories`: `{id, title, priority, passes}` or `{category, steps, complete}`,
//! as a list or as the one list of an object.

use dbs_domain::task::TaskKind;

use super::shape_findings::ShapeFindings;
use super::{WorkItem, is_true, json_of, names_in, sections, tag, text_of};
use crate::json_place::JsonPlace;

/// Fields that say whether a story is done.
pub(super) const DONE: [&str; 4] = ["passes", "complete", "completed", "done"];

/// Returns true if an object is a story: it says whether it is done.
pub(super) fn is_story(entry: &JsonPlace) -> bool {
    let has = |key: &str| entry.member(key).is_some();
    DONE.iter().any(|key| has(key))
        && ["title", "name", "description", "category"]
            .iter()
            .any(|key| has(key))
}

/// Returns the list of stories of a text.
pub(super) fn list(root: &JsonPlace) -> Option<&[JsonPlace]> {
    let is_list = |entries: &&[JsonPlace]| entries.first().is_some_and(is_story);
    let direct = root.entries().filter(is_list);
    let mut members = root.members().unwrap_or_default().iter();
    direct.or_else(|| members.find_map(|(_, value)| value.entries().filter(is_list)))
}

/// Returns the name of a story: its id, else its title.
pub(super) fn name(story: &JsonPlace) -> String {
    let id = text_of(story, "id");
    if id.trim().is_empty() { title(story) } else { id }
}

fn title(story: &JsonPlace) -> String {
    let keys = ["title", "name", "description", "category"];
    let titles = keys.iter().map(|key| text_of(story, key));
    let mut first = titles.map(|text| text.lines().next().unwrap_or_default().trim().to_owned());
    first.find(|text| !text.is_empty()).unwrap_or_default()
}

pub(super) fn read(text: &str, found: &mut ShapeFindings<'_>) -> Vec<WorkItem> {
    let Some((root, lines)) = json_of(text, found) else {
        return Vec::new();
    };
    let mut items: Vec<WorkItem> = Vec::new();
    for story in list(&root).unwrap_or_default() {
        let line = lines.line_of(story.start);
        match item(story, line) {
            Some(item) => items.push(item),
            None => found.error("NO_NAME", line, "this story has no title"),
        }
    }
    items
}

fn item(story: &JsonPlace, line: usize) -> Option<WorkItem> {
    let text = |key: &str| text_of(story, key);
    let needs = ["dependsOn", "depends_on", "dependencies"];
    let needs = needs
        .iter()
        .flat_map(|key| match story.member(key).and_then(JsonPlace::text) {
            Some(one) => vec![one.to_owned()],
            None => names_in(story, key, "id"),
        });
    Some(WorkItem {
        body: sections(&[
            ("", &text("description")),
            ("Acceptance criteria", &text("acceptanceCriteria")),
            ("Steps", &text("steps")),
            ("Notes", &text("notes")),
        ]),
        needs: needs.collect(),
        tags: Some(tag(&text("category")))
            .into_iter()
            .filter(|tag| !tag.is_empty())
            .collect(),
        priority: match text("priority").to_lowercase().as_str() {
            "0" | "critical" => 0,
            "1" | "high" => 1,
            "3" | "low" => 3,
            number => number.parse::<u8>().map_or(2, |rank| rank.min(4)),
        },
        kind: TaskKind::Feature,
        is_done: DONE.iter().any(|key| is_true(story, key)),
        ..WorkItem::new(&name(story), &title(story), line)?
    })
}
