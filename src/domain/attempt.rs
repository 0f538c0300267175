//! One agent, or one engine action, working on one task at one stage; and what the engine concludes when it has ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use super::failure::FailureClass;
use super::id::{AttemptId, RoleId, StageId, TaskId};
use super::signal::Signal;
use super::time::Timestamp;
use super::workflow::{EngineAction, EvidenceKind, FileAccess, Stage, Workspace};

/// One agent, or one action of the engine, working on one task at one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its identity; every report carries it.
    pub id: AttemptId,
    /// The task worked on.
    pub task: TaskId,
    /// The stage it was started for; a task moved elsewhere meanwhile makes it void (K21).
    pub stage: StageId,
    /// How many attempts this task had at this stage, this one included.
    pub n: u32,
    /// What it is meant to do.
    pub mode: AttemptMode,
    /// Who works.
    pub worker: Worker,
    /// Where it is in its life.
    pub state: AttemptState,
    /// Valid signals received, in order.
    pub signals: Vec<Signal>,
    /// Signals its stage does not allow; remembered, without effect (LK-10).
    #[serde(default)]
    pub refused: Vec<Signal>,
    /// Where it works and from which commit; known once it has started.
    pub workplace: Option<Workplace>,
    /// What the agent is doing, as far as is known.
    pub activity: Activity,
    /// Evidence of the last verification.
    pub evidence: Vec<Evidence>,
    /// How often evidence was asked for (an Unknown asks again).
    pub checks: u32,
    /// When it was decided.
    pub created_at: Timestamp,
    /// When its process was seen to run.
    pub started_at: Option<Timestamp>,
    /// When it will be stopped, or asked again, if nothing happens.
    pub deadline: Option<Timestamp>,
    /// Since when an answer of the engine is awaited: to a start, an action, a look at evidence, a workspace put away. Then the
    /// deadline is when the same is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited: Option<Timestamp>,
    /// When it was settled.
    pub ended_at: Option<Timestamp>,
    /// Whether its workspace has been put away.
    pub workspace: WorkspaceState,
}

/// What an attempt is meant to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptMode {
    /// Do the stage's work.
    #[default]
    Fresh,
    /// Mend what checks found; the workspace is kept.
    Remediate,
    /// Mend what an engine action could not do (merge conflict, failing gate).
    Fallback,
}

impl AttemptMode {
    /// Where an attempt in this mode works: a fallback mends the task's branch, whatever the engine's action needs.
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

    /// What must be seen after an attempt in this mode. A fallback proves that the mended branch is on the remote; the
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
        /// The role.
        role: RoleId,
        /// `developer-ravel`; unique among live attempts, decoration otherwise (LK-4).
        name: String,
    },
    /// The engine.
    Engine(EngineAction),
}

impl Worker {
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
    /// Its process (or action) runs.
    Running,
    /// We asked it to stop, for that reason.
    Stopping(StopCause),
    /// It ended with Done; evidence is being collected.
    Verifying,
    /// Over.
    Settled(Verdict),
}

impl AttemptState {
    /// Whether the attempt still counts as open.
    pub fn is_open(&self) -> bool {
        !matches!(self, AttemptState::Settled(_))
    }
}

/// Why the engine stops an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopCause {
    /// It said its last word and should be gone by now.
    Finished,
    /// Ran too long.
    Timeout,
    /// The board was paused.
    Paused,
    /// A person stopped it.
    Killed,
    /// The task was moved, parked or closed meanwhile.
    Cancelled,
    /// A usage limit.
    Quota,
}

/// What the engine concluded when an attempt had ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Signal and evidence: the task moved on.
    Passed,
    /// The agent rejected the work it looked at.
    Rejected(String),
    /// The agent cannot go on.
    Blocked(String),
    /// It came to nothing, for this class of reason.
    Failed(FailureClass, String),
    /// We stopped it, for no fault of its own.
    Stopped(StopCause),
}

/// How a process ended: with a code, by a signal, or without a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessExit {
    /// With this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Gone without a trace: its holder died, or the machine restarted.
    Vanished,
}

/// The folder, branch and commit an attempt works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    /// The folder.
    pub path: String,
    /// The branch checked out there, if any.
    pub branch: Option<String>,
    /// The commit it started from.
    pub start: Option<String>,
    /// The tree of all files it started from, untracked ones included; what read-only work is compared with.
    pub start_tree: Option<String>,
}

/// Whether an attempt's workspace exists, is being removed or is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceState {
    /// There is none, or it has not been made yet.
    None,
    /// It is there.
    Present,
    /// It is being put away (snapshot, then removal).
    Leaving,
    /// It is gone; what it held is reachable.
    Gone,
}

/// What an agent is doing, the source that says so, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// What.
    pub doing: ActivityKind,
    /// From what: `exit`, `osc 7501`, `hook`, `title`, `signal`, `started`.
    pub source: String,
    /// Since when.
    pub since: Timestamp,
}

/// What an agent is doing right now, such as working or waiting for a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// Being started.
    Starting,
    /// Working.
    Working,
    /// Waits for a permission; the text says for what.
    Permission(String),
    /// Waits for an answer.
    Question(String),
    /// Waits for its next prompt.
    Idle,
    /// Its process has ended.
    Exited,
    /// Nothing is known of it.
    Lost,
}

impl ActivityKind {
    /// Whether a person is needed.
    pub fn needs_person(&self) -> bool {
        matches!(self, ActivityKind::Permission(_) | ActivityKind::Question(_))
    }
}
