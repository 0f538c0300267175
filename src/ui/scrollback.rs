//! A frozen copy of a terminal: its history and its screen as lines of text with their styles. Copy mode moves over it,
//! searches it and takes text from it. It does not depend on terminals.

use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::display::text::grapheme_width;
use crate::keymap::SelectionMode;

/// The history and the screen of a terminal as lines of text, frozen at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scrollback {
    pub lines: Vec<ScrollbackLine>,
    /// Line and column of the cursor.
    pub cursor: (usize, usize),
}

/// Line of a terminal: text, styles, links and whether it wraps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScrollbackLine {
    pub text: String,
    /// Styles, each with the column it begins at; plain before the first.
    pub styles: Vec<(u16, Style)>,
    /// True if the line continues in the next one because it was too long.
    pub wraps: bool,
    /// True if a shell began a prompt on the line.
    pub is_prompt: bool,
    /// Columns of words to which the program gave a link, and its target.
    pub links: Vec<(std::ops::Range<u16>, String)>,
}

/// A position in a scrollback: line and column.
pub(crate) type TextPosition = (usize, usize);

impl ScrollbackLine {
    /// Creates a line without styles.
    pub fn plain(text: impl Into<String>) -> ScrollbackLine {
        ScrollbackLine {
            text: text.into(),
            ..ScrollbackLine::default()
        }
    }

    /// Returns the columns of the line.
    pub(crate) fn width(&self) -> usize {
        self.text.graphemes(true).map(columns).sum()
    }

    /// Returns the column and grapheme of everything on the line.
    pub(crate) fn graphemes(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut column = 0;
        self.text.graphemes(true).map(move |grapheme| {
            let here = column;
            column += columns(grapheme);
            (here, grapheme)
        })
    }

    /// Returns the style at a column.
    pub(crate) fn style_at(&self, column: usize) -> Style {
        let before = self
            .styles
            .iter()
            .take_while(|(from, _)| usize::from(*from) <= column);
        before.last().map(|(_, style)| *style).unwrap_or_default()
    }

    /// Returns the text of the columns from one up to another, excluding the last; a wide grapheme that begins there is kept whole.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &str {
        let mut begin = self.text.len();
        let mut end = self.text.len();
        let mut column = 0;
        for (at, grapheme) in self.text.grapheme_indices(true) {
            let next = column + columns(grapheme);
            if next > from && begin == self.text.len() {
                begin = at;
            }
            if column >= to {
                end = at;
                break;
            }
            column = next;
        }
        self.text.get(begin.min(end)..end).unwrap_or_default()
    }

    /// Returns the columns of the beginning and end of each occurrence of the word; `word` is lower-case unless capitals count.
    pub(crate) fn occurrences(&self, word: &str) -> Vec<(usize, usize)> {
        if word.is_empty() {
            return Vec::new();
        }
        let exact = word.chars().any(char::is_uppercase);
        let folded: String;
        let text = if exact {
            self.text.as_str()
        } else {
            folded = fold(&self.text);
            folded.as_str()
        };
        let spans = text.match_indices(word);
        spans
            .map(|(at, found)| {
                let before = |end: usize| text.get(..end).unwrap_or_default();
                let width = |text: &str| text.graphemes(true).map(columns).sum::<usize>();
                (width(before(at)), width(before(at + found.len())))
            })
            .collect()
    }
}

/// Returns the text in lower case, character for character where that keeps the number of columns.
fn fold(text: &str) -> String {
    text.chars()
        .map(|c| {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        })
        .collect()
}

/// Returns the columns of a grapheme on the screen, at least one.
pub(super) fn columns(grapheme: &str) -> usize {
    grapheme_width(grapheme).max(1)
}

impl Scrollback {
    /// Returns the index of the last line.
    pub(crate) fn last_line(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    /// Returns the line at that index.
    pub(crate) fn line(&self, at: usize) -> Option<&ScrollbackLine> {
        self.lines.get(at)
    }

    /// Returns the columns of that line.
    pub(crate) fn width(&self, at: usize) -> usize {
        self.line(at).map_or(0, ScrollbackLine::width)
    }

    /// Returns the text between two places, both included. Lines that were wrapped are joined, trailing blanks are cut.
    pub(crate) fn text(&self, select: SelectionMode, one: TextPosition, other: TextPosition) -> String {
        let (start, end) = if one <= other { (one, other) } else { (other, one) };
        let (left, right) = (one.1.min(other.1), one.1.max(other.1));
        let mut text = String::new();
        for at in start.0..=end.0 {
            let Some(line) = self.line(at) else { break };
            let (from, to) = match select {
                SelectionMode::Lines => (0, usize::MAX),
                SelectionMode::Block => (left, right + 1),
                SelectionMode::Text => (
                    if at == start.0 { start.1 } else { 0 },
                    if at == end.0 { end.1 + 1 } else { usize::MAX },
                ),
            };
            let part = line.slice(from, to);
            let joins = line.wraps && select != SelectionMode::Block;
            text.push_str(if joins { part } else { part.trim_end() });
            if at < end.0 && !joins {
                text.push('\n');
            }
        }
        text.trim_end_matches([' ', '\n']).to_owned()
    }

    /// Returns true if a place is selected.
    pub(crate) fn is_selected(
        select: SelectionMode,
        one: TextPosition,
        other: TextPosition,
        at: TextPosition,
    ) -> bool {
        let (start, end) = if one <= other { (one, other) } else { (other, one) };
        let rows = (start.0..=end.0).contains(&at.0);
        match select {
            SelectionMode::Lines => rows,
            SelectionMode::Block => rows && (one.1.min(other.1)..=one.1.max(other.1)).contains(&at.1),
            SelectionMode::Text => rows && at >= start && at <= end,
        }
    }

    /// Returns the next place after (or before) one where the word occurs, going round at the ends.
    pub(crate) fn find(&self, word: &str, from: TextPosition, onward: bool) -> Option<TextPosition> {
        let count = self.lines.len();
        let word = if word.chars().any(char::is_uppercase) {
            word.to_owned()
        } else {
            fold(word)
        };
        (0..=count).find_map(|step| {
            let at = if onward {
                (from.0 + step) % count.max(1)
            } else {
                (from.0 + count - step % count.max(1)) % count.max(1)
            };
            let mut columns = self
                .line(at)?
                .occurrences(&word)
                .into_iter()
                .map(|(column, _)| column);
            let ahead = |column: &usize| match (step, onward) {
                (0, true) => *column > from.1,
                (0, false) => *column < from.1,
                _ => true,
            };
            let found = if onward {
                columns.find(ahead)
            } else {
                columns.rev().find(ahead)
            };
            found.map(|column| (at, column))
        })
    }

    /// Returns the nearest line after (or before) one on which a prompt begins.
    pub(crate) fn prompt_from(&self, line: usize, onward: bool) -> Option<usize> {
        let is_prompt = |at: &usize| self.line(*at).is_some_and(|line| line.is_prompt);
        if onward {
            (line + 1..self.lines.len()).find(is_prompt)
        } else {
            (0..line).rev().find(is_prompt)
        }
    }

    /// Returns true if the words occur anywhere.
    pub(crate) fn contains(&self, words: &str) -> bool {
        // A search begins after its place and wraps round, so it reaches that place last.
        self.find(words, (0, 0), true).is_some()
    }

    /// Prepends older lines: those of `older` before the lines that both hold. Returns the number of added lines.
    pub(crate) fn prepend(&mut self, mut older: Vec<ScrollbackLine>) -> usize {
        let overlap = self
            .lines
            .iter()
            .position(|line| !line.text.is_empty())
            .unwrap_or(0);
        let known: Vec<&str> = self
            .lines
            .iter()
            .skip(overlap)
            .take(MATCHED)
            .map(|line| line.text.as_str())
            .collect();
        let same = older.windows(known.len().max(1)).rposition(|part| {
            part.iter()
                .map(|line| line.text.as_str())
                .eq(known.iter().copied())
        });
        let Some(same) = same else { return 0 };
        let came = same.saturating_sub(overlap);
        older.truncate(came);
        older.append(&mut self.lines);
        self.lines = older;
        self.cursor.0 += came;
        came
    }
}

/// Number of equal lines that are needed to join two pieces of a history there.
const MATCHED: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    fn still(lines: &[&str]) -> Scrollback {
        Scrollback {
            lines: lines.iter().map(|line| ScrollbackLine::plain(*line)).collect(),
            cursor: (0, 0),
        }
    }

    #[test]
    fn text_runs_over_lines_and_wrapped_ones_are_joined() {
        let mut still = still(&["one two", "three", "four  "]);
        assert_eq!(still.text(SelectionMode::Text, (0, 4), (1, 2)), "two\nthr");
        assert_eq!(still.text(SelectionMode::Text, (1, 2), (0, 4)), "two\nthr");
        assert_eq!(still.text(SelectionMode::Lines, (0, 3), (1, 0)), "one two\nthree");
        assert_eq!(still.text(SelectionMode::Block, (0, 1), (1, 2)), "ne\nhr");
        still.lines[0].wraps = true;
        assert_eq!(
            still.text(SelectionMode::Lines, (0, 0), (2, 0)),
            "one twothree\nfour"
        );
    }

    #[test]
    fn wide_graphemes_are_taken_whole() {
        let still = still(&["a日本b"]);
        assert_eq!(still.width(0), 6);
        assert_eq!(still.text(SelectionMode::Text, (0, 1), (0, 2)), "日");
        assert_eq!(still.text(SelectionMode::Text, (0, 2), (0, 3)), "日本");
        assert_eq!(still.text(SelectionMode::Block, (0, 5), (0, 5)), "b");
    }

    #[test]
    fn what_is_looked_for_is_found_in_both_directions_and_round_the_end() {
        let still = still(&["Alpha beta", "beta", "gamma"]);
        assert_eq!(still.find("beta", (0, 0), true), Some((0, 6)));
        assert_eq!(still.find("beta", (0, 6), true), Some((1, 0)));
        assert_eq!(still.find("beta", (1, 0), true), Some((0, 6)));
        assert_eq!(still.find("beta", (0, 6), false), Some((1, 0)));
        assert_eq!(still.find("alpha", (2, 0), false), Some((0, 0)));
        assert_eq!(still.find("ALPHA", (2, 0), true), None);
        assert_eq!(still.find("none", (0, 0), true), None);
        assert_eq!(Scrollback::default().find("a", (0, 0), true), None);
    }

    #[test]
    fn older_lines_come_before_those_that_are_known() {
        let mut known = still(&["c", "d", "e"]);
        let older = still(&["a", "b", "c", "d", "e", "f"]).lines;
        assert_eq!(known.prepend(older), 2);
        assert_eq!(known.lines.len(), 5);
        assert_eq!((known.lines[0].text.as_str(), known.cursor), ("a", (2, 0)));
        let strangers = still(&["x", "y"]).lines;
        assert_eq!(known.prepend(strangers), 0);
    }
}
