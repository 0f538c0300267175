//! Options of a task whose batch chose something else than the settings.

use super::Board;
use crate::batch::RunOptions;
use crate::context_restart::ContextRules;
use crate::evidence::{ComplianceIssue, RemediationStrategy, strategy};
use crate::id::TaskId;

impl Board {
    /// Returns the options chosen for the batch of a task.
    pub fn options_of(&self, task: &TaskId) -> RunOptions {
        let task = self.tasks.get(task);
        let batch = task.and_then(|task| self.batches.get(&task.batch));
        batch.map(|batch| batch.options).unwrap_or_default()
    }

    /// Returns the rules for restarting agents of a task whose context is full.
    pub(super) fn context_rules(&self, task: &TaskId) -> ContextRules {
        self.options_of(task).context(self.settings.context)
    }

    /// Returns true if the engine commits the work that agents of a task leave uncommitted.
    pub fn commits_for(&self, task: &TaskId) -> bool {
        let chosen = self.options_of(task).auto_commit;
        chosen.unwrap_or(self.settings.auto_commit)
    }

    /// Returns the reaction to findings; if the settings are strict, nothing is only a warning.
    pub(super) fn strategy_for(&self, issues: &[ComplianceIssue]) -> RemediationStrategy {
        match strategy(issues) {
            RemediationStrategy::Warn if self.settings.strict => RemediationStrategy::Fix,
            other => other,
        }
    }
}
