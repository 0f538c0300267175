//! Exit codes of a runner of which nothing else is known.

use std::collections::BTreeMap;

use dbs_domain::TestOutcome;

/// Meaning of the exit codes of a runner, as its settings give it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitCodes(BTreeMap<i32, TestOutcome>);

impl ExitCodes {
    /// Takes the meaning of these codes. Any other follows the custom of programs: 0 passed, and all else failed in a way that is not
    /// known.
    pub fn new(meanings: impl IntoIterator<Item = (i32, TestOutcome)>) -> ExitCodes {
        ExitCodes(meanings.into_iter().collect())
    }

    pub(super) fn outcome(&self, exit: i32) -> TestOutcome {
        self.0.get(&exit).copied().unwrap_or(match exit {
            0 => TestOutcome::Passed,
            126 | 127 => TestOutcome::Internal,
            _ => TestOutcome::Failed,
        })
    }
}
