//! What the first run of new tests says, before there is anything to test (LA-5).

use super::model::{TestOutcome, TestReport};

/// What tests show that were written before their feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstRun {
    /// They fail because the feature is not there: by an assertion, or for want of names that are to be created.
    FailsAsWanted,
    /// They fail, and the runner does not say how.
    FailsSomehow,
    /// They fail for another reason: these names are missing that nobody is to create; none where a test file itself is wrong.
    Defect(Vec<String>),
    /// They pass already: they assert nothing, or the feature is there.
    AlreadyPasses,
    /// They were not run.
    NotRun(TestOutcome),
}

/// Judges the first run of new tests. `is_to_be_created` says of a missing name, in the words of the runner, whether the story creates it.
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
