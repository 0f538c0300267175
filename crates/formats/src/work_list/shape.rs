//! Kind of a text, by its content: which list of work, which plan, or none.

use dbs_domain::WorkSource;

use super::{checklist, json_lines, stories, task_master};
use crate::json_place::{self, JsonPlace};
use crate::plan;

/// Kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextShape {
    /// A list of work of another tool.
    List(WorkSource),
    /// Tasks as `dbs task list --json` prints them, or as a person writes them for the board.
    Tasks,
    /// An object with `userStories`.
    Prd,
    /// A `plan.json`.
    GraphPlan,
    /// A document with phases, as a table or as headings.
    PhasedPlan,
    /// Nothing but blanks.
    Empty,
    /// JSON of another kind.
    OtherJson,
    /// Text of another kind.
    OtherText,
}

impl TextShape {
    /// Returns the name for people.
    pub fn word(self) -> &'static str {
        match self {
            TextShape::List(source) => source.word(),
            TextShape::Tasks => "list of tasks",
            TextShape::Prd => "PRD",
            TextShape::GraphPlan => "graph plan",
            TextShape::PhasedPlan => "phased plan",
            TextShape::Empty => "file that is empty",
            TextShape::OtherJson => "JSON text of a kind that is not known",
            TextShape::OtherText => "text without boxes to tick and without phases",
        }
    }
}

/// Returns the kind of a text.
pub fn shape_of(text: &str) -> TextShape {
    let body = text.trim_start_matches('\u{feff}');
    let begin = body.trim_start();
    if begin.is_empty() {
        return TextShape::Empty;
    }
    if !begin.starts_with(['{', '[']) || is_markdown(begin) {
        return match () {
            () if plan::has_phases(body) => TextShape::PhasedPlan,
            () if !checklist::read(body).is_empty() => TextShape::List(WorkSource::Checklist),
            () => TextShape::OtherText,
        };
    }
    if let Ok(root) = json_place::parse(body) {
        return of_json(&root);
    }
    let first = json_lines::lines(body).find_map(|line| line.value);
    first.map_or(TextShape::OtherJson, |first| of_entry(&first))
}

/// Returns true if a text begins with a box or a link rather than with JSON.
fn is_markdown(text: &str) -> bool {
    ["[ ]", "[x]", "[X]"].iter().any(|mark| text.starts_with(mark))
        || text.starts_with('[') && text.lines().next().is_some_and(|line| line.contains("]("))
}

fn of_json(root: &JsonPlace) -> TextShape {
    let has = |key: &str| root.member(key).is_some();
    if has("userStories") {
        return TextShape::Prd;
    }
    if has("schemaVersion") {
        return TextShape::GraphPlan;
    }
    if let Some(entries) = root.entries() {
        return entries.first().map_or(TextShape::Tasks, of_entry);
    }
    // A plan.json without its version has tasks, too, and a goal.
    if !has("goal") && task_master::is_whole(root) {
        return TextShape::List(WorkSource::TaskMaster);
    }
    if stories::list(root).is_some() {
        return TextShape::List(WorkSource::Stories);
    }
    of_entry(root)
}

/// Returns the kind of a list, or of a text with an object on each line, by its first entry.
fn of_entry(entry: &JsonPlace) -> TextShape {
    let has = |key: &str| entry.member(key).is_some();
    let source = if has("issue_type")
        || has("_type")
        || (has("id") && has("status") && has("dependencies") && has("title"))
    {
        WorkSource::Beads
    } else if stories::is_story(entry) {
        WorkSource::Stories
    } else if has("number") && has("url") {
        WorkSource::Github
    } else if has("iid") && has("web_url") {
        WorkSource::Gitlab
    } else if has("title") {
        return TextShape::Tasks;
    } else {
        return TextShape::OtherJson;
    };
    TextShape::List(source)
}
