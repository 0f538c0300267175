//! Runs of vitest and jest. Both exit with 1 for everything that is not well.

use super::output::{Output, between, bounded, counts, ended_well};
use dbs_domain::{TestCounts, TestOutcome, TestReport};

/// Messages of both for a file or a filter without tests.
const NO_TESTS: [&str; 4] = [
    "No test suite found in file",
    "Your test suite must contain at least one test.",
    "No test files found, exiting",
    "No tests found, exiting",
];

/// Complaints of both about their arguments.
const OF_USAGE: [&str; 3] = [
    "CACError: ",
    "Unrecognized CLI Parameter",
    "Unrecognized option \"",
];

/// A failure of a test or a file: its name, and the first line of its reason.
struct JsFailure {
    name: String,
    reason: String,
    is_file: bool,
}

pub(super) fn read_vitest(exit: i32, output: &Output) -> TestReport {
    let summary = output.last(|line| tests(line.trim_start().strip_prefix("Tests ")?));
    let failures = blocks(output, |line, next| {
        let name = line.strip_prefix(" FAIL ")?.trim();
        Some(JsFailure {
            name: name.split(" [ ").next().unwrap_or(name).to_owned(),
            reason: next.trim().to_owned(),
            is_file: name.ends_with(" ]"),
        })
    });
    report(exit, output, summary, &failures)
}

pub(super) fn read_jest(exit: i32, output: &Output) -> TestReport {
    let summary = output.last(|line| tests(line.strip_prefix("Tests:")?));
    let failures = blocks(output, |line, next| {
        let name = line.strip_prefix("  ● ")?.trim();
        Some(JsFailure {
            name: name.to_owned(),
            reason: next.trim().to_owned(),
            is_file: name == "Test suite failed to run",
        })
    });
    let mut report = report(exit, output, summary, &failures);
    // A file that failed as a whole is named only above its block.
    if failures.iter().any(|failure| failure.is_file) {
        let files = output.lines.iter().filter_map(|line| line.strip_prefix("FAIL "));
        let tests = report
            .failing
            .iter()
            .filter(|name| *name != "Test suite failed to run")
            .cloned();
        report.failing = bounded(tests.chain(files.map(str::to_owned)));
    }
    report
}

/// Returns the counts in the line about tests; all are zero if it says that there were none.
fn tests(told: &str) -> Option<TestCounts> {
    let is_zero = told.trim() == "no tests" || told.trim() == "0 total";
    counts(told).or_else(|| is_zero.then(TestCounts::default))
}

/// Collects the failures that `read` finds in a line and the next one that is not empty.
fn blocks(output: &Output, read: impl Fn(&str, &str) -> Option<JsFailure>) -> Vec<JsFailure> {
    let mut found = Vec::new();
    for (at, line) in output.lines.iter().enumerate() {
        let below = output.lines.iter().skip(at + 1).take(3);
        let next = below.map(String::as_str).find(|line| !line.trim().is_empty());
        found.extend(read(line, next.unwrap_or_default()));
    }
    found
}

fn report(exit: i32, output: &Output, summary: Option<TestCounts>, failures: &[JsFailure]) -> TestReport {
    if exit == 0 {
        return ended_well(summary);
    }
    let of_tests = || failures.iter().filter(|failure| !failure.is_file);
    let files: Vec<&JsFailure> = failures.iter().filter(|failure| failure.is_file).collect();
    let counts = summary.map(|counts| TestCounts {
        errors: u32::try_from(files.len()).unwrap_or(u32::MAX),
        ..counts
    });
    let is_empty = |failure: &&JsFailure| NO_TESTS.iter().any(|words| failure.reason.contains(words));
    let outcome = if counts.is_some_and(|counts| counts.failed > 0) {
        let has_other = of_tests().any(|failure| missing(&failure.reason).is_none());
        if has_other || failures.is_empty() {
            TestOutcome::FailedByAssertion
        } else {
            TestOutcome::FailedToLoad
        }
    } else if files.iter().any(|failure| !is_empty(failure)) {
        TestOutcome::FailedToLoad
    } else if NO_TESTS.iter().any(|words| output.has(words)) {
        TestOutcome::NothingCollected
    } else if OF_USAGE.iter().any(|words| output.has(words)) {
        TestOutcome::Usage
    } else if summary.is_none() {
        TestOutcome::Internal
    } else {
        TestOutcome::Failed
    };
    TestReport {
        outcome,
        counts,
        failing: bounded(failures.iter().map(|failure| failure.name.clone())),
        missing: bounded(failures.iter().filter_map(|failure| missing(&failure.reason))),
    }
}

/// Returns the module or name that an error reports as missing.
fn missing(reason: &str) -> Option<String> {
    for (before, after) in [
        ("Cannot find module '", "'"),
        ("Cannot find package '", "'"),
        ("Failed to resolve import \"", "\""),
        ("does not provide an export named '", "'"),
    ] {
        if let Some(name) = between(reason, before, after) {
            return Some(name.to_owned());
        }
    }
    let (told, words) = if let Some(told) = reason.strip_prefix("ReferenceError: ") {
        (told, " is not defined")
    } else {
        (reason.strip_prefix("TypeError: ")?, " is not a function")
    };
    let name = told.strip_suffix(words)?;
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    // For `a.b` it is unknown whether `b` is missing or `a` is another thing than was thought.
    name.chars().all(is_name).then(|| name.to_owned())
}
