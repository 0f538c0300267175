//! A way out to a person who may not be at any screen.

use crate::domain::{AttemptId, BatchId, Level, TaskId, Timestamp};

/// What a person is called for, all together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summons {
    /// The same for the same things: a receiver that gets it twice can tell.
    pub id: String,
    /// Name of the project.
    pub project: String,
    /// When it was written.
    pub at: Timestamp,
    /// How loud it is (P52).
    pub level: Level,
    /// One line, which may hold words of an agent; nothing in it acts on a terminal.
    pub words: String,
    /// The same without any word of an agent, for those outside.
    pub plain: String,
    /// What it is about; at most as many as there are tasks and runs.
    pub items: Vec<Item>,
}

/// One thing a person is called for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// In one word: `question`, `permission`, `approval`, `gate`, `merge`, `held`, `failed`, `run`.
    pub kind: &'static str,
    /// The task that waits.
    pub task: Option<TaskId>,
    /// The agent that waits.
    pub attempt: Option<AttemptId>,
    /// The run that came to its end, and how.
    pub run: Option<(BatchId, String)>,
}

/// Why a person could not be reached. The text reads after "could not" and holds no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreached {
    /// It may work if it is tried again a little later.
    #[error("{0}")]
    ForNow(String),
    /// It will not work before somebody changes something.
    #[error("{0}")]
    Refused(String),
}

/// What becomes of what is just being told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parting {
    /// It is let go of at once: it is worth waiting for.
    AtOnce,
    /// It ends by its own time limit.
    Later,
}

/// One way to reach a person.
pub trait Notify: Send + Sync {
    /// Tells them. Blocks, but not for long: each way has its time limit.
    ///
    /// # Errors
    /// Why they could not be reached.
    fn tell(&self, summons: &Summons) -> Result<(), Unreached>;

    /// Tells no more, and lets go of what is just being told if it can: the server ends. May come at any time, and more than once.
    fn give_up(&self) -> Parting;
}
