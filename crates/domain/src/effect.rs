//! Effects that follow from an event: requests to the outside, as values. Each can be performed twice without harm; its key says which ones
//! are the same.

use serde::{Deserialize, Serialize};

use super::attempt::StopCause;
use super::command::Refusal;
use super::id::{AskId, AttemptId, RequestId, TaskId};
use super::workflow::{EngineAction, EvidenceKind};

/// Action for the engine because of an event; doing it twice does no harm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Make the workspace and start the agent; answered by `AttemptStarted`, `AttemptNotStarted` or `SessionLost`, or by `AttemptUnknown`
    /// when it has to be requested again.
    Start(AttemptId),
    /// Perform an engine action; answered by `ActionEnded`.
    Act(AttemptId, EngineAction),
    /// Stop the process and all it started; answered by `AttemptEnded`.
    Stop(AttemptId, StopCause),
    /// Collect evidence; answered by `Verified`.
    Verify {
        attempt: AttemptId,
        evidence: Vec<EvidenceKind>,
        /// Number of this request for evidence, from 1.
        check: u32,
    },
    /// Commit the work of an attempt whose context was full on its branch, in its workspace, which stays; answered by `WorkSaved`.
    Checkpoint(AttemptId),
    /// Put the attempt's workspace away: its process is ended if it still runs, then snapshot, then removal; answered by
    /// `WorkspaceSettled`.
    Settle(AttemptId),
    /// Delete the branch of a task that is done and merged, archive it otherwise (K25, LK-20).
    Retire(TaskId),
    /// Bring the merge of a task to the person's checkout, as the settings say, or look whether the base has work that was left on its
    /// branch; answered by `Delivered`.
    Deliver(TaskId),
    Tell(AttemptId, String),
    /// Press Esc in the agent's terminal, which ends its turn.
    Interrupt(AttemptId),
    /// Hand the answer that was given to an ask to its agent; answered by `AnswerLost` if that fails.
    Answer(AttemptId, AskId),
    Reply(RequestId, CommandReply),
    Notify(Notice),
}

impl Effect {
    /// Returns the notice, if the effect is one.
    pub fn notice(&self) -> Option<&Notice> {
        match self {
            Effect::Notify(notice) => Some(notice),
            _ => None,
        }
    }

    /// Returns true if the effect only cleans up, so that the other effects of the same event come first.
    pub fn is_cleanup(&self) -> bool {
        matches!(self, Effect::Settle(_) | Effect::Retire(_))
    }

    /// Returns the idempotency key of effects that change the world; `None` for answers and notices.
    pub fn key(&self) -> Option<String> {
        match self {
            Effect::Start(attempt) => Some(format!("start/{attempt}")),
            Effect::Act(attempt, _) => Some(format!("act/{attempt}")),
            Effect::Stop(attempt, _) => Some(format!("stop/{attempt}")),
            Effect::Verify { attempt, check, .. } => Some(format!("verify/{attempt}/{check}")),
            Effect::Checkpoint(attempt) => Some(format!("checkpoint/{attempt}")),
            Effect::Settle(attempt) => Some(format!("settle/{attempt}")),
            Effect::Retire(task) => Some(format!("retire/{task}")),
            Effect::Deliver(task) => Some(format!("deliver/{task}")),
            Effect::Tell(..)
            | Effect::Interrupt(_)
            | Effect::Answer(..)
            | Effect::Reply(..)
            | Effect::Notify(_) => None,
        }
    }
}

/// Reply to a command: a confirmation or a refusal.
pub type CommandReply = Result<Accepted, Refusal>;

/// Confirmation of a command, in one line for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Accepted(pub String);

/// Urgency of a notice, from information to a call for a person.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum NoticeLevel {
    Info,
    Success,
    Warning,
    Error,
    Alert,
}

/// Line for people about something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub level: NoticeLevel,
    /// Kind of event, by the seed's name if it has one: `claim`, `advance`, `reject`, `crash` … (K82).
    pub kind: String,
    pub task: Option<TaskId>,
    pub attempt: Option<AttemptId>,
    pub text: String,
}
