//! Number of agents' tries at the work of a task. Reviews, the engine's merges and attempts that came to nothing for no fault of the task
//! are not tries.

use super::attempt::{AttemptMode, Worker};
use super::id::StageId;
use super::task::Task;
use super::workflow::{Stage, Workspace};

impl Task {
    /// Returns the number of tries at the stage that took the most; 0 before the first.
    pub fn tries_of_work(&self) -> u32 {
        let counted = self.work_tries.values().max();
        // Stores of earlier versions have the attempts of all stages.
        let counted = counted.or_else(|| self.tries.values().max());
        counted.copied().unwrap_or_default()
    }

    /// Counts an attempt that begins, if it is a try.
    pub(crate) fn count_try(&mut self, stage: &Stage, worker: &Worker, mode: AttemptMode) {
        let is_agent = matches!(worker, Worker::Agent { .. });
        if is_agent && mode != AttemptMode::Fallback && stage.workspace != Workspace::Head {
            let count = self.work_tries.entry(stage.id.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Takes back the count of an attempt at that stage.
    pub(crate) fn give_back_try(&mut self, stage: &StageId, worker: &Worker, mode: AttemptMode) {
        let is_agent = matches!(worker, Worker::Agent { .. });
        if let Some(count) = self
            .work_tries
            .get_mut(stage)
            .filter(|_| is_agent && mode != AttemptMode::Fallback)
        {
            *count = count.saturating_sub(1);
        }
    }
}
