//! The board: all tasks, batches and attempts, and the one function that changes them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::attempt::Attempt;
use super::effect::Effect;
use super::event::Event;
use super::id::{AttemptId, BatchId, TaskId, WorkflowId};
use super::run::{Batch, Pause};
use super::settings::Settings;
use super::task::Task;
use super::time::Timestamp;
use super::workflow::Workflow;

/// Everything the engine decides about. Cheap to clone: the parts are shared until one changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    /// All tasks.
    pub tasks: BTreeMap<TaskId, Arc<Task>>,
    /// All open attempts and the settled ones that are still of interest.
    pub attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    /// All batches.
    pub batches: BTreeMap<BatchId, Arc<Batch>>,
    /// The workflows in force.
    pub workflows: BTreeMap<WorkflowId, Arc<Workflow>>,
    /// The settings in force.
    pub settings: Arc<Settings>,
    /// Why nothing new is started, if so.
    pub pause: Option<Pause>,
    /// Number of the last attempt.
    pub last_attempt: u64,
    /// Infrastructure failures in a row, over all tasks; cleared by the next success.
    pub infra_failures: u32,
    /// What changed since [`Board::take_touched`] was last called.
    touched: Touched,
}

/// Which rows an event changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Tasks.
    pub tasks: BTreeSet<TaskId>,
    /// Attempts.
    pub attempts: BTreeSet<AttemptId>,
    /// Batches.
    pub batches: BTreeSet<BatchId>,
}

impl Board {
    /// Takes in one fact and says what should follow. Total and deterministic: the same board, time and fact give the same answer.
    pub fn apply(&mut self, _now: Timestamp, _event: &Event) -> Vec<Effect> {
        Vec::new()
    }

    /// When something is due if nothing happens before.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        None
    }

    /// What changed since this was last called.
    pub fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }
}
