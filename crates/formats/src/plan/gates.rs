//! The gates of a phase: list items `name: requirement`, with the command somewhere in backticks (4.2).

use super::document::Inline;
use super::model::PlanGate;

/// Reads a gate, or nothing if the item is a sentence for people.
pub(super) fn read(text: &Inline, line: usize) -> Option<PlanGate> {
    let (name, rest) = split(text)?;
    let command = command(&rest);
    let said = rest.plain();
    let lower = format!("{name} {said}").to_lowercase();
    let is_optional = lower.contains("non-blocking") || lower.contains("(optional)");
    Some(PlanGate {
        name,
        requirement: requirement(&rest),
        command,
        is_blocking: !is_optional,
        line,
    })
}

/// Splits an item at the first colon outside of backticks: the text before it and the text behind it.
fn split(text: &Inline) -> Option<(String, Inline)> {
    let mut name = String::new();
    let mut pieces = text.0.iter();
    for piece in pieces.by_ref() {
        if piece.is_code {
            // A command alone has no name.
            return None;
        }
        let Some((before, after)) = piece.text.split_once(':') else {
            name.push_str(&piece.text);
            continue;
        };
        name.push_str(before);
        let first = super::document::Piece {
            text: after.to_owned(),
            ..piece.clone()
        };
        let rest = std::iter::once(first).chain(pieces.cloned()).collect();
        let name = name.trim().to_owned();
        return is_name(&name).then_some((name, Inline(rest)));
    }
    None
}

/// Returns true if a text is short enough for a name: a sentence is prose.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 60 && name.split_whitespace().count() <= 5
}

/// Returns the text in backticks behind the word `command:`, else the first one that reads as a command.
fn command(rest: &Inline) -> Option<String> {
    let mut said_so = false;
    for piece in &rest.0 {
        if piece.is_code && said_so {
            return usable(&piece.text);
        }
        said_so = !piece.is_code && piece.text.trim_end().to_lowercase().ends_with("command:");
    }
    rest.codes().find_map(usable)
}

/// Returns the text if it is a command: one line that begins with a word; `command:` may stand before it.
fn usable(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("command:").unwrap_or(text).trim_start();
    let first = text.chars().next()?;
    let is_word = first.is_ascii_alphanumeric() || "./_~$(![{\"'".contains(first);
    (is_word && !text.contains('\n')).then(|| text.to_owned())
}

/// Returns the text besides the command.
fn requirement(rest: &Inline) -> String {
    let texts = rest.0.iter().filter(|piece| !piece.is_code);
    let text: String = texts.map(|piece| piece.text.as_str()).collect();
    let text = text.replace("(command:", "").replace("command:", "");
    let is_mark = |sign: char| sign.is_whitespace() || "()→-–:".contains(sign);
    text.trim_matches(is_mark).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::document::{Part, parts};
    use super::*;

    fn gate(item: &str) -> Option<(String, Option<String>, String, bool)> {
        let parts = parts(&format!("- {item}\n"));
        let [Part::Item { text, line, .. }] = parts.as_slice() else {
            panic!("{parts:?}")
        };
        let gate = read(text, *line)?;
        Some((gate.name, gate.command, gate.requirement, gate.is_blocking))
    }

    #[test]
    fn every_form_of_a_gate_is_read() {
        let cases = [
            (
                "fmt: clean (command: `cargo fmt --check`)",
                "fmt",
                Some("cargo fmt --check"),
                "clean",
            ),
            (
                "lint: `cargo clippy -- -D warnings` → 0 warnings",
                "lint",
                Some("cargo clippy -- -D warnings"),
                "0 warnings",
            ),
            (
                "**tests**: `cargo test` (all pass)",
                "tests",
                Some("cargo test"),
                "all pass",
            ),
            (
                "**types: 0 errors** `pyright src/`",
                "types",
                Some("pyright src/"),
                "0 errors",
            ),
            ("ty/pyright: 0 errors", "ty/pyright", None, "0 errors"),
            ("coverage: >= 70%", "coverage", None, ">= 70%"),
            (
                "a: first `x y` then (command: `make`)",
                "a",
                Some("make"),
                "first  then",
            ),
            ("docs: see `[the page]`", "docs", Some("[the page]"), "see"),
            (
                "ruff: 0 errors `command: uv run ruff check .`",
                "ruff",
                Some("uv run ruff check ."),
                "0 errors",
            ),
        ];
        for (item, name, command, requirement) in cases {
            let wanted = (
                name.to_owned(),
                command.map(str::to_owned),
                requirement.to_owned(),
                true,
            );
            assert_eq!(gate(item), Some(wanted), "{item}");
        }
        assert!(!gate("size: small (optional) `du -s`").unwrap().3);
        assert!(!gate("perf: `make bench`, non-blocking").unwrap().3);
        assert!(!gate("size (optional): `du -s`").unwrap().3);
    }

    #[test]
    fn prose_is_no_gate() {
        for item in [
            "**ALL gates are BLOCKING.**",
            "Run everything before you say done",
            "`cargo test`",
            "Before the phase may be called complete in any way: read this",
        ] {
            assert_eq!(gate(item), None, "{item}");
        }
    }
}
