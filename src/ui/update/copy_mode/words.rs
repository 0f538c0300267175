//! Beginnings and ends of the words of a line, for movements in copy mode.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::ui::scrollback::{Scrollback, TextPosition};

/// Edge of a word that a movement goes to: its beginning or its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordEdge {
    Begin,
    End,
}

/// Returns the columns where words of a line begin or end.
fn words(still: &Scrollback, line: usize, edge: WordEdge) -> Vec<usize> {
    let Some(line) = still.line(line) else {
        return Vec::new();
    };
    let width = |end: usize| {
        let head = line.text.get(..end).unwrap_or_default();
        head.graphemes(true)
            .map(|grapheme| crate::display::text::grapheme_width(grapheme).max(1))
            .sum::<usize>()
    };
    line.text
        .split_word_bound_indices()
        .filter(|(_, word)| !word.trim().is_empty())
        .map(|(at, word)| match edge {
            WordEdge::Begin => width(at),
            WordEdge::End => width(at + word.len()).saturating_sub(1),
        })
        .collect()
}

/// Returns the first and last column of the word at that position.
pub(in crate::ui::update) fn word_at(
    still: &Scrollback,
    (line, column): TextPosition,
) -> Option<(usize, usize)> {
    let begins = words(still, line, WordEdge::Begin).into_iter();
    let mut both = begins.zip(words(still, line, WordEdge::End));
    both.find(|(first, last)| (*first..=*last).contains(&column))
}

pub(super) fn word_on(still: &Scrollback, (line, column): TextPosition, edge: WordEdge) -> TextPosition {
    let here = words(still, line, edge).into_iter().find(|at| *at > column);
    if let Some(at) = here {
        return (line, at);
    }
    let later =
        (line + 1..=still.last_line()).find_map(|line| Some((line, *words(still, line, edge).first()?)));
    later.unwrap_or((line, column))
}

pub(super) fn word_back(still: &Scrollback, (line, column): TextPosition) -> TextPosition {
    let edge = WordEdge::Begin;
    let here = words(still, line, edge).into_iter().rfind(|at| *at < column);
    if let Some(at) = here {
        return (line, at);
    }
    let before = (0..line)
        .rev()
        .find_map(|line| Some((line, *words(still, line, edge).last()?)));
    before.unwrap_or((line, column))
}
