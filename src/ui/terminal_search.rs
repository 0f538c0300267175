//! Where words occur in what terminals have shown: found by the server in the logs of their holders, drawn by a view. Plain
//! values; nothing here searches.

use super::screen_id::ScreenId;
use super::scrollback::ScrollbackLine;
use crate::domain::Timestamp;

/// Fewest letters that are searched for: one letter occurs everywhere.
pub const LEAST_LETTERS: usize = 2;

/// The result of searching everything that terminals have shown, as far as the search has come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalSearch {
    /// Terminals in which they occur; shells, then the newest agent first, then ended shells.
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
    /// The newest first.
    pub lines: Vec<TerminalMatch>,
    /// Older lines that are not among them.
    pub left_out: usize,
}

/// A line of a terminal's log that matches a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalMatch {
    /// When it was written last; exact to a second.
    pub at: Timestamp,
    /// The line, without what steers terminals.
    pub text: String,
    /// How often it was written.
    pub count: u32,
}

impl TerminalSearch {
    /// Whether everything was searched.
    pub fn is_done(&self) -> bool {
        self.searched >= self.total
    }

    /// All lines in the order they are listed, each with its terminal.
    pub fn lines(&self) -> impl Iterator<Item = (&TerminalMatches, &TerminalMatch)> {
        let with = |of| move |line| (of, line);
        self.terminals
            .iter()
            .flat_map(move |of| of.lines.iter().map(with(of)))
    }

    /// Lines that were found and are not listed.
    pub fn left_out(&self) -> usize {
        self.terminals.iter().map(|of| of.left_out).sum()
    }
}

/// Whether words are worth searching for.
pub(crate) fn is_searchable(words: &str) -> bool {
    words.trim().chars().count() >= LEAST_LETTERS
}

/// Columns where the words occur in a line; without capitals they are looked for in both.
pub(crate) fn match_columns(text: &str, words: &str) -> Vec<(usize, usize)> {
    let words = if words.chars().any(char::is_uppercase) {
        words.to_owned()
    } else {
        words.to_lowercase()
    };
    ScrollbackLine::plain(text).occurrences(&words)
}

/// Whether a line on a screen is (a part of) that line as it was written: spaces do not count.
pub(crate) fn is_same_line(shown: &str, written: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let shown = squeezed(shown);
    !shown.is_empty() && squeezed(written).contains(&shown)
}
