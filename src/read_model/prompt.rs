//! Facts in the prompt of the agent of a task, or of the next agent.

use crate::domain::{PromptFacts, PromptSources, RoleId, Task, Worker};
use crate::read_model::ReadModel;

impl ReadModel {
    /// The facts of the agent that works on the task, else of the next one; with a role those of an agent in that role that would
    /// be next. `None` if no agent acts.
    pub fn prompt_facts(&self, task: &Task, role: Option<&RoleId>) -> Option<PromptFacts> {
        let open = self.open_attempt(task).filter(|open| match open.worker {
            Worker::Agent { .. } => role.is_none(),
            Worker::Engine(_) => false,
        });
        let batch = self.batches.get(&task.batch);
        let own = batch.and_then(|batch| batch.base.as_deref());
        let sources = PromptSources {
            tasks: &self.tasks,
            attempts: &self.attempts,
            workflows: &self.workflows,
            settings: &self.settings,
            options: batch.map(|batch| batch.options).unwrap_or_default(),
            base: own.or(self.base.as_deref()).filter(|base| !base.is_empty()),
        };
        sources.facts(task, open, role)
    }
}
