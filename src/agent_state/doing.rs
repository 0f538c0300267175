//! What an agent does, as far as its reports tell. Where its work stands is another matter and not said here.

use crate::domain::{AskKind, ProcessExit, Timestamp};

/// What an agent does right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doing {
    /// Its process runs and has not said anything of its work.
    Starting,
    Working(Work),
    /// Its turn is over; subagents or commands it started still run. The text names them.
    Background(String),
    /// It waits for a person.
    Blocked(Wait),
    /// A usage limit stops it, until then when that is known.
    Limit {
        until: Option<Timestamp>,
        text: String,
    },
    /// Its tool has no valid login; its words, if it has any.
    NotLoggedIn {
        text: String,
    },
    /// It waits for the next prompt; its last turn was interrupted, or there was none.
    Idle,
    /// Its turn is over and it waits for the next prompt. The problem is what made the turn fail.
    Done {
        problem: Option<String>,
    },
    Exited(ProcessExit),
    /// Its process is gone and nobody knows how it ended.
    Lost,
}

/// What sort of work an agent is at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Work {
    /// The source does not say.
    #[default]
    Unspecified,
    /// The model is asked, or answers.
    Thinking,
    /// A tool of that name runs.
    Tool(String),
    /// The conversation is being shortened.
    Compacting,
    /// A request failed and is tried again; the maximum is 0 when it is not known.
    Retry { attempt: u32, most: u32 },
}

/// What an agent waits for a person to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub kind: AskKind,
    /// What it asks; empty when the source does not say.
    pub text: String,
    /// The subagent that asks; none for the agent itself.
    pub child: Option<String>,
}

impl Wait {
    /// A wait of the agent itself.
    pub fn new(kind: AskKind, text: impl Into<String>) -> Wait {
        Wait {
            kind,
            text: text.into(),
            child: None,
        }
    }
}

impl Doing {
    /// Work of which nothing more is known.
    pub const WORKING: Doing = Doing::Working(Work::Unspecified);
    /// A turn that ended well.
    pub const DONE: Doing = Doing::Done { problem: None };

    /// The end of a process; one that ended without a trace is lost.
    pub fn of_exit(exit: ProcessExit) -> Doing {
        match exit {
            ProcessExit::Vanished => Doing::Lost,
            known => Doing::Exited(known),
        }
    }

    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Doing::Starting => "starting",
            Doing::Working(_) => "working",
            Doing::Background(_) => "background",
            Doing::Blocked(_) => "blocked",
            Doing::Limit { .. } => "limit",
            Doing::NotLoggedIn { .. } => "not logged in",
            Doing::Idle => "idle",
            Doing::Done { problem: None } => "done",
            Doing::Done { problem: Some(_) } => "failed",
            Doing::Exited(_) => "exited",
            Doing::Lost => "lost",
        }
    }

    /// Whether it tells how a turn ended.
    pub(super) fn is_end_of_turn(&self) -> bool {
        matches!(
            self,
            Doing::Done { .. } | Doing::Limit { .. } | Doing::NotLoggedIn { .. }
        )
    }

    /// Whether the agent waits for the next prompt and nothing else is known of it.
    pub(super) fn is_between_turns(&self) -> bool {
        matches!(self, Doing::Idle | Doing::Done { problem: None })
    }
}
