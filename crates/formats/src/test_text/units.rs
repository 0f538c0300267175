//! The tests and functions of a file, and which of them assert.

use std::collections::BTreeMap;

use super::pattern::{MOST_TOKENS, PatternFound, WordPattern};
use super::tokens::{CodeToken, CodeTokenKind};
use super::words::TestWords;

/// Words that are fixed values or name a comparison, in any of the languages.
const FIXED: &str = "True False None true false null nil undefined NaN Infinity not and or is in new await async return typeof void as mut";

/// Maximum number of characters of a name.
const MOST_NAME: usize = 200;

/// A test as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTest {
    pub name: String,
    /// Line at which it begins.
    pub line: usize,
    /// True if the test is never run, or known to fail.
    pub is_skipped: bool,
    /// True if the test compares something that is not fixed in the text.
    pub has_assertion: bool,
}

impl WrittenTest {
    /// Returns true if the test is run and asserts something.
    pub fn is_asserting(&self) -> bool {
        self.has_assertion && !self.is_skipped
    }
}

/// A test, or another function that tests may call.
struct CodeUnit<'a> {
    name: &'a str,
    line: usize,
    is_test: bool,
    /// Place of the first token of it or of the attributes above it.
    start: usize,
    /// Place behind its name.
    body: usize,
    /// Function around it.
    outer: Option<usize>,
}

/// Returns the tests of a program. A test asserts something itself, or by a function of the same file.
pub(super) fn tests(tokens: &[CodeToken<'_>], words: &TestWords) -> Vec<WrittenTest> {
    let units = units(tokens, words);
    let skips = WordPattern::all(&words.skips);
    let asserting = asserting(tokens, &units, &WordPattern::all(&words.assertions));
    let tests = units.iter().enumerate().filter(|(_, unit)| unit.is_test);
    tests
        .map(|(index, unit)| WrittenTest {
            name: kept_name(unit.name),
            line: unit.line,
            is_skipped: (unit.start..end_of(&units, index, tokens))
                .any(|at| skips.iter().any(|skip| skip.found(tokens, at).is_some())),
            has_assertion: asserting.get(index) == Some(&true),
        })
        .collect()
}

fn kept_name(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_control());
    letters.take(MOST_NAME).collect()
}

fn units<'a>(tokens: &[CodeToken<'a>], words: &TestWords) -> Vec<CodeUnit<'a>> {
    let tests = WordPattern::all(&words.tests);
    let functions = WordPattern::all(&words.functions);
    let mut units: Vec<CodeUnit<'a>> = Vec::new();
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_member = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_member = is_member.is_some_and(|before| before.text == ".");
        let found = |all: &[WordPattern<'_>]| all.iter().find_map(|words| words.found(tokens, at));
        let test = found(&tests).filter(|_| !is_member);
        let Some(begin) = test.or_else(|| found(&functions)) else {
            at += 1;
            continue;
        };
        while around
            .pop_if(|(indent, _)| test.is_some() || *indent >= token.indent)
            .is_some()
        {}
        let last = units.last().map_or(0, |unit| unit.body);
        let named = named(tokens, begin);
        units.push(CodeUnit {
            name: named.map_or("", |name| name.text),
            line: begin.star.map_or(token.line, |name| name.line),
            is_test: test.is_some(),
            start: with_attributes(tokens, at, last),
            body: begin.end,
            outer: around.last().map(|(_, index)| *index),
        });
        around.push((token.indent, units.len() - 1));
        at = begin.end;
    }
    units
}

/// Returns the name of what begins so: what a star stands for, else the next word or text.
fn named<'a>(tokens: &[CodeToken<'a>], begin: PatternFound<'a>) -> Option<CodeToken<'a>> {
    let next = || tokens.iter().skip(begin.end).take(MOST_TOKENS);
    begin
        .star
        .or_else(|| next().find(|token| token.kind != CodeTokenKind::Mark).copied())
}

/// Returns the first place of the line of `at`, or of the attributes above it; nothing before `least` belongs to it.
fn with_attributes(tokens: &[CodeToken<'_>], at: usize, least: usize) -> usize {
    let line_of = |place: usize| tokens.get(place).map(|token| token.line);
    let first_of = |place: usize| {
        let on_line = |before: &usize| line_of(*before) == line_of(place);
        (least..place).rev().take_while(on_line).last().unwrap_or(place)
    };
    let mut start = first_of(at);
    while let Some(before) = start.checked_sub(1).filter(|before| *before >= least) {
        let first = first_of(before);
        let is_attribute = |token: &CodeToken<'_>| matches!(token.text, "@" | "#" | "[");
        if !tokens.get(first).is_some_and(is_attribute) {
            break;
        }
        start = first;
    }
    start
}

/// Returns the place behind a unit, which is where the next one begins.
fn end_of(units: &[CodeUnit<'_>], index: usize, tokens: &[CodeToken<'_>]) -> usize {
    units.get(index + 1).map_or(tokens.len(), |next| next.start)
}

/// Returns for each unit whether it asserts something itself, in a function inside of it, or by one that it calls.
fn asserting(tokens: &[CodeToken<'_>], units: &[CodeUnit<'_>], assertions: &[WordPattern<'_>]) -> Vec<bool> {
    let mut asserting = vec![false; units.len()];
    let mut callers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut open = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        let end = end_of(units, index, tokens);
        if (unit.start..end).any(|at| asserts(tokens, at, end, assertions)) {
            open.push(index);
        }
        for token in tokens.iter().take(end).skip(unit.body) {
            if token.kind == CodeTokenKind::Word {
                callers.entry(token.text).or_default().push(index);
            }
        }
    }
    while let Some(index) = open.pop() {
        let (Some(unit), Some(known)) = (units.get(index), asserting.get_mut(index)) else {
            continue;
        };
        if !std::mem::replace(known, true) {
            // Each name is asked for once.
            open.extend(callers.remove(unit.name).unwrap_or_default());
            open.extend(unit.outer);
        }
    }
    asserting
}

/// Returns true if an assertion at `at` ends in a mark, or looks at something that is not fixed in the text.
fn asserts(tokens: &[CodeToken<'_>], at: usize, end: usize, assertions: &[WordPattern<'_>]) -> bool {
    let found = assertions
        .iter()
        .filter_map(|words| Some((words, words.found(tokens, at)?)));
    found.into_iter().any(|(words, found)| {
        words.ends_in_mark() || {
            let arguments = arguments(tokens, at, end);
            let n_own = found.end - at;
            arguments.len() >= MOST_TOKENS || names_something(arguments, n_own)
        }
    })
}

/// Returns an assertion with its arguments: the rest of its line and of its brackets, and lines that go on with a point.
fn arguments<'a, 'b>(tokens: &'b [CodeToken<'a>], at: usize, end: usize) -> &'b [CodeToken<'a>] {
    let all = tokens.get(at..end.min(at + MOST_TOKENS)).unwrap_or_default();
    let mut depth = 0_usize;
    let mut line = None;
    let rest = all.iter().position(|token| {
        let is_on_line = line.is_none_or(|line| line == token.line);
        let is_over = depth == 0 && !is_on_line && token.text != ".";
        line = Some(token.line);
        match (token.kind, token.text) {
            (CodeTokenKind::Mark, "(" | "[") => depth += 1,
            (CodeTokenKind::Mark, ")" | "]") => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_over
    });
    all.get(..rest.unwrap_or(all.len())).unwrap_or_default()
}

/// Returns true if one of these tokens behind the first `n` names something that is computed. The name of a method alone does not.
fn names_something(tokens: &[CodeToken<'_>], n: usize) -> bool {
    let pairs = tokens.iter().zip(tokens.iter().skip(1)).skip(n.saturating_sub(1));
    pairs.into_iter().any(|(before, token)| {
        token.kind == CodeTokenKind::Word
            && before.text != "."
            && !token.text.starts_with(|first: char| first.is_ascii_digit())
            && FIXED.split(' ').all(|fixed| fixed != token.text)
    })
}
