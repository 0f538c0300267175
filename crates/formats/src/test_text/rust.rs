//! Tests written in Rust: functions with the attribute `test`, also those of other crates.

use super::assertions::{end_of_arguments, names_something};
use super::called::{CodeUnit, tests_of};
use super::code::Code;
use super::model::{WrittenTest, kept_name};
use super::syntax::RUST;

/// Attributes that make a function a test, by their last word.
const TEST_ATTRIBUTES: [&str; 5] = ["test", "rstest", "test_case", "quickcheck", "wasm_bindgen_test"];
/// Macros that only say that nothing is there yet.
const STUBS: [&str; 4] = ["todo", "unimplemented", "panic", "unreachable"];

/// Attributes above a function.
#[derive(Default)]
struct RustAttributes {
    is_test: bool,
    is_ignored: bool,
    end: WantedEnd,
}

/// Expected end of a test.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum WantedEnd {
    #[default]
    Plain,
    /// `#[should_panic]`
    Panic,
}

pub(super) fn tests(text: &str) -> Vec<WrittenTest> {
    let code = Code::of(text, RUST);
    let mut units = Vec::new();
    let mut above = RustAttributes::default();
    let mut at = 0;
    while let Some(token) = code.get(at) {
        if token.is_mark('#') && code.is_mark(at + 1, '[') {
            let end = code.closer(at + 1);
            attribute(&code, at + 2, end, &mut above);
            at = end + 1;
            continue;
        }
        // The output of a macro counts as the work of a function.
        let is_macro = code.is_word(at, "macro_rules");
        let name = if is_macro {
            code.word(at + 2)
        } else {
            code.word(at + 1)
        };
        let Some(name) = name.filter(|_| is_macro || code.is_word(at, "fn")) else {
            if token.is_mark('{') || token.is_mark(';') {
                above = RustAttributes::default();
            }
            at += 1;
            continue;
        };
        let own = std::mem::take(&mut above);
        let Some(start) = body_of(&code, at) else { break };
        if code.is_mark(start, ';') {
            at = start + 1;
            continue;
        }
        let end = code.closer(start);
        let written = WrittenTest {
            name: kept_name(name),
            line: token.line,
            is_skipped: own.is_ignored,
            has_assertion: false,
        };
        units.push(CodeUnit {
            name,
            asserts: has_assertion(&code, start + 1, end, own.end),
            mentions: code.words(start, end),
            test: own.is_test.then_some(written),
        });
        at = end + 1;
    }
    tests_of(units)
}

/// Returns the place where the body of the function at `start` opens. The brackets of its arguments are passed over.
fn body_of(code: &Code<'_>, start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(token) = code.get(at) {
        if token.is_mark('{') || token.is_mark(';') {
            return Some(at);
        }
        let is_open = token.is_mark('(') || token.is_mark('[');
        at = if is_open { code.closer(at) + 1 } else { at + 1 };
    }
    None
}

/// Reads the tokens between the brackets of an attribute.
fn attribute(code: &Code<'_>, start: usize, end: usize, above: &mut RustAttributes) {
    let stop = (start..end).find(|at| code.is_mark(*at, '(') || code.is_mark(*at, '='));
    let path = code.range(start, stop.unwrap_or(end));
    match path.last().map(|token| token.text) {
        Some(word) if TEST_ATTRIBUTES.contains(&word) => above.is_test = true,
        Some("ignore") => above.is_ignored = true,
        Some("should_panic") => above.end = WantedEnd::Panic,
        _ => {}
    }
}

fn has_assertion(code: &Code<'_>, start: usize, end: usize, wanted: WantedEnd) -> bool {
    if wanted == WantedEnd::Panic {
        // A panic that is wanted must come from something.
        let called = code
            .range(start, end)
            .iter()
            .filter(|token| !STUBS.contains(&token.text));
        let called: Vec<_> = called.copied().collect();
        return names_something(&called, "");
    }
    let mut at = start;
    let mut depth = 0_usize;
    while at < end {
        if ['(', '[', '{'].iter().any(|mark| code.is_mark(at, *mark)) {
            depth += 1;
        } else if [')', ']', '}'].iter().any(|mark| code.is_mark(at, *mark)) {
            depth = depth.saturating_sub(1);
        }
        let word = code.word(at).unwrap_or_default();
        if word == "panic" && code.is_mark(at + 1, '!') && depth > 0 {
            // A panic under a condition; a stub panics without one.
            return true;
        }
        let is_macro = code.is_mark(at + 1, '!');
        if word == "assert" && !is_macro && code.is_mark(at.wrapping_sub(1), '.') {
            // `command.assert()` of a process that was run.
            return true;
        }
        let open = if is_macro { at + 2 } else { at + 1 };
        let is_assertion = word.starts_with("assert")
            || (is_macro && (word.starts_with("prop_assert") || word.starts_with("debug_assert")));
        if is_assertion && ['(', '[', '{'].iter().any(|mark| code.is_mark(open, *mark)) {
            let close = code.closer(open).min(end);
            let judged = match word.trim_start_matches("prop_").trim_start_matches("debug_") {
                "assert" if is_macro => end_of_arguments(code, open + 1, close, 1),
                "assert_eq" | "assert_ne" if is_macro => end_of_arguments(code, open + 1, close, 2),
                _ => close,
            };
            if names_something(code.range(open + 1, judged), "") {
                return true;
            }
            at = close;
        }
        at += 1;
    }
    false
}
