//! Rules for a real assertion: it looks at something that is not fixed in the text.

use super::code::Code;
use super::scanner::{CodeToken, CodeTokenKind};

/// Words that are fixed values or name a comparison, in any of the languages.
const FIXED: [&str; 28] = [
    "True",
    "False",
    "None",
    "true",
    "false",
    "null",
    "nil",
    "undefined",
    "NaN",
    "Infinity",
    "not",
    "and",
    "or",
    "is",
    "in",
    "new",
    "await",
    "async",
    "return",
    "typeof",
    "void",
    "as",
    "mut",
    "i32",
    "u32",
    "u8",
    "f64",
    "usize",
];

/// Returns true if one of these tokens names something that is computed. `also_fixed` is a name that counts for nothing, such as `t` in Go.
pub(super) fn names_something(tokens: &[CodeToken<'_>], also_fixed: &str) -> bool {
    tokens.iter().any(|token| {
        token.kind == CodeTokenKind::Word
            && !token.text.starts_with(|first: char| first.is_ascii_digit())
            && token.text != also_fixed
            && !FIXED.contains(&token.text)
    })
}

/// Returns the end of the first `n` arguments between `start` and `end`; the rest is a message.
pub(super) fn end_of_arguments(code: &Code<'_>, start: usize, end: usize, n: usize) -> usize {
    let mut at = start;
    let mut left = n;
    while at < end {
        let Some(token) = code.get(at) else { break };
        if token.is_mark(',') {
            left -= 1;
            if left == 0 {
                return at;
            }
        }
        let is_open = token.kind == CodeTokenKind::Mark && matches!(token.text, "(" | "[" | "{");
        at = if is_open { code.closer(at) + 1 } else { at + 1 };
    }
    end
}
