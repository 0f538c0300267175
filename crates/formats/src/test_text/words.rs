//! Tests in a language of which only some words are known.

use super::assertions::names_something;
use super::code::Code;
use super::model::{WrittenTest, kept_name};
use super::scanner::CodeTokenKind;
use super::syntax::{BlockComments, QuoteStyle, Syntax};

/// Words for tests in a language that is not built in, as the settings give them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestWords {
    /// Words before the name of a test, or, when they end in `*`, the beginning of its name: `it`, `test_*`.
    pub tests: Vec<String>,
    /// Words that assert: `assert`, `expect`. With `*` at the end, their beginning.
    pub assertions: Vec<String>,
    /// Words that skip a test.
    pub skips: Vec<String>,
    /// Marks that begin a comment to the end of the line: `#`, `//`, `--`.
    pub comments: Vec<String>,
}

pub(super) fn tests(text: &str, words: &TestWords) -> Vec<WrittenTest> {
    let comments: Vec<&str> = words
        .comments
        .iter()
        .map(String::as_str)
        .filter(|mark| !mark.is_empty())
        .collect();
    let has_slashes = comments.contains(&"//");
    let syntax = Syntax {
        line_comments: &comments,
        block_comments: if has_slashes {
            BlockComments::Plain
        } else {
            BlockComments::None
        },
        quotes: QuoteStyle::Plain,
    };
    let code = Code::of(text, syntax);
    let begins: Vec<usize> = (0..code.tokens.len())
        .filter(|at| code.word(*at).is_some_and(|word| matches(word, &words.tests)))
        .collect();
    let mut tests = Vec::new();
    for (index, start) in begins.iter().enumerate() {
        let end = begins.get(index + 1).copied().unwrap_or(code.tokens.len());
        let Some(token) = code.get(*start) else { continue };
        let below = code.range(*start, end);
        let next = below
            .iter()
            .skip(1)
            .find(|token| token.kind != CodeTokenKind::Mark);
        let is_name = words.tests.iter().any(|word| {
            word.strip_suffix('*')
                .is_some_and(|begin| token.text.starts_with(begin))
        });
        let name = if is_name {
            token.text
        } else {
            next.map_or("", |token| token.text)
        };
        let skip_range = code.range(start.saturating_sub(SKIP_REACH), end);
        let own_line = token.line;
        let next_line = code.get(end).map_or(usize::MAX, |token| token.line);
        let is_skip = |word: &&super::scanner::CodeToken<'_>| {
            let is_before_next = word.line > own_line && word.line + 1 >= next_line;
            let is_own = word.line + 1 >= own_line && !is_before_next;
            word.kind == CodeTokenKind::Word && matches(word.text, &words.skips) && is_own
        };
        tests.push(WrittenTest {
            name: kept_name(name),
            line: own_line,
            is_skipped: skip_range.iter().any(|word| is_skip(&word)),
            has_assertion: has_assertion(&code, start + 1, end, words),
        });
    }
    tests
}

/// Number of tokens before a test that may skip it, on its line or the one above.
const SKIP_REACH: usize = 8;

fn has_assertion(code: &Code<'_>, start: usize, end: usize, words: &TestWords) -> bool {
    (start..end).any(|at| {
        let is_assertion = code.word(at).is_some_and(|word| matches(word, &words.assertions));
        let line = code.get(at).map_or(0, |token| token.line);
        // The arguments of an assertion are in its brackets and on its line.
        is_assertion && {
            let after = code.range(at + 1, end).iter();
            let on_line: Vec<_> = after.take_while(|token| token.line == line).copied().collect();
            names_something(&on_line, "")
        }
    })
}

fn matches(word: &str, known: &[String]) -> bool {
    known.iter().any(|known| match known.strip_suffix('*') {
        Some(begin) => word.starts_with(begin),
        None => word == known,
    })
}
