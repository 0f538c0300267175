//! Words as they are looked for in a program.

use super::tokens::{CodeToken, CodeTokenKind, tokens};

/// Maximum number of tokens that a gap or the arguments of an assertion have.
pub(super) const MOST_TOKENS: usize = 300;

/// Words and marks that follow each other: `def test*`. A `*` behind a word stands for the rest of it, one alone for any word or text, one in
/// quotes for any text, and `…` for all up to the first place where what follows it fits.
#[derive(Debug)]
pub(super) struct WordPattern<'a> {
    pieces: Vec<WordPiece<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordPiece<'a> {
    Word(&'a str),
    Begin(&'a str),
    Mark(&'a str),
    Any,
    Text,
    Gap,
}

/// A place where a pattern was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatternFound<'a> {
    /// Place behind it.
    pub(super) end: usize,
    /// The word or text that a star stands for, with its beginning.
    pub(super) star: Option<CodeToken<'a>>,
}

impl<'a> WordPattern<'a> {
    pub(super) fn all(entries: &'a [String]) -> Vec<WordPattern<'a>> {
        entries.iter().map(|entry| WordPattern::of(entry)).collect()
    }

    fn of(entry: &'a str) -> WordPattern<'a> {
        let mut pieces = Vec::new();
        for part in entry.split_whitespace() {
            let first = pieces.len();
            for token in tokens(part, &[]) {
                let before = pieces.len().checked_sub(1).filter(|last| *last >= first);
                let before = before.and_then(|last| pieces.get_mut(last));
                match (token.kind, token.text, before) {
                    (CodeTokenKind::Mark, "*", Some(WordPiece::Word(word))) => {
                        let word = *word;
                        pieces.pop();
                        pieces.push(WordPiece::Begin(word));
                    }
                    (CodeTokenKind::Mark, "*", _) => pieces.push(WordPiece::Any),
                    (CodeTokenKind::Mark, "…", _) => pieces.push(WordPiece::Gap),
                    (CodeTokenKind::Mark, mark, _) => pieces.push(WordPiece::Mark(mark)),
                    (CodeTokenKind::Word, word, _) => pieces.push(WordPiece::Word(word)),
                    (CodeTokenKind::Text, ..) => pieces.push(WordPiece::Text),
                }
            }
        }
        WordPattern { pieces }
    }

    /// Returns true if the last piece is a mark.
    pub(super) fn ends_in_mark(&self) -> bool {
        matches!(self.pieces.last(), Some(WordPiece::Mark(_)))
    }

    /// Returns the place where these words are found from `start` on, if they are.
    pub(super) fn found<'b>(&self, tokens: &[CodeToken<'b>], start: usize) -> Option<PatternFound<'b>> {
        self.pieces.first()?;
        let mut at = start;
        let mut star = None;
        let mut is_gap = false;
        for piece in &self.pieces {
            if *piece == WordPiece::Gap {
                is_gap = true;
                continue;
            }
            let reach = if std::mem::take(&mut is_gap) {
                MOST_TOKENS
            } else {
                1
            };
            let (place, token) = (at..at + reach)
                .filter_map(|place| Some((place, *tokens.get(place)?)))
                .find(|(_, token)| piece.fits(token))?;
            if matches!(piece, WordPiece::Begin(_) | WordPiece::Any | WordPiece::Text) {
                star = Some(token);
            }
            at = place + 1;
        }
        Some(PatternFound { end: at, star })
    }
}

impl WordPiece<'_> {
    fn fits(self, token: &CodeToken<'_>) -> bool {
        match (self, token.kind) {
            (WordPiece::Word(word), CodeTokenKind::Word) => token.text == word,
            (WordPiece::Begin(begin), CodeTokenKind::Word) => token.text.starts_with(begin),
            (WordPiece::Mark(mark), CodeTokenKind::Mark) => token.text == mark,
            (WordPiece::Any, kind) => kind != CodeTokenKind::Mark,
            (WordPiece::Text, CodeTokenKind::Text) => true,
            _ => false,
        }
    }
}
