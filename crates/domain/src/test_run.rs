//! Results of a test run, and the verdict on the first run of tests that were written before their feature (LA-5, LA-6).

use serde::{Deserialize, Serialize};

/// End of a test run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// At least one test ran, and none failed.
    Passed,
    /// A test ran and failed, by an assertion or by an error of what it calls.
    FailedByAssertion,
    /// A test file could not be compiled, imported or set up, or all failures were for want of a name.
    FailedToLoad,
    /// Failure whose kind the runner does not report.
    Failed,
    /// No test ran: none was found, or all are skipped.
    NothingCollected,
    /// The runner did not understand its arguments or did not find what they name.
    Usage,
    /// The run was stopped before its end.
    Interrupted,
    /// The runner itself broke or could not be started.
    Internal,
}

impl TestOutcome {
    /// Returns the words for people.
    pub fn word(self) -> &'static str {
        match self {
            TestOutcome::Passed => "passed",
            TestOutcome::FailedByAssertion => "failed",
            TestOutcome::FailedToLoad => "could not be loaded",
            TestOutcome::Failed => "failed for a reason the runner does not say",
            TestOutcome::NothingCollected => "no test ran",
            TestOutcome::Usage => "the runner did not understand its arguments",
            TestOutcome::Interrupted => "stopped before its end",
            TestOutcome::Internal => "the test runner broke",
        }
    }
}

/// Numbers of tests by their outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestCounts {
    pub passed: u32,
    pub failed: u32,
    /// Number of tests and files that broke outside of any test.
    pub errors: u32,
    /// Tests that were skipped, ignored, planned, or are known to fail.
    pub skipped: u32,
}

impl TestCounts {
    /// Adds a count such as `3 failed`, given as `number` and `word`; returns true if the word is known.
    pub fn add(&mut self, number: u32, word: &str) -> bool {
        let count = match word {
            "passed" | "xpassed" => &mut self.passed,
            "failed" => &mut self.failed,
            "error" | "errors" => &mut self.errors,
            "skipped" | "ignored" | "xfailed" | "todo" => &mut self.skipped,
            _ => return false,
        };
        *count = count.saturating_add(number);
        true
    }

    /// Returns the number of tests that were run.
    pub fn total(&self) -> u32 {
        self.passed
            .saturating_add(self.failed)
            .saturating_add(self.errors)
    }
}

impl std::fmt::Display for TestCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{} passed", self.passed, self.total())
    }
}

/// Results of a test run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestReport {
    pub outcome: TestOutcome,
    /// Numbers of tests; `None` if the output does not report all of them.
    pub counts: Option<TestCounts>,
    /// Names of the tests and files that failed, the first ones.
    pub failing: Vec<String>,
    /// Modules, functions and other names that the output says are missing, whatever the outcome, in the words of the runner. They decide
    /// whether a test that fails before there is an implementation fails for the right reason (LA-5).
    pub missing: Vec<String>,
}

impl TestReport {
    /// Creates a report of the outcome without further details.
    pub fn of(outcome: TestOutcome) -> TestReport {
        TestReport {
            outcome,
            counts: None,
            failing: Vec::new(),
            missing: Vec::new(),
        }
    }
}

/// Verdict on the first run of tests that were written before their feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstRun {
    /// The tests fail because the feature is missing: by an assertion, or for want of names that are to be created.
    FailsAsWanted,
    /// The tests fail, and the runner does not report how.
    FailsSomehow,
    /// The tests fail for another reason: these names are missing and are not to be created; empty if a test file itself is wrong.
    Defect(Vec<String>),
    /// The tests already pass: they assert nothing, or the feature exists.
    AlreadyPasses,
    /// The tests were not run.
    NotRun(TestOutcome),
}

/// Judges the first run of new tests. `is_to_be_created` returns true if the story creates a missing name, given in the words of the
/// runner.
pub fn first_run(report: &TestReport, is_to_be_created: &dyn Fn(&str) -> bool) -> FirstRun {
    match report.outcome {
        TestOutcome::Passed => FirstRun::AlreadyPasses,
        TestOutcome::Failed => FirstRun::FailsSomehow,
        TestOutcome::FailedByAssertion | TestOutcome::FailedToLoad => {
            let names = report.missing.iter().filter(|name| !is_to_be_created(name));
            let unexpected: Vec<String> = names.cloned().collect();
            let is_for_want = !report.missing.is_empty() || report.outcome == TestOutcome::FailedByAssertion;
            if unexpected.is_empty() && is_for_want {
                FirstRun::FailsAsWanted
            } else {
                FirstRun::Defect(unexpected)
            }
        }
        outcome @ (TestOutcome::NothingCollected
        | TestOutcome::Usage
        | TestOutcome::Interrupted
        | TestOutcome::Internal) => FirstRun::NotRun(outcome),
    }
}
