//! Phases in the shapes that people write by hand: headings of one document, and tables whose titles are no links. Each phase has the
//! text below its heading instead of a file of its own.

use std::collections::BTreeMap;
use std::ops::Range;

use super::document::{Inline, Part};
use super::master::{Master, PhaseRow};
use super::model::{MOST_NAMES, PhaseStatus, PlanItem};
use super::{phase, words};
use crate::finding::{Findings, LineStarts};
use dbs_domain::pluralized;
use dbs_domain::task::GateCommand;

/// Words that begin the heading of a phase, before its id.
const WORDS: [&str; 7] = [
    "phase",
    "stage",
    "step",
    "milestone",
    "sprint",
    "iteration",
    "part",
];
/// Keys of a line that names the phases another one waits for.
const NEEDS: [&str; 7] = [
    "depends on",
    "dependencies",
    "depends",
    "requires",
    "blocked by",
    "prerequisites",
    "after",
];
const DONE: [&str; 4] = ["✅", "✔", "☑", "[x]"];
/// Marks and words beside a title that are no part of it.
const MARKS: [&str; 7] = ["✅", "✔", "☑", "[x]", "[X]", "[ ]", "\u{fe0f}"];
const DONE_ENDS: [&str; 3] = ["(done)", "(complete)", "(completed)"];

/// Heading of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PhaseHeading {
    id: String,
    title: String,
    is_done: bool,
    /// True if it begins with a word such as `Phase`; else with an id such as `P2_1`.
    is_worded: bool,
}

/// A phase of a document: its place among the parts, and the bytes of its text.
struct Section {
    heading: PhaseHeading,
    line: usize,
    parts: Range<usize>,
    text: Range<usize>,
}

/// Reads the phases of a document whose table has no links, or that has headings instead of a table; `None` if it has neither.
pub(super) fn read(
    parts: &[Part],
    text: &str,
    table: Option<Master>,
    gates: &[GateCommand],
    found: &Findings<'_>,
) -> Option<Master> {
    let sections = sections(parts, text);
    let is_table = table.is_some();
    let mut master = match table {
        Some(master) => master,
        None => Master {
            title: super::master::title(parts),
            rows: sections.iter().map(row).collect(),
        },
    };
    if master.rows.is_empty() {
        return is_table.then_some(master);
    }
    let ids: Vec<String> = master.rows.iter().map(|row| row.item.id.clone()).collect();
    let mut by_id: BTreeMap<&str, &Section> = BTreeMap::new();
    for section in &sections {
        by_id.entry(section.heading.id.as_str()).or_insert(section);
    }
    for row in &mut master.rows {
        let needs = ids_in(&row.needs, &ids);
        need(&mut row.item, needs);
        if let Some(section) = by_id.get(row.item.id.as_str()) {
            let parts = parts.get(section.parts.clone()).unwrap_or_default();
            fill(row, section, parts, &ids, gates, found);
        }
    }
    let first = master.rows.first().map_or(0, |row| row.item.line);
    let place = if is_table {
        "the rows of a table"
    } else {
        "headings"
    };
    let text = format!(
        "{} read from {place}; a phase without gates of its own has those of the project; `dbs convert {}` has an agent write the plan with a file for each phase",
        verb(master.rows.len()),
        found.file().display()
    );
    found.warning("ONE_FILE", first, text);
    Some(master)
}

fn verb(n: usize) -> String {
    let be = if n == 1 { "is" } else { "are" };
    format!("{} {be}", pluralized(n, "phase"))
}

fn row(section: &Section) -> PhaseRow {
    let heading = &section.heading;
    PhaseRow {
        item: PlanItem {
            id: heading.id.clone(),
            title: heading.title.clone(),
            line: section.line,
            status: if heading.is_done {
                PhaseStatus::Completed
            } else {
                PhaseStatus::Pending
            },
            ..PlanItem::default()
        },
        link: None,
        needs: String::new(),
        has_status: heading.is_done,
    }
}

/// Reads the text of a phase into its item.
fn fill(
    row: &mut PhaseRow,
    section: &Section,
    parts: &[Part],
    ids: &[String],
    gates: &[GateCommand],
    found: &Findings<'_>,
) {
    let item = &mut row.item;
    phase::read_section(parts, item, gates, found);
    item.section = Some(section.text.clone());
    if item.title.is_empty() {
        item.title.clone_from(&section.heading.title);
    }
    for (key, value) in parts.iter().flat_map(lines_with_keys) {
        if NEEDS.contains(&key.as_str()) {
            need(item, ids_in(&value, ids));
        } else if key == "status" && !row.has_status {
            match words::status(&value) {
                Some(status) => item.status = status,
                None => super::master::unknown_status(&item.id, &value, section.line, found),
            }
            row.has_status = true;
        }
    }
    let is_ticked = !item.tasks.is_empty() && item.tasks.iter().all(|task| task.is_done);
    if !row.has_status && (section.heading.is_done || is_ticked) {
        item.status = PhaseStatus::Completed;
    }
}

fn need(item: &mut PlanItem, ids: Vec<String>) {
    for id in ids {
        if id != item.id && item.needs.len() < MOST_NAMES && !item.needs.contains(&id) {
            item.needs.push(id);
        }
    }
}

/// Returns the lines of a part that are `key: value`, with keys in lower case.
fn lines_with_keys(part: &Part) -> Vec<(String, String)> {
    let (Part::Paragraph { text, .. } | Part::Item { text, tick: None, .. }) = part else {
        return Vec::new();
    };
    let text = Inline::plain(text);
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let lines = lines.map(|(key, value)| (key.trim().to_lowercase(), value.trim().to_owned()));
    lines.collect()
}

/// Returns the phases that a text names by their ids alone or behind a word: `Phase 1, P2_1 and A`.
fn ids_in(text: &str, known: &[String]) -> Vec<String> {
    if words::is_none(text) {
        return Vec::new();
    }
    let named = text.split(|sign: char| !(sign.is_alphanumeric() || ".-_".contains(sign)));
    let named = named.map(|word| word.trim_end_matches(['.', '-', '_']));
    let named = named.filter_map(|word| known.iter().find(|id| id.eq_ignore_ascii_case(word)));
    named.cloned().collect()
}

/// Returns the sections of the document that are phases: those of the highest level of headings that name some.
fn sections(parts: &[Part], text: &str) -> Vec<Section> {
    let headings = parts.iter().enumerate().filter_map(|(at, part)| match part {
        Part::Heading { level, line, text } => Some((at, *level, *line, heading(&text.plain()))),
        _ => None,
    });
    let headings: Vec<_> = headings.collect();
    let of_level = |level: u8| {
        let own = headings.iter().filter(move |(_, own, _, _)| *own == level);
        own.filter_map(|(_, _, _, heading)| heading.as_ref())
    };
    let names_phases = |level: &u8| of_level(*level).any(|one| one.is_worded) || of_level(*level).count() > 1;
    let Some(level) = (1..=6).find(names_phases) else {
        return Vec::new();
    };
    let lines = LineStarts::of(text);
    let start = |line: usize| lines.start_of(line).unwrap_or(text.len());
    let mut sections = Vec::new();
    for (nth, (at, own, line, _)) in headings.iter().enumerate() {
        let Some(heading) = headings.get(nth).and_then(|(_, _, _, heading)| heading.as_ref()) else {
            continue;
        };
        if *own != level {
            continue;
        }
        let mut behind = headings.iter().skip(nth + 1);
        let next = behind.find(|(_, own, _, _)| *own <= level);
        let (end, end_byte) = next.map_or((parts.len(), text.len()), |(at, _, line, _)| (*at, start(*line)));
        sections.push(Section {
            heading: heading.clone(),
            line: *line,
            parts: at + 1..end,
            text: start(*line)..end_byte,
        });
    }
    sections
}

/// Reads the heading of a phase: `Phase 1: Model ✅`, `Stage A. Tables (done)`, `P2_1 — Export`.
fn heading(text: &str) -> Option<PhaseHeading> {
    let lower = text.to_lowercase();
    let is_done = DONE.iter().any(|mark| lower.contains(mark))
        || DONE_ENDS.iter().any(|end| lower.trim_end().ends_with(end));
    let mut bare = text.to_owned();
    for mark in MARKS {
        bare = bare.replace(mark, "");
    }
    let lower = bare.to_ascii_lowercase();
    let kept = DONE_ENDS
        .iter()
        .find_map(|end| lower.trim_end().strip_suffix(end));
    let bare = kept.and_then(|kept| bare.get(..kept.len())).unwrap_or(&bare);
    let bare = bare
        .trim_start_matches(|sign: char| !sign.is_alphanumeric())
        .trim_end();
    // A number before the word only counts the headings: `2. Phase 1: Model`.
    let counted = bare.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let counted = counted.strip_prefix(['.', ')']).unwrap_or(bare).trim_start();
    let worded = behind_word(counted)
        .or_else(|| behind_word(bare))
        .or_else(|| behind_title(bare));
    let (rest, is_worded) = worded.map_or((bare, false), |rest| (rest, true));
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    let end = rest.find(|sign: char| !is_sign(sign)).unwrap_or(rest.len());
    let (id, title) = rest.split_at_checked(end)?;
    let id = id.trim_end_matches(['.', '-', '_']);
    let title = rest.get(id.len()..).unwrap_or(title);
    let is_separator = |sign: char| ":.)-–—|".contains(sign);
    let is_apart = title.trim_start().starts_with(is_separator);
    let first = id.chars().next()?;
    let is_meant = is_worded || first.is_ascii_uppercase() && is_apart;
    if !words::is_id(id) || !is_meant {
        return None;
    }
    let title = title.trim_start_matches(|sign: char| sign.is_whitespace() || is_separator(sign));
    Some(PhaseHeading {
        id: id.to_owned(),
        title: title.trim().to_owned(),
        is_done,
        is_worded,
    })
}

/// Returns the id and title behind the name of the plan, as the file of a single phase has them: `Shop Phase 2: Export`.
fn behind_title(text: &str) -> Option<&str> {
    let at = text.to_ascii_lowercase().find(" phase ")?;
    let rest = text.get(at + " phase ".len()..)?;
    let (id, _) = rest.split_once(':')?;
    words::is_id(id).then_some(rest)
}

/// Returns the text behind a word that begins the heading of a phase.
fn behind_word(text: &str) -> Option<&str> {
    let (word, rest) = text.split_once([' ', '\u{a0}'])?;
    WORDS
        .contains(&word.to_lowercase().as_str())
        .then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_names_a_phase_by_a_word_or_by_an_id_of_letters() {
        let read = |text: &str| heading(text).map(|found| (found.id, found.title, found.is_done));
        let wanted = |id: &str, title: &str, is_done| Some((id.to_owned(), title.to_owned(), is_done));
        assert_eq!(read("Phase 1: Model ✅"), wanted("1", "Model", true));
        assert_eq!(read("✅ Phase 2.1 - Export"), wanted("2.1", "Export", true));
        assert_eq!(read("[x] Stage A. Tables"), wanted("A", "Tables", true));
        assert_eq!(read("🚀 Milestone 3 (completed)"), wanted("3", "", true));
        assert_eq!(read("2. Phase 1: Model"), wanted("1", "Model", false));
        assert_eq!(read("P2_1 — Export"), wanted("P2_1", "Export", false));
        assert_eq!(read("A: Tables"), wanted("A", "Tables", false));
        assert_eq!(read("Shop Phase 2: Export"), wanted("2", "Export", false));
        for other in [
            "Notes on phase 2",
            "Phases",
            "1. Overview",
            "A plan",
            "Phase of planning",
            "2026-01-02: Notes",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
