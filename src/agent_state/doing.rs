//! Activity of an agent, as far as its reports show it. The progress of its work is another matter and not part of this.

use crate::domain::{ActivityKind, AskKind, ProcessExit, Timestamp};

/// Current activity of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doing {
    /// Process that runs and has not reported anything of its work.
    Starting,
    Working(Work),
    /// Turn that is over, with subagents or commands that still run. The text names them.
    Background(String),
    /// Wait for a person.
    Blocked(Wait),
    /// Stop by a usage limit, until that time if it is known.
    Limit {
        until: Option<Timestamp>,
        text: String,
    },
    /// Tool without a valid login; the text is the tool's message, if there is one.
    NotLoggedIn {
        text: String,
    },
    /// Wait for the next prompt; the last turn was interrupted, or there was none.
    Idle,
    /// Turn that is over, and a wait for the next prompt. The problem is the reason why the turn failed.
    Done {
        problem: Option<String>,
    },
    /// Program that is suspended, as by Ctrl-Z.
    Suspended,
    Exited(ProcessExit),
    /// Process that is gone without a known exit.
    Lost,
}

/// Kind of work of an agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Work {
    /// Work whose kind the source does not report.
    #[default]
    Unspecified,
    /// Request to the model, or its answer.
    Thinking,
    /// Run of the tool of that name.
    Tool(String),
    /// Shortening of the conversation.
    Compacting,
    /// New try of a failed request, with the cause if it is known; a number is 0 when it is not known.
    Retry { attempt: u32, most: u32, why: String },
}

/// Decision of a person that an agent waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    pub kind: AskKind,
    /// Text of the question; empty when the source does not report it.
    pub text: String,
    /// The subagent that asks; `None` for the agent itself.
    pub child: Option<String>,
    /// True if its source reports its end even if a person ends it by a key.
    pub is_taken_back: bool,
}

impl Wait {
    /// A wait of the agent itself.
    pub fn new(kind: AskKind, text: impl Into<String>) -> Wait {
        Wait {
            kind,
            text: text.into(),
            child: None,
            is_taken_back: false,
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

    /// Returns the activity in the vocabulary of the board, with the texts of the source.
    pub fn activity(&self) -> ActivityKind {
        match self {
            Doing::Starting => ActivityKind::Starting,
            Doing::Working(_) => ActivityKind::Working,
            Doing::Background(what) => ActivityKind::Background(what.clone()),
            Doing::Blocked(wait) => match wait.kind {
                AskKind::Permission | AskKind::Plan => ActivityKind::Permission(wait.text.clone()),
                AskKind::Question => ActivityKind::Question(wait.text.clone()),
                AskKind::Dialog => ActivityKind::Dialog(wait.text.clone()),
            },
            Doing::Limit { until, text } => ActivityKind::Limit {
                until: *until,
                why: text.clone(),
            },
            Doing::NotLoggedIn { text } => ActivityKind::NotLoggedIn(text.clone()),
            Doing::Idle | Doing::Done { problem: None } => ActivityKind::Idle,
            Doing::Done {
                problem: Some(problem),
            } => ActivityKind::Failed(problem.clone()),
            Doing::Suspended => ActivityKind::Suspended,
            Doing::Exited(_) => ActivityKind::Exited,
            Doing::Lost => ActivityKind::Lost,
        }
    }

    /// Returns one word for the activity.
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
            Doing::Suspended => "suspended",
            Doing::Exited(_) => "exited",
            Doing::Lost => "lost",
        }
    }

    /// Returns true if it is the end of a turn.
    pub(super) fn is_end_of_turn(&self) -> bool {
        matches!(
            self,
            Doing::Done { .. } | Doing::Limit { .. } | Doing::NotLoggedIn { .. }
        )
    }

    /// Returns true if it is work or rest, and nothing that keeps the agent from working.
    pub(super) fn has_no_trouble(&self) -> bool {
        let works = matches!(self, Doing::Starting | Doing::Working(_) | Doing::Background(_));
        works || self.is_between_turns()
    }

    /// Returns true if the agent waits for the next prompt and nothing else is known of it.
    pub(super) fn is_between_turns(&self) -> bool {
        matches!(self, Doing::Idle | Doing::Done { problem: None })
    }
}
