//! Line of a program's output that best explains its failure.

use crate::cut::cut_marked;

/// Maximum length of a line that is returned, in characters.
const MOST: usize = 200;

/// Weight of a line as an explanation of a failure, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Plain,
    /// Repetition that something failed, after it was named.
    Summary,
    Mention,
    /// Line that names the error itself.
    Cause,
}

/// Words of lines that name an error, as compilers, shells, runners of tests and interpreters write them.
const CAUSES: [&str; 14] = [
    "error:",
    "error[",
    "exception:",
    "panicked at",
    "fatal:",
    "cannot ",
    "could not ",
    "can't ",
    "not found",
    "no such ",
    "permission denied",
    "undefined",
    "expected",
    "assertion",
];

/// Beginnings of lines that only sum up.
const SUMMARIES: [&str; 7] = [
    "test result:",
    "error: test failed",
    "error: could not compile",
    "error: aborting",
    "npm err",
    "make: ***",
    "failures:",
];

/// Returns the last line that names an error, else the last that mentions one, else the last of all; `None` for an empty output.
pub fn telling_line(output: &str) -> Option<String> {
    let lines = output.lines().map(str::trim);
    let said = lines.filter(|line| line.contains(char::is_alphanumeric));
    let line = said.max_by_key(|line| weight(line))?;
    Some(cut_marked(without_shell(line), MOST))
}

fn weight(line: &str) -> Weight {
    let lower = line.to_lowercase();
    let bare = lower.trim_matches(['=', '-', '_', ' ', '|', '*']);
    let is_count = bare.starts_with(|c: char| c.is_ascii_digit()) && bare.contains("fail");
    if is_count || SUMMARIES.iter().any(|begin| bare.starts_with(begin)) {
        Weight::Summary
    } else if lower.starts_with("failed ") || line.starts_with("E  ") || has_any(&lower, &CAUSES) {
        Weight::Cause
    } else if has_any(&lower, &["fail", "error", "denied", "abort"]) {
        Weight::Mention
    } else {
        Weight::Plain
    }
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns a shell's complaint without the shell's name and the number of the line, as in `dash: 0: cannot open a.txt`.
fn without_shell(line: &str) -> &str {
    let Some((shell, rest)) = line.split_once(": ") else {
        return line;
    };
    let shell = shell.rsplit('/').next().unwrap_or(shell);
    let Some((number, rest)) = rest.split_once(": ").filter(|_| shell.ends_with("sh")) else {
        return line;
    };
    let number = number.strip_prefix("line ").unwrap_or(number);
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    if is_number { rest } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_names_the_error_is_taken_and_not_the_count_of_failures() {
        let pytest = "=== FAILURES ===\n    from app import handle\nE   ModuleNotFoundError: No module named 'app'\n\
                      === short test summary info ===\n=== 1 failed, 2 passed in 0.03s ===\n";
        let cargo = "thread 'a' panicked at src/lib.rs:3:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\
                     failures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`\n";
        for (output, wanted) in [
            (pytest, "E   ModuleNotFoundError: No module named 'app'"),
            (cargo, "assertion `left == right` failed"),
            ("sh: 0: cannot open agent.sh", "cannot open agent.sh"),
            (
                "dash: line 12: nope: command not found\n",
                "nope: command not found",
            ),
            (
                "warming up\nno tests were collected\n----\n",
                "no tests were collected",
            ),
            (
                "src/a.rs:1: error: x\nmake: *** [all] Error 1",
                "src/a.rs:1: error: x",
            ),
            (
                "FAILED tests/a.py::b - assert 1 == 2\n1 failed in 0.1s",
                "FAILED tests/a.py::b - assert 1 == 2",
            ),
        ] {
            assert_eq!(telling_line(output).as_deref(), Some(wanted));
        }
        assert_eq!(telling_line(" \n---\n"), None);
        let long = telling_line(&"x".repeat(500)).unwrap();
        assert!(long.chars().count() == MOST + 1 && long.ends_with('…'), "{long}");
    }
}
