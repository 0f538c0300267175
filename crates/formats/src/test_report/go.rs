//! Runs of `go test`. It exits with 1 for tests that fail and for packages that cannot be built, and with 0 if there is no test.

use super::output::{Output, between, bounded};
use dbs_domain::{TestCounts, TestOutcome, TestReport};

pub(super) fn read(exit: i32, output: &Output) -> TestReport {
    let counts = counts(output);
    let failed_tests = || {
        output.lines.iter().filter_map(|line| {
            let name = line.trim_start().strip_prefix("--- FAIL: ")?;
            Some(name.split(' ').next().unwrap_or(name).to_owned())
        })
    };
    let outcome = if exit == 0 {
        if output.lines.iter().any(|line| is_ok_with_tests(line)) {
            TestOutcome::Passed
        } else {
            TestOutcome::NothingCollected
        }
    } else if output.has_line_that_begins("panic: test timed out after") {
        TestOutcome::Interrupted
    } else if failed_tests().next().is_some() {
        TestOutcome::FailedByAssertion
    } else if output.has_line_that_begins("flag provided but not defined")
        || output.has(": directory not found")
    {
        TestOutcome::Usage
    } else if output.lines.iter().any(|line| is_unbuilt(line)) {
        TestOutcome::FailedToLoad
    } else {
        TestOutcome::Failed
    };
    let packages = output.lines.iter().filter(|line| is_unbuilt(line));
    let packages = packages.filter_map(|line| line.split('\t').nth(1)?.split(' ').next());
    TestReport {
        outcome,
        counts,
        failing: bounded(failed_tests().chain(packages.map(str::to_owned))),
        missing: if exit == 0 {
            Vec::new()
        } else {
            output.names(missing)
        },
    }
}

/// Counts the lines of a verbose run, subtests with their test; any other run does not report how many passed.
fn counts(output: &Output) -> Option<TestCounts> {
    if !output.has_line_that_begins("=== RUN ") {
        return None;
    }
    let mut counts = TestCounts::default();
    for line in &output.lines {
        for (mark, word) in [("PASS", "passed"), ("FAIL", "failed"), ("SKIP", "skipped")] {
            if line
                .strip_prefix("--- ")
                .is_some_and(|rest| rest.starts_with(mark))
            {
                counts.add(1, word);
            }
        }
    }
    Some(counts)
}

fn is_ok_with_tests(line: &str) -> bool {
    line.starts_with("ok  \t") && !line.ends_with("[no tests to run]")
}

fn is_unbuilt(line: &str) -> bool {
    line.starts_with("FAIL\t") && (line.ends_with("[build failed]") || line.ends_with("[setup failed]"))
}

/// Returns the name that the compiler did not find, in a line such as `./a_test.go:6:5: undefined: Health`.
fn missing(line: &str) -> Option<String> {
    if !line.contains(".go:") {
        return None;
    }
    let word = |text: &str| text.split([' ', ':', ';']).next().map(str::to_owned);
    if let Some((_, name)) = line.split_once(": undefined: ") {
        return word(name);
    }
    for words in [
        "cannot find module providing package ",
        "no required module provides package ",
    ] {
        if let Some((_, package)) = line.split_once(words) {
            return word(package);
        }
    }
    if line.contains(" is not in std") {
        return between(line, ": package ", " is not in std").map(str::to_owned);
    }
    // `x.y undefined (type X has no field or method y)`
    let (before, _) = line.split_once(" undefined (type ")?;
    before.rsplit(' ').next().map(str::to_owned)
}
