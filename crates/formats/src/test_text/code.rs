//! The tokens of a program with their brackets matched.

use super::scanner::{self, CodeToken, CodeTokenKind};
use super::syntax::Syntax;

/// The tokens of a program, and the place where each bracket closes.
#[derive(Debug)]
pub(super) struct Code<'a> {
    pub(super) tokens: Vec<CodeToken<'a>>,
    closers: Vec<usize>,
}

impl<'a> Code<'a> {
    pub(super) fn of(text: &'a str, syntax: Syntax<'_>) -> Code<'a> {
        let tokens = scanner::tokens(text, syntax);
        let closers = closers(&tokens);
        Code { tokens, closers }
    }

    pub(super) fn get(&self, at: usize) -> Option<&CodeToken<'a>> {
        self.tokens.get(at)
    }

    /// Returns the tokens from `start` to before `end`.
    pub(super) fn range(&self, start: usize, end: usize) -> &[CodeToken<'a>] {
        let end = end.min(self.tokens.len());
        self.tokens.get(start.min(end)..end).unwrap_or_default()
    }

    /// Returns all words between `start` and `end`.
    pub(super) fn words(&self, start: usize, end: usize) -> Vec<&'a str> {
        let words = self.range(start, end).iter();
        let words = words.filter(|token| token.kind == CodeTokenKind::Word);
        words.map(|token| token.text).collect()
    }

    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.get(at).is_some_and(|token| token.is_mark(mark))
    }

    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word)
    }

    pub(super) fn word(&self, at: usize) -> Option<&'a str> {
        let token = self.get(at)?;
        (token.kind == CodeTokenKind::Word).then_some(token.text)
    }

    /// Returns the place where the bracket at `open` closes; the end of the text if nowhere.
    pub(super) fn closer(&self, open: usize) -> usize {
        self.closers.get(open).copied().unwrap_or(self.tokens.len())
    }
}

/// Returns the index of a mark among these brackets.
fn kind_of(mark: &CodeToken<'_>, brackets: [u8; 3]) -> Option<usize> {
    let [mark] = mark.text.as_bytes() else { return None };
    brackets.iter().position(|bracket| bracket == mark)
}

/// Returns the place where each bracket closes. One that was never closed ends where the next bracket around it does, so that a slip stays
/// in its function.
fn closers(tokens: &[CodeToken<'_>]) -> Vec<usize> {
    let mut closers = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    // Number of open brackets of each kind: a bracket that closes nothing is passed over without a search.
    let mut n_open = [0_usize; 3];
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != CodeTokenKind::Mark {
            continue;
        }
        if let Some(kind) = kind_of(token, *b"([{") {
            open.push((at, kind));
            n_open.iter_mut().skip(kind).take(1).for_each(|n| *n += 1);
        } else if let Some(kind) = kind_of(token, *b")]}")
            && n_open.get(kind).is_some_and(|n| *n > 0)
        {
            while let Some((start, own)) = open.pop() {
                n_open.iter_mut().skip(own).take(1).for_each(|n| *n -= 1);
                closers
                    .iter_mut()
                    .skip(start)
                    .take(1)
                    .for_each(|place| *place = at);
                if own == kind {
                    break;
                }
            }
        }
    }
    closers
}
