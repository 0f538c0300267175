//! The board as data, for the command line and tools, and what is looked for in it. Must not decide anything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::attempt::Attempt;
use crate::domain::batch::Batch;
use crate::domain::task::Task;
use crate::domain::{AttemptId, BatchId, Board, PauseReason, TaskId, Timestamp, Workflow};
use crate::read_model::ReadModel;

/// The board as serializable data for commands and tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoardSnapshot {
    /// When it was taken.
    pub at: Timestamp,
    /// Whether a server is at work (and attempts therefore move).
    pub live: bool,
    /// All tasks.
    pub tasks: BTreeMap<TaskId, Arc<Task>>,
    /// Open attempts and the latest settled ones.
    pub attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    /// All batches.
    pub batches: BTreeMap<BatchId, Arc<Batch>>,
    /// The workflows in force.
    pub workflows: Vec<Workflow>,
    /// Why nothing new is started.
    pub pause: Option<PauseReason>,
    /// The base branch of batches that name none.
    pub base: Option<String>,
    /// Most agents alive at a time.
    pub max_agents: u32,
}

/// A task with its open attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDetail {
    /// The task.
    pub task: Task,
    /// Its open attempt.
    pub attempt: Option<Attempt>,
}

/// The part of the board that waits for a person, with the number of all tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionSnapshot {
    /// Tasks there are on the whole board.
    pub tasks: usize,
    /// The tasks that wait, their attempts, and those that are open; all the rest is left out.
    pub board: BoardSnapshot,
}

impl AttentionSnapshot {
    /// What waits on the board of a server that is at work.
    pub fn from_read_model(model: &ReadModel) -> AttentionSnapshot {
        let waiting: BTreeSet<&TaskId> = model.attention.iter().map(|item| &item.task).collect();
        let mut board = BoardSnapshot::from_read_model(model);
        let tasks = board.tasks.len();
        board.tasks.retain(|id, _| waiting.contains(id));
        board
            .attempts
            .retain(|_, attempt| attempt.state.is_open() || waiting.contains(&attempt.task));
        AttentionSnapshot { tasks, board }
    }
}

impl BoardSnapshot {
    /// The board where no server runs.
    pub fn from_board(board: Board, at: Timestamp) -> BoardSnapshot {
        BoardSnapshot {
            at,
            live: false,
            tasks: board.tasks,
            attempts: board.attempts,
            batches: board.batches,
            workflows: board.workflows.into_values().map(Arc::unwrap_or_clone).collect(),
            pause: board.pause,
            base: board.settings.base.clone(),
            max_agents: board.settings.max_agents,
        }
    }

    /// The board of a server that is at work.
    pub fn from_read_model(model: &ReadModel) -> BoardSnapshot {
        BoardSnapshot {
            at: model.at,
            live: true,
            tasks: model.tasks.clone(),
            attempts: model.attempts.clone(),
            batches: model.batches.clone(),
            workflows: model
                .workflows
                .values()
                .map(|flow| flow.as_ref().clone())
                .collect(),
            pause: model.pause.clone(),
            base: model.base.clone(),
            max_agents: model.max_agents,
        }
    }

    /// A task and its open attempt.
    pub fn task_detail(&self, id: &TaskId) -> Option<TaskDetail> {
        let task = self.tasks.get(id)?;
        let attempt = task.open_attempt.and_then(|open| self.attempts.get(&open));
        Some(TaskDetail {
            task: task.as_ref().clone(),
            attempt: attempt.map(|attempt| attempt.as_ref().clone()),
        })
    }

    /// The attempt of an agent or a task, by the name of either: the open one, else the task's last.
    pub fn attempt(&self, name: &str) -> Option<&Attempt> {
        let mut back = self.attempts.values().rev().map(Arc::as_ref);
        self.open_attempt(name)
            .or_else(|| back.find(|attempt| attempt.task.as_str() == name))
    }

    /// The open attempt of that number, agent or task.
    pub fn open_attempt(&self, name: &str) -> Option<&Attempt> {
        let mut open = self.attempts.values().map(Arc::as_ref);
        open.find(|attempt| {
            let is_named = attempt.task.as_str() == name || attempt.worker.name() == name;
            attempt.state.is_open() && (is_named || attempt.id.to_string() == name)
        })
    }

    /// The same as the screen sees it.
    pub fn read_model(&self) -> ReadModel {
        let mut board = Board::default();
        board.tasks.clone_from(&self.tasks);
        board.attempts.clone_from(&self.attempts);
        board.batches.clone_from(&self.batches);
        for flow in &self.workflows {
            board.workflows.insert(flow.id.clone(), flow.clone().into());
        }
        board.pause.clone_from(&self.pause);
        ReadModel::of(&board, self.at)
    }
}
