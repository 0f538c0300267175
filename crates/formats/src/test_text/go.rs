//! Tests written in Go: functions `TestXxx` that take a `*testing.T`.

use super::assertions::names_something;
use super::called::{CodeUnit, tests_of};
use super::code::Code;
use super::model::{WrittenTest, kept_name};
use super::scanner::CodeTokenKind;
use super::syntax::GO;

/// Methods of `testing.T` that make a test fail.
const FAILS: [&str; 6] = ["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];
/// Names in helpers for the value that fails a test.
const RECEIVERS: [&str; 5] = ["t", "tb", "b", "f", "c"];
const SKIPS: [&str; 3] = ["Skip", "Skipf", "SkipNow"];
/// Packages whose functions assert.
const PACKAGES: [&str; 5] = ["assert", "require", "is", "qt", "must"];

pub(super) fn tests(text: &str) -> Vec<WrittenTest> {
    let code = Code::of(text, GO);
    let mut units = Vec::new();
    let mut at = 0;
    while let Some(token) = code.get(at) {
        let Some(function) = function(&code, at) else {
            at += 1;
            continue;
        };
        let GoFunction { name, open, .. } = function;
        let end = code.closer(open);
        let is_test = !function.is_method
            && name != "TestMain"
            && name
                .strip_prefix("Test")
                .is_some_and(|rest| !rest.starts_with(char::is_lowercase));
        let own = if is_test { function.first } else { "t" };
        let written = WrittenTest {
            name: kept_name(name),
            line: token.line,
            is_skipped: is_skipped(&code, open + 1, end, own),
            has_assertion: false,
        };
        units.push(CodeUnit {
            name,
            asserts: has_assertion(&code, open + 1, end, own),
            mentions: code.words(open, end),
            test: is_test.then_some(written),
        });
        at = end + 1;
    }
    tests_of(units)
}

/// A function with a name.
struct GoFunction<'a> {
    name: &'a str,
    is_method: bool,
    /// First argument of the function.
    first: &'a str,
    /// Place where the body opens.
    open: usize,
}

/// Returns the function that begins at `start`, if one does.
fn function<'a>(code: &Code<'a>, start: usize) -> Option<GoFunction<'a>> {
    /// Most tokens between the arguments and the body.
    const MOST: usize = 200;
    if !code.is_word(start, "func") {
        return None;
    }
    let is_method = code.is_mark(start + 1, '(');
    let at = if is_method {
        code.closer(start + 1) + 1
    } else {
        start + 1
    };
    let name = code.word(at)?;
    let generic = code.is_mark(at + 1, '[');
    let arguments = if generic { code.closer(at + 1) + 1 } else { at + 1 };
    if !code.is_mark(arguments, '(') {
        return None;
    }
    let mut open = code.closer(arguments) + 1;
    let last = open + MOST;
    while open < last {
        let is_type = matches!(code.word(open), Some("interface" | "struct"));
        if code.is_mark(open, '{') {
            let first = code.word(arguments + 1).unwrap_or("t");
            return Some(GoFunction {
                name,
                is_method,
                first,
                open,
            });
        }
        open = match code.get(open) {
            None => return None,
            Some(_) if is_type && code.is_mark(open + 1, '{') => code.closer(open + 1) + 1,
            Some(token) if token.is_mark('(') || token.is_mark('[') => code.closer(open) + 1,
            Some(_) if code.is_word(open, "func") && !code.is_mark(open + 1, '(') => return None,
            Some(_) => open + 1,
        };
    }
    None
}

/// Returns true if the test skips itself without a condition.
fn is_skipped(code: &Code<'_>, start: usize, end: usize, own: &str) -> bool {
    let mut at = start;
    while at < end {
        if code.is_mark(at, '{') {
            at = code.closer(at);
        } else if code.is_word(at, own)
            && code.is_mark(at + 1, '.')
            && code.word(at + 2).is_some_and(|word| SKIPS.contains(&word))
        {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns true if the test fails under a condition that looks at something, or calls an asserting function.
fn has_assertion(code: &Code<'_>, start: usize, end: usize, own: &str) -> bool {
    // For each open brace, true if it is behind a condition; and the number of those.
    let mut conditions: Vec<bool> = Vec::new();
    let mut n_conditions = 0_usize;
    let mut at = start;
    while at < end {
        let Some(token) = code.get(at) else { break };
        if token.is_mark('{') {
            let is_condition = is_condition(code, start, at, own);
            conditions.push(is_condition);
            n_conditions += usize::from(is_condition);
        } else if token.is_mark('}') {
            n_conditions -= usize::from(conditions.pop() == Some(true));
        } else if token.kind == CodeTokenKind::Word {
            let method = code.word(at + 2).filter(|_| code.is_mark(at + 1, '.'));
            let is_failure = (token.text == own || RECEIVERS.contains(&token.text))
                && method.is_some_and(|method| FAILS.contains(&method));
            if is_failure && n_conditions > 0 {
                return true;
            }
            if asserts(code, at, own) {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// Returns true if the brace at `open` is behind `if` with something that is looked at, or `switch`, `select` or `else`.
fn is_condition(code: &Code<'_>, start: usize, open: usize, own: &str) -> bool {
    /// Most tokens of a condition that are looked at.
    const MOST: usize = 80;
    let line = code.get(open).map_or(0, |token| token.line);
    let head = (start.max(open.saturating_sub(MOST))..open).rev();
    let head = head.take_while(|at| code.get(*at).is_some_and(|token| token.line == line));
    for at in head {
        match code.word(at) {
            Some("if") => return names_something(code.range(at + 1, open), own),
            Some("switch" | "select" | "else") => return true,
            Some("func") => return false,
            _ => {}
        }
    }
    false
}

/// Returns true if a call such as `assert.Equal(t, 200, status)` or `assertStatus(t, status)` begins here, and looks at something.
fn asserts(code: &Code<'_>, at: usize, own: &str) -> bool {
    let word = code.word(at).unwrap_or_default();
    let is_package = PACKAGES.contains(&word) && code.is_mark(at + 1, '.');
    let is_helper = ["assert", "require", "check", "expect", "must"]
        .iter()
        .any(|verb| word.to_lowercase().starts_with(verb));
    let open = if is_package { at + 3 } else { at + 1 };
    if !(is_package || is_helper) || !code.is_mark(open, '(') || code.is_word(at.wrapping_sub(1), "func") {
        return false;
    }
    let close = code.closer(open);
    let takes_test = code.is_word(open + 1, own);
    (is_package || takes_test) && names_something(code.range(open + 1, close), own)
}
