//! The output of a runner as plain lines, and the parts common to all runners.

use super::MOST_OUTPUT_BYTES;
use dbs_domain::{TestCounts, TestOutcome, TestReport};

/// Maximum number of names that are kept of one kind, and of characters of each.
const MOST_NAMES: usize = 50;
const MOST_NAME: usize = 200;

/// The lines of an output without colours and other control characters.
pub(super) struct Output {
    pub(super) lines: Vec<String>,
}

impl Output {
    pub(super) fn of(text: &str) -> Output {
        let mut start = text.len().saturating_sub(MOST_OUTPUT_BYTES);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let end = text.get(start..).unwrap_or_default();
        Output {
            lines: end.lines().map(plain).collect(),
        }
    }

    pub(super) fn has(&self, words: &str) -> bool {
        self.lines.iter().any(|line| line.contains(words))
    }

    pub(super) fn has_line_that_begins(&self, words: &str) -> bool {
        self.lines.iter().any(|line| line.starts_with(words))
    }

    /// Returns the result of `read` for the last line in which it finds something.
    pub(super) fn last<T>(&self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.lines.iter().rev().find_map(|line| read(line))
    }

    /// Returns the names that `read` finds in all lines, each once, bounded.
    pub(super) fn names(&self, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
        bounded(self.lines.iter().filter_map(|line| read(line)))
    }
}

/// Returns a line without the sequences of terminals and without control characters.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next() == Some('[') {
                letters.by_ref().find(|letter| ('@'..='~').contains(letter));
            }
        } else if letter == '\t' || !letter.is_control() {
            plain.push(letter);
        }
    }
    plain
}

/// Returns the first of these names, each once, none too long.
pub(super) fn bounded(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        let name: String = name.trim().replace('\t', " ").chars().take(MOST_NAME).collect();
        if !name.is_empty() && !kept.contains(&name) {
            kept.push(name);
        }
        if kept.len() == MOST_NAMES {
            break;
        }
    }
    kept
}

/// Returns the counts in a line such as `3 failed, 1 passed`; `None` if there are none.
pub(super) fn counts(line: &str) -> Option<TestCounts> {
    let words: Vec<&str> = line
        .split([' ', '\t', ',', ';', '|'])
        .filter(|word| !word.is_empty())
        .collect();
    let mut counts = TestCounts::default();
    let mut has_any = false;
    for pair in words.windows(2) {
        if let [number, word] = pair
            && let Ok(number) = number.parse()
        {
            has_any |= counts.add(number, word);
        }
    }
    has_any.then_some(counts)
}

/// Returns the text between `before` and `after` in a line.
pub(super) fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(before)?;
    rest.split_once(after).map(|(inside, _)| inside)
}

/// Builds the report of a run that ended well: it passed only if a test is known to have run.
pub(super) fn ended_well(counts: Option<TestCounts>) -> TestReport {
    let has_run = counts.is_none_or(|counts| counts.passed > 0);
    TestReport {
        counts,
        ..TestReport::of(if has_run {
            TestOutcome::Passed
        } else {
            TestOutcome::NothingCollected
        })
    }
}
