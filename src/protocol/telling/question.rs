//! What can be asked of the board, and which file answers it.

use serde::{Deserialize, Serialize};

use crate::domain::TaskId;

/// A question, and how its answer is to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// What.
    pub question: Question,
    /// How.
    pub form: Form,
}

/// For whom a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// For people: lines without control characters.
    Lines,
    /// For programs: one line of JSON.
    Json,
}

/// Something to know about the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// How things stand (K65).
    Status(Branches),
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
    Board(Around),
    /// Everything about one task.
    Task(TaskId),
    /// Why a task does not move, or what an agent does; by the name of either.
    Why(String),
    /// How many tasks are where, and what lies in the state folder (K75).
    Debug(StateFolder),
}

/// Local branches of tasks, or why they could not be listed. Who asks says it: git is not the board's.
pub type Branches = Result<Vec<String>, String>;

/// What only who asks knows of the board's surroundings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// Columns there is room for; as many as it takes, if none.
    pub columns: Option<usize>,
    /// Branches; for programs they are no part of the board.
    pub branches: Branches,
}

/// A value as one line of JSON.
pub(super) fn json<T: Serialize>(value: &T) -> Result<String, String> {
    let mut text = serde_json::to_string(value).map_err(|error| format!("could not write JSON: {error}"))?;
    text.push('\n');
    Ok(text)
}

/// The state folder, as who asks sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateFolder {
    /// Where it is.
    pub path: String,
    /// What lies in it, by name.
    pub entries: Vec<StateEntry>,
}

/// One entry of the state folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateEntry {
    /// Its name.
    pub name: String,
    /// Bytes of a file; none of a folder.
    pub bytes: Option<u64>,
    /// Entries of a folder; none of a file.
    pub entries: Option<usize>,
}
