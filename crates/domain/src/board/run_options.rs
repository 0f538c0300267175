//! What holds for a task where its batch chose something else than the settings.

use super::Board;
use crate::batch::RunOptions;
use crate::context_restart::ContextRules;
use crate::evidence::{ComplianceIssue, RemediationStrategy, strategy};
use crate::id::TaskId;

impl Board {
    /// What was chosen for the batch of a task.
    pub fn options_of(&self, task: &TaskId) -> RunOptions {
        let task = self.tasks.get(task);
        let batch = task.and_then(|task| self.batches.get(&task.batch));
        batch.map(|batch| batch.options).unwrap_or_default()
    }

    /// When agents of a task are restarted because their context is full.
    pub(super) fn context_rules(&self, task: &TaskId) -> ContextRules {
        self.options_of(task).context(self.settings.context)
    }

    /// Whether the engine commits what agents of a task leave uncommitted.
    pub fn commits_for(&self, task: &TaskId) -> bool {
        let chosen = self.options_of(task).auto_commit;
        chosen.unwrap_or(self.settings.auto_commit)
    }

    /// What follows from findings; where the settings are strict, nothing is only a warning.
    pub(super) fn strategy_for(&self, issues: &[ComplianceIssue]) -> RemediationStrategy {
        match strategy(issues) {
            RemediationStrategy::Warn if self.settings.strict => RemediationStrategy::Fix,
            other => other,
        }
    }
}
