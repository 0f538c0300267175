//! Attempts, each one agent or one engine action working on one task at one stage; and the conclusions of the engine at their end.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use super::activity::{Activity, ActivityKind};
use super::agent_choice::{AgentChoice, RoleChoice};
use super::ask::{AskRecord, MOST_ASKS, MOST_OPEN_ASKS};
use super::background_work::BackgroundWork;
use super::cause::Cause;
use super::evidence::{Evidence, GateBaseline};
use super::failed_turns::FailedTurns;
use super::failure::FailureClass;
use super::id::{AttemptId, RoleId, StageId, TaskId};
use super::kept_work::KeptWork;
use super::session::{AgentSession, SessionOrigin};
use super::signal::{MOST_SIGNAL_BYTES, MOST_SIGNALS, Signal, SignalKind};
use super::time::Timestamp;
use super::usage::AttemptUsage;
use super::workflow::{EngineAction, EvidenceKind, FileAccess, Stage, Workspace};

/// Work of one agent, or one action of the engine, on one task at one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Identity of the attempt, carried by every report of it.
    pub id: AttemptId,
    pub task: TaskId,
    /// Stage the attempt was started for; a task moved elsewhere meanwhile makes it void (K21).
    pub stage: StageId,
    /// Number of attempts at this stage of the task, this one included.
    pub n: u32,
    pub mode: AttemptMode,
    /// Session of the agent's tool: a fresh one, or one that the agent continues.
    #[serde(default, skip_serializing_if = "AgentSession::is_fresh")]
    pub session: AgentSession,
    /// Agent, model and other settings the attempt was started with.
    #[serde(default, skip_serializing_if = "AgentChoice::is_none")]
    pub choice: AgentChoice,
    /// Model that answers the agent, as far as its tool reports it; the one that was asked for is among the choices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub worker: Worker,
    pub state: AttemptState,
    pub signals: Vec<Signal>,
    /// Signals that the stage does not allow; remembered, without effect (LK-10).
    #[serde(default)]
    pub refused: Vec<Signal>,
    /// Folder, branch and commit of the work; known once the attempt has started.
    pub workplace: Option<Workplace>,
    /// Results of the gates at the commit the attempt began at, if they were run before the work (LP-22).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates_before: Vec<GateBaseline>,
    /// Activity of the agent, as far as it is known.
    pub activity: Activity,
    /// Asks of the agent to a person; closed ones are kept for a while.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskRecord>,
    /// Total number of asks, closed and forgotten ones included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asks_made: u32,
    /// Usage of the agent's model, as far as its tool reports it.
    #[serde(default, skip_serializing_if = "AttemptUsage::is_none")]
    pub usage: AttemptUsage,
    pub evidence: Vec<Evidence>,
    /// Number of times evidence was requested (an Unknown requests it again).
    pub checks: u32,
    pub created_at: Timestamp,
    /// Number of comments on the task at creation: later ones were written since, whatever the clock showed.
    #[serde(default)]
    pub comments_before: usize,
    pub started_at: Option<Timestamp>,
    /// Time at which the attempt is stopped, or asked again, if nothing happens.
    pub deadline: Option<Timestamp>,
    /// Time since which an answer of the engine is awaited: to a start, an action, a look at evidence or the removal of a workspace. The
    /// deadline is then the time at which the same request is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Timestamp>,
    /// Time since which the agent's time limit stands still, because it waits for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person_awaited: Option<Timestamp>,
    /// Time at which the agent was asked to stop because its context was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Timestamp>,
    /// Failed turns of the agent, and the time at which it is told to continue.
    #[serde(default, skip_serializing_if = "FailedTurns::is_none")]
    pub failed_turns: FailedTurns,
    /// Commands and subagents that run although a turn of the agent is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundWork>,
    pub ended_at: Option<Timestamp>,
    pub workspace: WorkspaceState,
    /// Obstacle to starting, stopping or putting away the attempt, or to finding out about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
    /// Uncommitted work the attempt left in its workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptWork>,
}

/// Obstacle that keeps the engine from an action, or from finding out about it, and the number of failed tries in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    pub tries: u32,
    /// Reason given at the last try.
    pub why: Cause,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Attempt {
    /// Returns true if another ask of the attempt is accepted: few are open, and there was no flood of them.
    pub fn takes_asks(&self) -> bool {
        let open = self.asks.iter().filter(|known| known.closed.is_none()).count();
        open < MOST_OPEN_ASKS && self.asks_made < MOST_ASKS
    }

    /// Returns the role of the agent and the settings chosen for it; `None` for an action of the engine.
    pub fn role_choice(&self) -> Option<RoleChoice<'_>> {
        let choice = &self.choice;
        Some(RoleChoice {
            role: self.worker.role()?,
            choice,
        })
    }

    /// Returns true if the attempt is a conductor, with which a person plans.
    pub fn conducts(&self) -> bool {
        self.worker.role().is_some_and(RoleId::is_conductor)
    }

    /// Returns the model that answers the agent, beside another one that was asked for; `None` if neither is known.
    pub fn model_words(&self) -> Option<String> {
        let asked = self.choice.model.as_ref().map(|chosen| chosen.value.as_str());
        match (self.model.as_deref(), asked) {
            (Some(used), Some(asked)) if used != asked => Some(format!("{used}, asked for {asked}")),
            (Some(used), _) => Some(used.to_owned()),
            (None, Some(asked)) => Some(format!("asked for {asked}")),
            (None, None) => None,
        }
    }

    /// Returns the attempt that began the session: this one, or one before it. An action of the engine has none.
    pub fn session_origin(&self) -> Option<SessionOrigin> {
        let Worker::Agent { name, .. } = &self.worker else {
            return None;
        };
        let before = self.session.continuation();
        Some(before.map_or_else(
            || SessionOrigin {
                attempt: self.id,
                created_at: self.created_at,
                comments_before: self.comments_before,
                name: name.clone(),
                folder: self.session.restart().map(|restart| restart.folder.clone()),
            },
            |continuation| continuation.origin.clone(),
        ))
    }

    /// Returns true if the attempt is an agent at work, which can be stopped.
    pub fn is_agent_at_work(&self) -> bool {
        self.state.is_at_work() && matches!(self.worker, Worker::Agent { .. })
    }

    /// Returns the asks to a person that are not answered, oldest first.
    pub fn open_asks(&self, now: Timestamp) -> impl Iterator<Item = &AskRecord> {
        let is_open = self.state.is_open();
        self.asks.iter().filter(move |known| is_open && known.waits(now))
    }

    /// Returns the reason the workspace of a finished attempt still exists, once the engine has stopped trying to remove it: a person has
    /// to look.
    pub fn unremovable(&self) -> Option<&Obstacle> {
        let is_left = self.workspace == WorkspaceState::Leaving && self.deadline.is_none();
        self.obstacle.as_ref().filter(|_| is_left)
    }

    /// Returns true if the attempt has sent so many signals of a kind, or such long ones, that no more of that kind are accepted.
    pub(crate) fn has_sent_enough(&self, kind: SignalKind) -> bool {
        let all = self.signals.iter().chain(&self.refused);
        let (mut count, mut bytes) = (0, 0);
        for signal in all.filter(|signal| signal.kind == kind) {
            count += 1;
            bytes += signal.text.len() + signal.report.as_ref().map_or(0, String::len);
        }
        count >= MOST_SIGNALS || bytes >= MOST_SIGNAL_BYTES
    }
}

/// Purpose of an attempt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AttemptMode {
    #[default]
    Fresh,
    /// Fix of the findings of checks; the workspace is kept.
    Remediate,
    /// Fix of something that an engine action could not do (merge conflict, failing gate).
    Fallback,
}

impl AttemptMode {
    /// Returns the workspace of an attempt in this mode: a fallback fixes the task's branch, whatever the engine's action needs.
    pub fn workspace(self, stage: &Stage) -> Workspace {
        match (self, stage.workspace) {
            (AttemptMode::Fallback, _) => Workspace::Branch,
            (AttemptMode::Fresh | AttemptMode::Remediate, workspace) => workspace,
        }
    }

    /// Returns the file access of an attempt in this mode: a fallback may always write.
    pub fn access(self, stage: &Stage) -> FileAccess {
        match self {
            AttemptMode::Fallback => FileAccess::Write,
            AttemptMode::Fresh | AttemptMode::Remediate => stage.access,
        }
    }

    /// Returns the evidence required after an attempt in this mode. A fallback proves that the fixed branch is on the remote; the stage's
    /// own evidence is for the engine's action, which runs again afterwards.
    pub fn evidence(self, stage: &Stage) -> Vec<EvidenceKind> {
        match self {
            AttemptMode::Fallback => vec![EvidenceKind::CommitsAhead, EvidenceKind::Pushed],
            AttemptMode::Fresh | AttemptMode::Remediate => stage.evidence.clone(),
        }
    }
}

/// Worker of an attempt: an agent in a role, or the engine itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worker {
    /// Agent with its role and composer name (K3).
    Agent {
        role: RoleId,
        /// Name such as `developer-ravel`; unique among live attempts, decoration otherwise (LK-4).
        name: String,
    },
    Engine(EngineAction),
}

impl Worker {
    /// Returns the role of the agent; the engine has none.
    pub fn role(&self) -> Option<&RoleId> {
        match self {
            Worker::Agent { role, .. } => Some(role),
            Worker::Engine(_) => None,
        }
    }

    /// Returns the name shown to people.
    pub fn name(&self) -> &str {
        match self {
            Worker::Agent { name, .. } => name,
            Worker::Engine(EngineAction::Merge) => "engine-merge",
            Worker::Engine(EngineAction::Commit) => "engine-commit",
            Worker::Engine(EngineAction::Verify) => "engine-verify",
        }
    }
}

/// State of an attempt between its start and its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// Decided and committed; the workspace and the process are being made.
    Starting,
    Running,
    Stopping(StopCause),
    /// The attempt ended with Done; evidence is being collected.
    Verifying,
    Settled(Verdict),
}

impl AttemptState {
    /// Returns true if the attempt still counts as open.
    pub fn is_open(&self) -> bool {
        !matches!(self, AttemptState::Settled(_))
    }

    /// Returns true if a process of the attempt may be alive, wanted or not.
    pub fn may_have_process(&self) -> bool {
        self.is_at_work() || matches!(self, AttemptState::Stopping(_))
    }

    /// Returns true if the attempt continues by itself and was not stopped.
    pub fn is_at_work(&self) -> bool {
        matches!(self, AttemptState::Starting | AttemptState::Running)
    }
}

/// Reason the engine stops an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// The last signal was sent, and the agent should have ended by now.
    Finished,
    Timeout,
    Paused,
    Killed,
    Cancelled,
    Quota,
    /// The agent's tool has no valid login.
    NotLoggedIn,
    /// The task has used up its budget.
    Budget,
    /// The context was full; a fresh session continues.
    Context,
    /// A person continues the session with, or without, the interface of its tool.
    Mode,
    /// Interruption without a stop: the attempt ended with the machine or with `dbs`, or its tool did not continue a session.
    Interrupted,
}

impl StopCause {
    /// Returns the words for people.
    pub fn word(self) -> &'static str {
        match self {
            StopCause::Finished => "finished",
            StopCause::Timeout => "ran too long",
            StopCause::Paused => "paused",
            StopCause::Killed => "stopped by a person",
            StopCause::Cancelled => "task moved or closed",
            StopCause::Quota => "usage limit",
            StopCause::Budget => "budget used up",
            StopCause::Context => "context full",
            StopCause::Mode => "mode switched",
            StopCause::NotLoggedIn => "not logged in",
            StopCause::Interrupted => "interrupted",
        }
    }
}

/// Conclusion of the engine after an attempt has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Both signal and evidence: the task moved on.
    Passed,
    Rejected(String),
    Blocked(String),
    Failed(FailureClass, Cause),
    Stopped(StopCause),
}

/// End of a process: with a code, by a signal, or without a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessExit {
    Code(i32),
    Signal(i32),
    /// Gone without a trace: its holder died.
    Vanished,
    /// End because the machine was shut down or restarted under the process.
    MachineStopped,
    /// End together with the server, by a person who stopped `dbs`.
    SessionStopped,
    /// End at once with the server and all other agents, as when a logout ends the person's processes.
    Together,
}

/// Folder, branch and commit an attempt works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    pub path: String,
    pub branch: Option<String>,
    pub start: Option<String>,
    /// Tree of all files the attempt started from, untracked ones included; read-only work is compared with it.
    pub start_tree: Option<String>,
    /// Contents of the repository at the start that change what git shows or starts, by name, with a digest of each; `None` if they were
    /// not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_overrides: Option<BTreeMap<String, String>>,
}

/// State of an attempt's workspace: present, being removed or gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceState {
    /// No workspace, or one that has not been made yet.
    None,
    Present,
    /// Workspace of a finished attempt, kept for the attempt that continues its session.
    Kept,
    /// Workspace that is being put away (snapshot, then removal).
    Leaving,
    Gone,
}
