//! Runs of `cargo test`. It exits with 101 for tests that fail, for code that does not compile and for much else.

use super::output::{Output, between, bounded, counts, ended_well};
use dbs_domain::{TestCounts, TestOutcome, TestReport};

/// Beginnings of cargo's complaints about its arguments or its manifest.
const OF_USAGE: [&str; 7] = [
    "error: no ",
    "error: unexpected argument",
    "error: unrecognized subcommand",
    "error: could not find `Cargo.toml`",
    "error: failed to parse manifest",
    "error: package ID specification",
    "error: invalid value",
];

pub(super) fn read(exit: i32, output: &Output) -> TestReport {
    let counts = total(output);
    if exit == 0 {
        return ended_well(Some(counts.unwrap_or_default()));
    }
    let does_not_compile = output.has_line_that_begins("error: could not compile");
    let outcome = if counts.is_some_and(|counts| counts.failed > 0) {
        TestOutcome::FailedByAssertion
    } else if does_not_compile {
        TestOutcome::FailedToLoad
    } else if OF_USAGE.iter().any(|words| output.has_line_that_begins(words)) {
        TestOutcome::Usage
    } else if output.has("(signal: 2, SIGINT") || output.has("(signal: 15, SIGTERM") {
        TestOutcome::Interrupted
    } else if counts.is_none() && exit == 101 {
        TestOutcome::Internal
    } else {
        TestOutcome::Failed
    };
    let failed = |line: &str| {
        line.strip_prefix("test ")?
            .strip_suffix(" ... FAILED")
            .map(str::to_owned)
    };
    let names = output.lines.iter().filter_map(|line| failed(line));
    let missing = if does_not_compile {
        missing(output)
    } else {
        Vec::new()
    };
    TestReport {
        outcome,
        counts,
        failing: bounded(names),
        missing,
    }
}

/// Returns the sum of the results of all test programs.
fn total(output: &Output) -> Option<TestCounts> {
    let results = output.lines.iter().filter_map(|line| {
        let told = line.strip_prefix("test result: ")?;
        // A line that a test prints itself looks different, unless it is meant to mislead.
        let is_whole = told.contains(" filtered out; finished in ");
        counts(told).filter(|_| is_whole)
    });
    results.reduce(|mut sum, one| {
        for (number, word) in [
            (one.passed, "passed"),
            (one.failed, "failed"),
            (one.skipped, "ignored"),
        ] {
            sum.add(number, word);
        }
        sum
    })
}

/// Returns the names that the compiler did not find.
fn missing(output: &Output) -> Vec<String> {
    // The line below the code gives the module in which a name was looked for.
    bounded(output.lines.iter().filter_map(|line| missing_name(line)))
}

fn missing_name(line: &str) -> Option<String> {
    let told = line.strip_prefix("error[E")?.split_once("]: ")?.1;
    if told.starts_with("unresolved import") {
        return between(told, "`", "`").map(str::to_owned);
    }
    if told.starts_with("cannot find ") || told.starts_with("no ") {
        let name = between(told, "`", "`")?;
        let within = ["in crate `", "in module `"]
            .iter()
            .find_map(|words| between(told, words, "`"));
        return Some(within.map_or_else(|| name.to_owned(), |module| format!("{module}::{name}")));
    }
    let unresolved = told.strip_prefix("failed to resolve: ").unwrap_or(told);
    if unresolved.starts_with("use of u") || unresolved.starts_with("could not find ") {
        return between(unresolved, "`", "`").map(str::to_owned);
    }
    None
}
