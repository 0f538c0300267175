//! Tests written in JavaScript and TypeScript: calls of `test` and `it`, as jest, vitest, mocha, node and others take them.

use super::assertions::{end_of_arguments, names_something};
use super::called::{CodeUnit, tests_of};
use super::code::Code;
use super::model::{WrittenTest, kept_name};
use super::scanner::CodeTokenKind;
use super::syntax::JAVASCRIPT;

const TESTS: [&str; 6] = ["test", "it", "specify", "xit", "xtest", "xspecify"];
const GROUPS: [&str; 6] = ["describe", "suite", "context", "xdescribe", "xcontext", "xsuite"];
/// Words behind a test or a group that mark it as not run, or known to fail.
const SKIPS: [&str; 4] = ["skip", "todo", "failing", "fails"];

pub(super) fn tests(text: &str) -> Vec<WrittenTest> {
    let code = Code::of(text, JAVASCRIPT);
    let mut units = Vec::new();
    let mut skipped_until = 0;
    let mut helper_until = 0;
    let mut at = 0;
    while let Some(token) = code.get(at) {
        let word = code.word(at).unwrap_or_default();
        let is_member = at > 0 && code.is_mark(at - 1, '.') && !code.is_word(at.wrapping_sub(2), "Deno");
        if is_member || !(TESTS.contains(&word) || GROUPS.contains(&word)) {
            if at >= helper_until
                && let Some((name, start, end)) = helper(&code, at)
            {
                units.push(unit(&code, name, (start, end), None));
                helper_until = end;
            }
            at += 1;
            continue;
        }
        let Some(call) = call(&code, at) else {
            at += 1;
            continue;
        };
        let is_skipped = call.is_skipped || word.starts_with('x');
        if GROUPS.contains(&word) {
            if is_skipped {
                skipped_until = skipped_until.max(call.close);
            }
            at = call.open + 1;
            continue;
        }
        let name = code.get(call.open + 1);
        let has_body = code.is_mark(call.open + 2, ',');
        // A call of another thing named `test` does not begin with a name.
        if name.is_some_and(|name| name.kind != CodeTokenKind::Mark) && (has_body || is_skipped) {
            let written = WrittenTest {
                name: kept_name(name.map_or("", |name| name.text)),
                line: token.line,
                is_skipped: is_skipped || at < skipped_until,
                has_assertion: false,
            };
            units.push(unit(&code, "", (call.open + 2, call.close), Some(written)));
        }
        at = call.close.max(at) + 1;
    }
    tests_of(units)
}

fn unit<'a>(
    code: &Code<'a>,
    name: &'a str,
    (start, end): (usize, usize),
    test: Option<WrittenTest>,
) -> CodeUnit<'a> {
    CodeUnit {
        name,
        asserts: has_assertion(code, start, end),
        mentions: code.words(start, end),
        test,
    }
}

/// Returns name and body of a function that begins at `at`: `function name() {` or `const name = () => `.
fn helper<'a>(code: &Code<'a>, at: usize) -> Option<(&'a str, usize, usize)> {
    /// Most tokens of arguments and types before the body.
    const MOST: usize = 200;
    let name = code.word(at + 1)?;
    let is_function = code.is_word(at, "function");
    let is_value = matches!(code.word(at), Some("const" | "let" | "var"));
    if !is_function && !(is_value && (code.is_mark(at + 2, '=') || code.is_mark(at + 2, ':'))) {
        return None;
    }
    let mut place = at + 2;
    while place < at + MOST {
        let token = code.get(place)?;
        if token.is_mark('{') && (is_function || code.word(place.wrapping_sub(1)).is_none()) {
            return Some((name, place, code.closer(place)));
        }
        if is_value && token.is_mark('=') && code.is_mark(place + 1, '>') && !code.is_mark(place + 2, '{') {
            let line = token.line;
            let end = (place..place + MOST).find(|end| code.get(*end).is_none_or(|token| token.line != line));
            return Some((name, place + 2, end.unwrap_or(place + MOST)));
        }
        let begins_line = token.indent.is_some() && code.word(place).is_some();
        if token.is_mark(';') || (is_value && begins_line && place > at + 3) {
            return None;
        }
        place = if token.is_mark('(') {
            code.closer(place) + 1
        } else {
            place + 1
        };
    }
    None
}

/// The brackets of a call such as `test.skip.each(table)('name', body)`.
struct JsCall {
    open: usize,
    close: usize,
    is_skipped: bool,
}

fn call(code: &Code<'_>, start: usize) -> Option<JsCall> {
    let mut at = start + 1;
    let mut is_skipped = false;
    let mut takes_table = false;
    while code.is_mark(at, '.') {
        let word = code.word(at + 1)?;
        is_skipped |= SKIPS.contains(&word);
        takes_table |= matches!(word, "each" | "for" | "skipIf" | "runIf");
        at += 2;
    }
    if takes_table {
        at = if code.is_mark(at, '(') {
            code.closer(at) + 1
        } else {
            at + 1
        };
    }
    code.is_mark(at, '(').then(|| JsCall {
        open: at,
        close: code.closer(at),
        is_skipped,
    })
}

fn has_assertion(code: &Code<'_>, start: usize, end: usize) -> bool {
    let mut at = start;
    while at < end {
        let is_member = code.is_mark(at.wrapping_sub(1), '.');
        let (is_real, next) = match code.word(at) {
            Some("expect" | "expectTypeOf" | "assertType") if !is_member => expectation(code, at, end),
            Some("should") if is_member => (true, at + 1),
            Some(word) if word.starts_with("assert") && !is_member => assertion(code, at, end),
            _ => (false, at + 1),
        };
        if is_real {
            return true;
        }
        at = next.max(at + 1);
    }
    false
}

/// Returns true if `expect(a).toBe(b)` compares something; and the place behind it.
fn expectation(code: &Code<'_>, start: usize, end: usize) -> (bool, usize) {
    let mut at = start + 1;
    if !code.is_mark(at, '(') {
        return (false, at);
    }
    let mut names = false;
    let mut has_matcher = false;
    while at < end {
        if code.is_mark(at, '(') {
            let close = code.closer(at).min(end);
            names |= names_something(code.range(at + 1, close), "");
            at = close + 1;
        } else if code.is_mark(at, '.') {
            has_matcher = true;
            at += 2;
        } else {
            break;
        }
    }
    (names && has_matcher, at)
}

/// Returns true if `assert(a)` or `assert.equal(a, b)` compares something; and the place behind it.
fn assertion(code: &Code<'_>, start: usize, end: usize) -> (bool, usize) {
    let mut at = start + 1;
    let mut method = "";
    while code.is_mark(at, '.') {
        method = code.word(at + 1).unwrap_or_default();
        at += 2;
    }
    if !code.is_mark(at, '(') {
        return (false, at);
    }
    let close = code.closer(at).min(end);
    let n = if method.is_empty() || matches!(method, "ok" | "isTrue" | "isOk") {
        1
    } else {
        2
    };
    let judged = end_of_arguments(code, at + 1, close, n);
    (names_something(code.range(at + 1, judged), ""), close + 1)
}
