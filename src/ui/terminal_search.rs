//! Results of searching words in the output of terminals: found by the server in the logs of their holders, drawn by a view. Plain values;
//! nothing here searches.

use super::screen_id::ScreenId;
use super::scrollback::ScrollbackLine;
use crate::domain::Timestamp;

/// Minimum number of letters of a search: a single letter occurs everywhere.
pub const LEAST_LETTERS: usize = 2;

/// The result of searching the output of all terminals, as far as the search has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalSearch {
    /// Terminals in which the words occur; shells, then the newest agent first, then ended shells.
    pub terminals: Vec<TerminalMatches>,
    pub searched: usize,
    pub total: usize,
    /// Terminals whose log could not be read.
    pub unreadable: usize,
}

/// The matching lines of one terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalMatches {
    pub screen: ScreenId,
    /// Task and agent, for people.
    pub name: String,
    /// Matching lines, the newest first.
    pub lines: Vec<TerminalMatch>,
    /// Number of older lines that are not among them.
    pub left_out: usize,
}

/// A line of a terminal's log that matches a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalMatch {
    /// Time at which it was last written, exact to a second.
    pub at: Timestamp,
    /// The line, without control sequences.
    pub text: String,
    /// Number of times it was written.
    pub count: u32,
}

impl TerminalSearch {
    /// Returns true if everything was searched.
    pub fn is_done(&self) -> bool {
        self.searched >= self.total
    }

    /// Returns all lines in the order they are listed, each with its terminal.
    pub fn lines(&self) -> impl Iterator<Item = (&TerminalMatches, &TerminalMatch)> {
        let with = |of| move |line| (of, line);
        self.terminals
            .iter()
            .flat_map(move |of| of.lines.iter().map(with(of)))
    }

    /// Returns the number of lines that were found and are not listed.
    pub fn left_out(&self) -> usize {
        self.terminals.iter().map(|of| of.left_out).sum()
    }
}

/// Returns true if words are worth searching for.
pub(crate) fn is_searchable(words: &str) -> bool {
    words.trim().chars().count() >= LEAST_LETTERS
}

/// Returns the columns where the words occur in a line; words without capitals match both cases.
pub(crate) fn match_columns(text: &str, words: &str) -> Vec<(usize, usize)> {
    let words = if words.chars().any(char::is_uppercase) {
        words.to_owned()
    } else {
        words.to_lowercase()
    };
    ScrollbackLine::plain(text).occurrences(&words)
}

/// Returns true if a line on a screen is (a part of) that line as it was written: spaces do not count.
pub(crate) fn is_same_line(shown: &str, written: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let shown = squeezed(shown);
    !shown.is_empty() && squeezed(written).contains(&shown)
}
