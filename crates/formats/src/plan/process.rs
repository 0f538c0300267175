//! The process of a phase: notes to read and to write, steps, subagents (P15, P16).

use super::document::Inline;
use super::model::{MOST_NAMES, PlanItem};
use super::words;

/// Steps of the process that are known by a word of their line (P16).
const STEPS: [(&str, &str); 6] = [
    ("read previous notes", "read_previous_notes"),
    ("doc-sync-manager", "doc_sync_manager"),
    ("[implementation", "implementation"),
    ("pre-validation", "pre_validation"),
    ("task-validator", "task_validator"),
    ("write notes", "write_notes"),
];

/// Words before `agent:` that name no agent.
const ARTICLES: [&str; 8] = ["a", "an", "any", "each", "every", "no", "one", "the"];

/// Reads an item of the process: notes, steps and subagents.
pub(super) fn process(item: &mut PlanItem, text: &Inline) {
    let said = text.plain();
    let lower = said.to_lowercase();
    for name in marked_agents(&said) {
        add_agent(item, name);
    }
    // The first phase has nothing to read: `Read previous notes: N/A`.
    let has_none = said
        .split_once(':')
        .is_some_and(|(_, value)| words::is_none(value));
    for (mark, step) in STEPS {
        let is_asked = lower.contains(mark) && !(has_none && step == "read_previous_notes");
        if is_asked && !item.steps.contains(&step) {
            item.steps.push(step);
        }
    }
    let path = text
        .codes()
        .next()
        .map(str::trim)
        .filter(|path| !words::is_none(path));
    if lower.starts_with("read previous notes") {
        item.notes_before = path.map(str::to_owned);
    }
    let names_notes = |path: &&str| lower.contains("notes") || path.contains("NOTES_");
    if let Some(path) = path.filter(names_notes).filter(|_| lower.starts_with("write")) {
        item.notes = Some(path.to_owned());
        if !item.steps.contains(&"write_notes") {
            item.steps.push("write_notes");
        }
    }
}

/// Returns the names behind the mark `AGENT:`, and the name before ` agent:` at the beginning of an item: `task-validator agent: check`.
fn marked_agents(text: &str) -> impl Iterator<Item = &str> {
    let marks = text.split("AGENT:").skip(1);
    let before = text.split_once(" agent:").map(|(name, _)| name.trim());
    let is_name = |name: &&str| {
        !name.chars().any(char::is_whitespace) && !ARTICLES.contains(&name.to_lowercase().as_str())
    };
    let before = before.filter(is_name);
    marks.map(str::trim_start).chain(before).filter_map(|rest| {
        let end = rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || "-_".contains(sign)));
        rest.get(..end.unwrap_or(rest.len()))
            .filter(|name| !name.is_empty())
    })
}

fn add_agent(item: &mut PlanItem, name: &str) {
    if item.agents.len() < MOST_NAMES && !item.agents.iter().any(|known| known == name) {
        item.agents.push(name.to_owned());
    }
}

/// Adds the agent of a row of the table of agents, if the row says that the agent is required.
pub(super) fn required_agent(item: &mut PlanItem, cells: &[Inline]) {
    let is_required = cells.iter().any(|cell| cell.plain().contains("REQUIRED"));
    let name = cells.first().map(Inline::plain).unwrap_or_default();
    let name = name.trim_start_matches("AGENT:").trim();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "-_".contains(sign));
    if is_required && is_name {
        add_agent(item, name);
    }
}
