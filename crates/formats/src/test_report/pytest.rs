//! Runs of pytest. Its exit codes: 0 passed, 1 failed, 2 interrupted (also by a file that cannot be imported), 3 internal error, 4 usage
//! error, 5 no tests collected.

use super::output::{Output, between, bounded, counts, ended_well};
use dbs_domain::{TestCounts, TestOutcome, TestReport};

/// Errors about a missing name, as the summary begins a reason with them; the summary cuts the rest.
const OF_NAMES: [&str; 4] = [
    "ModuleNotFoundError",
    "ImportError",
    "NameError",
    "AttributeError: module '",
];

pub(super) fn read(exit: i32, output: &Output) -> TestReport {
    let counts = output.last(summary);
    let (names, reasons): (Vec<_>, Vec<_>) = failures(output).into_iter().unzip();
    let outcome = match exit {
        0 => return ended_well(counts),
        1 => failed(counts, &reasons, output),
        2 if counts.is_some_and(|counts| counts.errors > 0) => TestOutcome::FailedToLoad,
        2 => TestOutcome::Interrupted,
        3 => TestOutcome::Internal,
        4 if output.has_line_that_begins("ImportError while loading conftest") => TestOutcome::FailedToLoad,
        4 => TestOutcome::Usage,
        5 => TestOutcome::NothingCollected,
        _ => TestOutcome::Failed,
    };
    TestReport {
        outcome,
        counts,
        failing: bounded(names.into_iter()),
        missing: output.names(missing),
    }
}

fn failed(counts: Option<TestCounts>, reasons: &[String], output: &Output) -> TestOutcome {
    let Some(counts) = counts else {
        // Python itself reports that there is no such runner.
        let is_absent =
            output.has_line_that_begins("No module named pytest") || output.has(": No module named pytest");
        return if is_absent {
            TestOutcome::Internal
        } else {
            TestOutcome::Failed
        };
    };
    let is_of_name = |reason: &String| OF_NAMES.iter().any(|error| reason.starts_with(error));
    if counts.failed == 0 || (!reasons.is_empty() && reasons.iter().all(is_of_name)) {
        TestOutcome::FailedToLoad
    } else {
        TestOutcome::FailedByAssertion
    }
}

/// Reads the last line of a run: `=== 3 failed, 1 passed in 0.02s ===`.
fn summary(line: &str) -> Option<TestCounts> {
    let (told, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let is_time = time
        .split_once('s')
        .is_some_and(|(seconds, _)| seconds.parse::<f64>().is_ok());
    if is_time && told == "no tests ran" {
        return Some(TestCounts::default());
    }
    counts(told).filter(|_| is_time)
}

/// Returns name and reason of each line of the short summary, which is at the end.
fn failures(output: &Output) -> Vec<(String, String)> {
    let is_head = |line: &String| line.trim_matches(['=', ' ']) == "short test summary info";
    let Some(head) = output.lines.iter().rposition(is_head) else {
        return Vec::new();
    };
    let below = output.lines.iter().skip(head + 1);
    let named = below.filter_map(|line| {
        line.strip_prefix("FAILED ")
            .or_else(|| line.strip_prefix("ERROR "))
    });
    named
        .map(|rest| {
            let (name, reason) = rest.split_once(" - ").unwrap_or((rest, ""));
            (name.to_owned(), reason.to_owned())
        })
        .collect()
}

/// Returns the name that an error reports as missing; errors are behind an `E`.
fn missing(line: &str) -> Option<String> {
    let error = line.strip_prefix("E ")?.trim_start();
    if error.starts_with("ModuleNotFoundError: ") {
        return between(error, "No module named '", "'").map(str::to_owned);
    }
    if error.starts_with("ImportError: cannot import name ") {
        let name = between(error, "cannot import name '", "'")?;
        let module =
            between(error, " from '", "'").or_else(|| between(error, "partially initialized module '", "'"));
        return Some(module.map_or_else(|| name.to_owned(), |module| format!("{module}.{name}")));
    }
    if error.starts_with("NameError: ") {
        return between(error, "name '", "' is not defined").map(str::to_owned);
    }
    let attribute = error.strip_prefix("AttributeError: module '")?;
    let (module, rest) = attribute.split_once("' has no attribute '")?;
    Some(format!("{module}.{}", rest.split_once('\'')?.0))
}
