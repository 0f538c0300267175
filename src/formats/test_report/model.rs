//! The result of a run of tests as one plain value.

use serde::Serialize;

/// How a run of tests ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// At least one test ran, and none failed.
    Passed,
    /// A test ran and failed, by an assertion or by an error of what it calls.
    FailedByAssertion,
    /// A test file could not be compiled, imported or set up, or all that failed did so for want of a name.
    FailedToLoad,
    /// It failed, and the runner does not say how.
    Failed,
    /// No test ran: none was found, or all are skipped.
    NothingCollected,
    /// The runner did not understand its arguments or did not find what they name.
    Usage,
    /// It was stopped before its end.
    Interrupted,
    /// The runner itself broke or could not be started.
    Internal,
}

impl TestOutcome {
    /// The words for people.
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

/// How many tests ended in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TestCounts {
    pub passed: u32,
    pub failed: u32,
    /// Tests and files that broke outside of any test.
    pub errors: u32,
    /// Skipped, ignored, planned, or known to fail.
    pub skipped: u32,
}

impl TestCounts {
    /// Adds what `number` and `word` say, such as `3 failed`.
    pub(super) fn add(&mut self, number: u32, word: &str) -> bool {
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
}

/// What a run of tests showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestReport {
    pub outcome: TestOutcome,
    /// None where the output does not say all of them.
    pub counts: Option<TestCounts>,
    /// Names of the tests and files that failed, the first of them.
    pub failing: Vec<String>,
    /// Modules, functions and other names that the output says are missing, whatever the outcome, in the words of the runner. They decide
    /// whether a test that fails before there is an implementation fails for the right reason (LA-5).
    pub missing: Vec<String>,
}

impl TestReport {
    /// A report that says nothing more than how it ended.
    pub(super) fn of(outcome: TestOutcome) -> TestReport {
        TestReport {
            outcome,
            counts: None,
            failing: Vec::new(),
            missing: Vec::new(),
        }
    }
}
