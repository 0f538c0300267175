//! The file `history.md`: stories that were finished or got stuck, one entry each, only ever appended (A21).

use std::collections::BTreeSet;

use super::StoryStateError;
use super::state::is_utc;
use dbs_domain::cut::cut_chars;

/// Start of a history; written once, when there is none.
pub const HISTORY_HEADER: &str = "# History\n\nStories that were finished or got stuck, the newest last.\n\n";

/// Maximum number of characters of a value in an entry.
const MOST_VALUE: usize = 500;

/// Entry about a finished story.
#[derive(Debug, Clone)]
pub struct CompletionEntry<'a> {
    /// UTC: `2026-02-01T20:15:00Z`; an entry shows the minute.
    pub at: &'a str,
    /// File name of the PRD.
    pub prd: &'a str,
    pub story: &'a str,
    pub title: &'a str,
    pub minutes: u64,
    /// Tests that passed, and all of them.
    pub tests: (u32, u32),
    /// Short hash of the commit.
    pub commit: &'a str,
    pub model: &'a str,
    pub session: u64,
    /// Acceptance criteria that are met.
    pub criteria: &'a [String],
}

/// Entry about a story that got stuck.
#[derive(Debug, Clone)]
pub struct BlockEntry<'a> {
    /// UTC: `2026-02-01T20:15:00Z`.
    pub at: &'a str,
    /// File name of the PRD.
    pub prd: &'a str,
    pub story: &'a str,
    pub title: &'a str,
    pub reason: &'a str,
    pub session: u64,
}

/// An entry as it was read back: enough to know which need not be written again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Line at which it begins.
    pub line: usize,
    pub story: String,
    pub prd: Option<String>,
    /// Commit of a story that is finished.
    pub commit: Option<String>,
    pub is_blocked: bool,
}

/// Returns the history with this entry at its end; unchanged when it holds the same story of the same PRD with the same commit already.
///
/// # Errors
/// When the time is not a time in UTC.
pub fn append_completion(history: &str, entry: &CompletionEntry<'_>) -> Result<String, StoryStateError> {
    let is_there = read_history(history).iter().any(|known| {
        !known.is_blocked
            && known.story == clean(entry.story)
            && known.prd.as_deref() == Some(clean(entry.prd).as_str())
            && known.commit.as_deref() == Some(clean(entry.commit).as_str())
    });
    if is_there {
        return Ok(history.to_owned());
    }
    let mut text = begun(
        history,
        entry.at,
        &format!("Story {} Complete", clean(entry.story)),
    )?;
    let (passed, total) = entry.tests;
    let unit = if entry.minutes == 1 { "minute" } else { "minutes" };
    let rows = [
        ("PRD", clean(entry.prd)),
        (
            "Story",
            format!("{} - {}", clean(entry.story), clean(entry.title)),
        ),
        ("Duration", format!("{} {unit}", entry.minutes)),
        ("Tests", format!("{passed}/{total} passed")),
        ("Commit", clean(entry.commit)),
        ("Model", clean(entry.model)),
        ("Session", entry.session.to_string()),
    ];
    bullets(&mut text, &rows);
    text.push_str("\n### Acceptance Criteria Met\n");
    for criterion in entry.criteria {
        text.push_str("- [x] ");
        text.push_str(&clean(criterion));
        text.push('\n');
    }
    text.push_str("\n---\n");
    Ok(text)
}

/// Returns the history with this entry at its end. A story may get stuck more than once.
///
/// # Errors
/// When the time is not a time in UTC.
pub fn append_block(history: &str, entry: &BlockEntry<'_>) -> Result<String, StoryStateError> {
    let mut text = begun(
        history,
        entry.at,
        &format!("Story {} BLOCKED", clean(entry.story)),
    )?;
    let rows = [
        ("PRD", clean(entry.prd)),
        (
            "Story",
            format!("{} - {}", clean(entry.story), clean(entry.title)),
        ),
        ("Reason", clean(entry.reason)),
        ("Session", entry.session.to_string()),
    ];
    bullets(&mut text, &rows);
    text.push_str("\n---\n");
    Ok(text)
}

/// Reads the entries of a history, in their order. Text between them, and entries of another form, are passed over.
pub fn read_history(history: &str) -> Vec<HistoryEntry> {
    let mut entries: Vec<HistoryEntry> = Vec::new();
    for (index, line) in history.lines().enumerate() {
        if line.starts_with("## ") {
            entries.extend(head(line).map(|(story, is_blocked)| HistoryEntry {
                line: index + 1,
                story,
                prd: None,
                commit: None,
                is_blocked,
            }));
        } else if let Some(entry) = entries.last_mut() {
            if let Some(prd) = line.strip_prefix("- **PRD:** ") {
                entry.prd = Some(prd.trim().to_owned());
            } else if let Some(commit) = line.strip_prefix("- **Commit:** ") {
                entry.commit = Some(commit.trim().to_owned());
            }
        }
    }
    entries
}

/// Reads story and outcome of a line such as `## 2026-02-01 20:15 - Story US-002 Complete`.
fn head(line: &str) -> Option<(String, bool)> {
    let (_, told) = line.split_once(" - Story ")?;
    let (story, outcome) = told.trim_end().rsplit_once(' ')?;
    match outcome {
        "Complete" => Some((story.to_owned(), false)),
        "BLOCKED" => Some((story.to_owned(), true)),
        _ => None,
    }
}

/// Returns the history with a header if it has none, an empty line, and the heading of an entry.
fn begun(history: &str, at: &str, heading: &str) -> Result<String, StoryStateError> {
    if !is_utc(at) {
        return Err(StoryStateError::Inconsistent(format!(
            "{at:?} is not a time of the form 2026-02-01T20:15:00Z"
        )));
    }
    let mut text = spaced(history);
    let minute = at.get(..16).unwrap_or_default().replace('T', " ");
    text.push_str("## ");
    text.push_str(&minute);
    text.push_str(" - ");
    text.push_str(heading);
    text.push_str("\n\n");
    Ok(text)
}

/// Returns a history behind which an entry can stand: with a header if it has none, and an empty line.
fn spaced(history: &str) -> String {
    let mut text = if history.trim().is_empty() {
        HISTORY_HEADER.to_owned()
    } else {
        history.to_owned()
    };
    while !text.ends_with("\n\n") {
        text.push('\n');
    }
    text
}

/// Returns a history with the entries of another at its end that it lacks; an entry is known by its time, story, PRD, commit and reason.
pub(super) fn with_missing(own: &str, other: &str) -> String {
    let known: BTreeSet<String> = entries(own).map(key).collect();
    let missing = entries(other).filter(|entry| !known.contains(&key(entry)));
    missing.fold(own.to_owned(), |text, entry| {
        spaced(&text) + entry.trim_end() + "\n"
    })
}

/// Returns the texts of the entries of a history, each up to the next heading.
fn entries(history: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    let mut starts: Vec<usize> = Vec::new();
    for line in history.split_inclusive('\n') {
        if line.starts_with("## ") {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.clone().into_iter().skip(1).chain([history.len()]);
    let parts = starts.into_iter().zip(ends);
    let parts = parts.filter_map(|(start, end)| history.get(start..end));
    parts.filter(|entry| entry.lines().next().is_some_and(|line| head(line).is_some()))
}

fn key(entry: &str) -> String {
    let marks = ["## ", "- **PRD:** ", "- **Commit:** ", "- **Reason:** "];
    let is_part = |line: &&str| marks.iter().any(|mark| line.starts_with(mark));
    let parts: Vec<&str> = entry.lines().filter(is_part).map(str::trim_end).collect();
    parts.join("\n")
}

fn bullets(text: &mut String, rows: &[(&str, String)]) {
    for (name, value) in rows {
        text.push_str("- **");
        text.push_str(name);
        text.push_str(":** ");
        text.push_str(value);
        text.push('\n');
    }
}

/// Returns a value in one line, so that it cannot begin an entry of its own.
fn clean(value: &str) -> String {
    let words: Vec<&str> = value
        .split(|letter: char| letter.is_whitespace() || letter.is_control())
        .collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    cut_chars(&words.join(" "), MOST_VALUE).to_owned()
}
