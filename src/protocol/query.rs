//! Questions about the board, and their answers. A server answers like a command without a server: see the file `answer.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::domain::{Attempt, BatchId, PlanJob, PromptFacts, RoleId, Task, TaskId};
use crate::read_model::{AttentionSummary, CostGroup, DiffBase, TaskChanges};

/// A question about the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    Report(Report, OutputFormat),
    Task(TaskId),
    /// The open attempt of an agent or a task, by the name of either or by its number.
    OpenAttempt(String),
    /// Comparison of a task's work with a base; the asking command asks git.
    Changes(TaskId, DiffBase),
    /// Ids of all tasks, or of those of a batch.
    TaskIds(Option<BatchId>),
    Attention,
    /// The plan or PRD that is made in a batch, and how far that is.
    Job(BatchId),
    /// Facts in the prompt of the agent of a task, or of the next one in that role.
    PromptFacts(TaskId, Option<RoleId>),
}

/// The answer to a [`Query`], one variant for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A report with the end of its last line, in pieces. They go over the socket as frames of their own, before this.
    Text(#[serde(skip)] Vec<Bytes>),
    Task(Option<TaskDetail>),
    OpenAttempt(Option<Arc<Attempt>>),
    Changes(TaskChanges),
    TaskIds(BTreeSet<TaskId>),
    Attention(AttentionSummary),
    Job(Option<Box<PlanJob>>),
    /// Facts of a prompt; `None` if no agent acts.
    PromptFacts(Option<Box<PromptFacts>>),
}

/// Error of a query that has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryError {
    #[error("could not find task {0}; `dbs task list` lists all")]
    NoTask(TaskId),
    #[error("could not compare {task}: {why}")]
    NoChanges { task: TaskId, why: String },
    #[error("could not find a task or an agent at work called {0}; see `dbs task list`")]
    NoTaskOrAgent(String),
    #[error("could not find a stage called {name}; there are {}", known.join(", "))]
    NoStage { name: String, known: Vec<String> },
    #[error("there is no batch {0}: `dbs batch list` lists all batches")]
    NoRun(BatchId),
    /// The store or the processes of agents could not be read.
    #[error("could not {0}")]
    Facts(String),
    #[error("could not write JSON: {0}")]
    Json(String),
}

impl QueryError {
    /// Returns the error of facts that could not be read; the text of `error` reads after "could not".
    pub fn facts(error: impl std::fmt::Display) -> QueryError {
        QueryError::Facts(error.to_string())
    }
}

/// Format of a command's output: lines for people or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    Lines,
    Json,
}

/// A text about the board that a command prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Base branch, agents, counts and branches (K65).
    Status(TaskBranches),
    /// All tasks, or those in a state, by its word, and in a stage, by its name as it was typed.
    Tasks {
        state: Option<String>,
        stage: Option<String>,
    },
    Ready,
    /// The whole board (K66, K80).
    Board {
        /// Columns there is room for; without a number lines are not cut.
        columns: Option<usize>,
        branches: TaskBranches,
    },
    Task(TaskId),
    /// Reason why a task does not move, or activity of an agent; by the name of either.
    Why {
        name: String,
        /// True if the lines also give the report of each source about the agent.
        with_sources: bool,
    },
    /// Number of tasks per state and stage, and the contents of the state folder (K75).
    Debug(StateFolder),
    /// Figures about the work that was done (K79).
    Metrics,
    /// Usage of agents.
    Cost(CostGroup),
    /// Batches of tasks, the newest first, at most this number (P48).
    Runs(usize),
    /// Batches with their needs, all of them, also those without a task (K61).
    Batches,
    /// The tasks of a batch, and how far each is (P46).
    Run(BatchId),
}

/// Local branches of tasks, or why git could not list them. The asking command finds them: the board does not know git.
pub type TaskBranches = Result<Vec<String>, String>;

/// A task with its open attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDetail {
    pub task: Arc<Task>,
    pub attempt: Option<Arc<Attempt>>,
    /// True if its agent is seen to wait for a person. The board learns its question a moment later.
    #[serde(default)]
    pub is_waiting: bool,
}

/// Path and entries of the folder of the project's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFolder {
    pub path: String,
    /// Sorted by name.
    pub entries: Vec<StateEntry>,
}

/// A file or folder in the state folder, with its size or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEntry {
    pub name: String,
    pub bytes: Option<u64>,
    pub entries: Option<usize>,
}
