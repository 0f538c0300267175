//! One agent, or one engine action, working on one task at one stage; and what the engine concludes when it has ended.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use super::activity::{Activity, ActivityKind};
use super::agent_choice::{AgentChoice, RoleChoice};
use super::ask::{AskRecord, MOST_ASKS, MOST_OPEN_ASKS};
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

/// One agent, or one action of the engine, working on one task at one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its identity; every report carries it.
    pub id: AttemptId,
    pub task: TaskId,
    /// The stage it was started for; a task moved elsewhere meanwhile makes it void (K21).
    pub stage: StageId,
    /// How many attempts this task had at this stage, this one included.
    pub n: u32,
    pub mode: AttemptMode,
    /// Whether its agent begins a session of its tool or goes on with one.
    #[serde(default, skip_serializing_if = "AgentSession::is_fresh")]
    pub session: AgentSession,
    /// Which agent it was started with, and how.
    #[serde(default, skip_serializing_if = "AgentChoice::is_none")]
    pub choice: AgentChoice,
    pub worker: Worker,
    pub state: AttemptState,
    pub signals: Vec<Signal>,
    /// Signals its stage does not allow; remembered, without effect (LK-10).
    #[serde(default)]
    pub refused: Vec<Signal>,
    /// Where it works and from which commit; known once it has started.
    pub workplace: Option<Workplace>,
    /// What the gates said of the commit it began at, where they were run before the work (LP-22).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates_before: Vec<GateBaseline>,
    /// What the agent is doing, as far as is known.
    pub activity: Activity,
    /// What it asked of a person; those that are closed are kept for a while.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<AskRecord>,
    /// How many asks there were in all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub asks_made: u32,
    /// What it has used of its model, as far as its tool reports it.
    #[serde(default, skip_serializing_if = "AttemptUsage::is_none")]
    pub usage: AttemptUsage,
    pub evidence: Vec<Evidence>,
    /// How often evidence was asked for (an Unknown asks again).
    pub checks: u32,
    pub created_at: Timestamp,
    /// How many comments its task had then: what follows was written since, whatever the clock showed.
    #[serde(default)]
    pub comments_before: usize,
    pub started_at: Option<Timestamp>,
    /// When it will be stopped, or asked again, if nothing happens.
    pub deadline: Option<Timestamp>,
    /// Since when an answer of the engine is awaited: to a start, an action, a look at evidence, a workspace put away. Then the
    /// deadline is when the same is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Timestamp>,
    /// When it was asked to stop because its context was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Timestamp>,
    /// Turns of it that failed, and when it is told to go on.
    #[serde(default, skip_serializing_if = "FailedTurns::is_none")]
    pub failed_turns: FailedTurns,
    pub ended_at: Option<Timestamp>,
    pub workspace: WorkspaceState,
    /// What keeps it from being started, stopped or put away, or keeps us from knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
    /// What it left uncommitted in its workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptWork>,
}

/// What keeps the engine from something, or from finding out about it, and how often in a row it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    pub tries: u32,
    /// What was said of it last.
    pub why: Cause,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Attempt {
    /// Whether another ask of it is taken: it has few open ones, and there was no flood of them.
    pub fn takes_asks(&self) -> bool {
        let open = self.asks.iter().filter(|known| known.closed.is_none()).count();
        open < MOST_OPEN_ASKS && self.asks_made < MOST_ASKS
    }

    /// The role of its agent and what was chosen for it; nothing for an action of the engine.
    pub fn role_choice(&self) -> Option<RoleChoice<'_>> {
        let choice = &self.choice;
        Some(RoleChoice {
            role: self.worker.role()?,
            choice,
        })
    }

    /// Whether a person plans with it.
    pub fn conducts(&self) -> bool {
        self.worker.role().is_some_and(RoleId::is_conductor)
    }

    /// Who began its session: itself, or an attempt before it. The engine has none.
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

    /// Whether it is an agent that is at work and can be stopped.
    pub fn is_agent_at_work(&self) -> bool {
        self.state.is_at_work() && matches!(self.worker, Worker::Agent { .. })
    }

    /// What it asks of a person and nobody has answered, oldest first.
    pub fn open_asks(&self, now: Timestamp) -> impl Iterator<Item = &AskRecord> {
        let is_open = self.state.is_open();
        self.asks.iter().filter(move |known| is_open && known.waits(now))
    }

    /// Why its workspace is still there though it is over, once nobody tries to remove it any more: a person has to look.
    pub fn unremovable(&self) -> Option<&Obstacle> {
        let is_left = self.workspace == WorkspaceState::Leaving && self.deadline.is_none();
        self.obstacle.as_ref().filter(|_| is_left)
    }

    /// Whether it has sent so many signals of a kind, or such long ones, that no more of that kind is taken.
    pub fn has_sent_enough(&self, kind: SignalKind) -> bool {
        let all = self.signals.iter().chain(&self.refused);
        let (mut count, mut bytes) = (0, 0);
        for signal in all.filter(|signal| signal.kind == kind) {
            count += 1;
            bytes += signal.text.len() + signal.report.as_ref().map_or(0, String::len);
        }
        count >= MOST_SIGNALS || bytes >= MOST_SIGNAL_BYTES
    }
}

/// What an attempt is meant to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptMode {
    #[default]
    Fresh,
    /// Fix what checks found; the workspace is kept.
    Remediate,
    /// Fix what an engine action could not do (merge conflict, failing gate).
    Fallback,
}

impl AttemptMode {
    /// Where an attempt in this mode works: a fallback fixes the task's branch, whatever the engine's action needs.
    pub fn workspace(self, stage: &Stage) -> Workspace {
        match (self, stage.workspace) {
            (AttemptMode::Fallback, _) => Workspace::Branch,
            (AttemptMode::Fresh | AttemptMode::Remediate, workspace) => workspace,
        }
    }

    /// Whether an attempt in this mode may change files.
    pub fn access(self, stage: &Stage) -> FileAccess {
        match self {
            AttemptMode::Fallback => FileAccess::Write,
            AttemptMode::Fresh | AttemptMode::Remediate => stage.access,
        }
    }

    /// What must be seen after an attempt in this mode. A fallback proves that the fixed branch is on the remote; the
    /// stage's own evidence is for the engine's action, which runs again afterwards.
    pub fn evidence(self, stage: &Stage) -> Vec<EvidenceKind> {
        match self {
            AttemptMode::Fallback => vec![EvidenceKind::CommitsAhead, EvidenceKind::Pushed],
            AttemptMode::Fresh | AttemptMode::Remediate => stage.evidence.clone(),
        }
    }
}

impl fmt::Display for AttemptMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AttemptMode::Fresh => "fresh",
            AttemptMode::Remediate => "remediate",
            AttemptMode::Fallback => "fallback",
        })
    }
}

/// Who works in an attempt: an agent in a role, or the engine itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Worker {
    /// An agent with its role and composer name (K3).
    Agent {
        role: RoleId,
        /// `developer-ravel`; unique among live attempts, decoration otherwise (LK-4).
        name: String,
    },
    Engine(EngineAction),
}

impl Worker {
    /// The role it plays; the engine plays none.
    pub fn role(&self) -> Option<&RoleId> {
        match self {
            Worker::Agent { role, .. } => Some(role),
            Worker::Engine(_) => None,
        }
    }

    /// What people call it.
    pub fn name(&self) -> &str {
        match self {
            Worker::Agent { name, .. } => name,
            Worker::Engine(EngineAction::Merge) => "engine-merge",
            Worker::Engine(EngineAction::Commit) => "engine-commit",
            Worker::Engine(EngineAction::Verify) => "engine-verify",
        }
    }
}

/// Where an attempt is between its start and its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptState {
    /// Decided and committed; the workspace and the process are being made.
    Starting,
    Running,
    Stopping(StopCause),
    /// It ended with Done; evidence is being collected.
    Verifying,
    Settled(Verdict),
}

impl AttemptState {
    /// Whether the attempt still counts as open.
    pub fn is_open(&self) -> bool {
        !matches!(self, AttemptState::Settled(_))
    }

    /// Whether a process of the attempt may live, wanted or not.
    pub fn may_have_process(&self) -> bool {
        self.is_at_work() || matches!(self, AttemptState::Stopping(_))
    }

    /// Whether the attempt goes on by itself, and nobody has stopped it.
    pub fn is_at_work(&self) -> bool {
        matches!(self, AttemptState::Starting | AttemptState::Running)
    }
}

/// Why the engine stops an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// It sent its last signal and should have ended by now.
    Finished,
    Timeout,
    Paused,
    Killed,
    Cancelled,
    Quota,
    /// Its tool has no valid login.
    NotLoggedIn,
    /// Its task has used up its budget.
    Budget,
    /// Its context was full; a fresh session goes on.
    Context,
    /// A person lets its session go on with, or without, its tool's interface.
    Mode,
    /// Nobody stopped it: it ended with the machine or with `dbs`, or its tool did not go on with a session.
    Interrupted,
}

impl StopCause {
    /// The words for people.
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
            StopCause::Mode => "goes on in another way",
            StopCause::NotLoggedIn => "not logged in",
            StopCause::Interrupted => "interrupted",
        }
    }
}

/// What the engine concluded when an attempt had ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Signal and evidence: the task moved on.
    Passed,
    Rejected(String),
    Blocked(String),
    Failed(FailureClass, Cause),
    Stopped(StopCause),
}

/// How a process ended: with a code, by a signal, or without a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessExit {
    Code(i32),
    Signal(i32),
    /// Gone without a trace: its holder died.
    Vanished,
    /// It ended because the machine was shut down, or started again, under it.
    MachineStopped,
    /// It was ended together with the server, by a person who stopped `dbs`.
    SessionStopped,
}

/// The folder, branch and commit an attempt works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    pub path: String,
    pub branch: Option<String>,
    pub start: Option<String>,
    /// The tree of all files it started from, untracked ones included; what read-only work is compared with.
    pub start_tree: Option<String>,
    /// What the repository held at the start that changes what git shows or starts, by name, with a digest of each; none where nobody
    /// looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_overrides: Option<BTreeMap<String, String>>,
}

/// Whether an attempt's workspace exists, is being removed or is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceState {
    /// There is none, or it has not been made yet.
    None,
    Present,
    /// It is over, and its workspace waits for the attempt that goes on with its session.
    Kept,
    /// It is being put away (snapshot, then removal).
    Leaving,
    Gone,
}
