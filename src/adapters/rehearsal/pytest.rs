//! The runner of the tests of rehearsal projects: reads a file of tests in a small part of Python and says like pytest how they ended, so
//! that the demo needs no Python. It only reads.

use std::path::Path;

use crate::adapters::text_file;

/// Runs the tests of a file, and returns the result as pytest prints it, with its exit code. A test is `def test_NAME():` with lines
/// `assert "TEXT" in Path("FILE").read_text()`; any other line of a test fails it.
pub(super) fn run_tests(file: &str) -> (Vec<String>, u8) {
    let text = match text_file::read_text(Path::new(file), text_file::LARGEST_WRITTEN) {
        Ok(text) => text,
        Err(error) => return (vec![format!("ERROR: {file}: {error}")], 4),
    };
    let mut tests: Vec<(&str, Option<String>)> = Vec::new();
    for line in text.lines() {
        let name = line.strip_prefix("def ").and_then(|rest| rest.split_once('('));
        match (name, tests.last_mut()) {
            (Some((name, _)), _) if name.starts_with("test_") => tests.push((name, None)),
            (_, Some((_, failed @ None))) if line.starts_with(' ') => *failed = failure(line.trim()),
            _ => {}
        }
    }
    let failed: Vec<String> = tests
        .iter()
        .filter_map(|(name, why)| Some(format!("FAILED {file}::{name} - {}", why.as_ref()?)))
        .collect();
    let n_passed = tests.len() - failed.len();
    let (told, code) = match (n_passed, failed.len()) {
        (0, 0) => ("no tests ran".to_owned(), 5),
        (passed, 0) => (format!("{passed} passed"), 0),
        (0, failed) => (format!("{failed} failed"), 1),
        (passed, failed) => (format!("{failed} failed, {passed} passed"), 1),
    };
    let mut lines = vec![format!("collected {} items", tests.len())];
    if !failed.is_empty() {
        lines.push("=== short test summary info ===".to_owned());
    }
    lines.extend(failed);
    lines.push(format!("=== {told} in 0.01s ==="));
    (lines, code)
}

/// Returns the reason why a line of a test does not hold; `None` if it holds.
fn failure(line: &str) -> Option<String> {
    let asked = line.strip_prefix("assert \"").and_then(|rest| {
        let (text, rest) = rest.split_once("\" in Path(\"")?;
        Some((text, rest.strip_suffix("\").read_text()")?))
    });
    let Some((text, path)) = asked else {
        return Some(format!("this runner does not know `{line}`"));
    };
    match text_file::read_text(Path::new(path), text_file::LARGEST_WRITTEN) {
        Ok(found) if found.contains(text) => None,
        Ok(_) => Some(format!("AssertionError: \"{text}\" is not in {path}")),
        Err(error) => Some(format!("AssertionError: {path}: {error}")),
    }
}
