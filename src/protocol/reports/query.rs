//! What can be asked of the board, and which file answers it.

use serde::{Deserialize, Serialize};

use crate::domain::TaskId;

/// A query about the board with the format of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryRequest {
    /// What.
    pub question: BoardQuery,
    /// How.
    pub form: OutputFormat,
}

/// Format of a command's output: lines for people or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// For people: lines without control characters.
    Lines,
    /// For programs: one line of JSON.
    Json,
}

/// A query about the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardQuery {
    /// How things stand (K65).
    Status(TaskBranches),
    /// All tasks, or those in a state, by its word, and in a stage.
    Tasks {
        /// Word of the state.
        state: Option<String>,
        /// Name of the stage, as it was typed.
        stage: Option<String>,
    },
    /// Tasks that could be started now.
    Ready,
    /// The whole board (K66, K80).
    Board(QueryContext),
    /// Everything about one task.
    Task(TaskId),
    /// Why a task does not move, or what an agent does; by the name of either.
    Why(String),
    /// How many tasks are where, and what lies in the state folder (K75).
    Debug(StateFolder),
}

/// Local branches of tasks, or why git could not list them. Who asks says it: git is not the board's.
pub type TaskBranches = Result<Vec<String>, String>;

/// Terminal width and task branches, which only the asking command knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryContext {
    /// Columns there is room for; as many as it takes, if none.
    pub columns: Option<usize>,
    /// Branches; for programs they are no part of the board.
    pub branches: TaskBranches,
}

/// A value as one line of JSON.
pub(super) fn json<T: Serialize>(value: &T) -> Result<String, String> {
    let mut text = serde_json::to_string(value).map_err(|error| format!("could not write JSON: {error}"))?;
    text.push('\n');
    Ok(text)
}

/// Path and entries of the `.debussy` state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFolder {
    /// Where it is.
    pub path: String,
    /// What lies in it, by name.
    pub entries: Vec<StateEntry>,
}

/// A file or folder in the state folder, with its size or number of entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEntry {
    /// Its name.
    pub name: String,
    /// Bytes of a file; none of a folder.
    pub bytes: Option<u64>,
    /// Entries of a folder; none of a file.
    pub entries: Option<usize>,
}
