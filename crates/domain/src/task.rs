//! The unit of work, and everything that is remembered about it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Add;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::agent_choice::AgentSettings;
use super::attempt::AttemptMode;
use super::context_restart::Checkpoint;
use super::failure::FailureClass;
use super::hold_reason::exhaustion_text;
use super::id::{AttemptId, BatchId, StageId, TaskId, WorkflowId};
use super::integration::Integration;
use super::plan_entry::{PlanEntry, PlanRecord};
use super::skip::Skip;
use super::task_progress::SavedProgress;
use super::time::{Span, Timestamp};
use super::usage::{Cost, Spending, Tokens};
use super::wait_reason::WaitReason;

pub use super::hold_reason::HoldReason;
use super::workflow::{EvidenceKind, Stage};

/// The unit of work, and everything that is remembered about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Task {
    pub id: TaskId,
    pub batch: BatchId,
    pub workflow: WorkflowId,
    pub title: String,
    pub body: String,
    pub kind: TaskKind,
    /// `security`, `frontend`, `priority`, … (K11).
    pub tags: BTreeSet<String>,
    /// 0 is most urgent, 4 least; 2 by default.
    pub priority: u8,
    pub deps: BTreeSet<TaskId>,
    pub gates: Vec<GateCommand>,
    /// Longest run of one attempt at it, in the place of its stage's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    pub stage: StageId,
    pub state: TaskState,
    /// The open attempt, when there is one: `Active`, `Verifying`.
    pub open_attempt: Option<AttemptId>,
    pub next_mode: AttemptMode,
    /// Whether the next attempt in its stage begins on a branch as clean as the base; what is on its branch goes to the attic first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_anew: bool,
    /// The attempt with whose session the next one goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<AttemptId>,
    /// What a person said of its agents: over what the settings say of its stages and roles.
    #[serde(default, skip_serializing_if = "AgentSettings::is_none")]
    pub agent: AgentSettings,
    /// What is kept of sessions that ended because their context was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Whether a person must approve before stages that ask for it.
    pub needs_approval: bool,
    pub approved: Option<StageId>,
    /// Not to be started before (rejection cooldown, backoff after a failure).
    pub not_before: Option<Timestamp>,
    /// Failures by stage and class; survive every restart (LK-13, LK-14).
    pub failures: BTreeMap<StageId, BTreeMap<FailureClass, u32>>,
    /// Rejections over its life (K23, K24).
    pub rejections: u32,
    /// Attempts over its life that count (K43): one that came to nothing for no fault of its own is given back.
    pub spawns: u32,
    /// Attempts by stage, whatever became of them; numbers the next one.
    #[serde(default)]
    pub tries: BTreeMap<StageId, u32>,
    /// Tries of agents by stage of those where the work is done and not only looked at, without those given back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub work_tries: BTreeMap<StageId, u32>,
    /// Attempts in a row that something outside kept from working; a person who retries the task begins anew.
    #[serde(default)]
    pub troubles: u32,
    /// Attempts in a row that ended because the machine stopped; a person who retries the task begins anew.
    #[serde(default)]
    pub interruptions: u32,
    /// What its agents have used over its life, as far as their tools report it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spending: Vec<Spending>,
    /// What they had used when a person last retried it because of its budget.
    #[serde(default, skip_serializing_if = "Cost::is_none")]
    pub spent_at_retry: Cost,
    pub head: Option<String>,
    /// The head it had when it came to its stage; what it must leave alone there is compared with that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_head: Option<String>,
    /// What an integrator changed that its merge waits to have reviewed; void when its head is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration: Option<Box<Integration>>,
    /// Commit of the base that contains its head, seen on the remote.
    pub merged: Option<String>,
    /// Why it was not started when the scheduler last looked.
    pub why_not: Option<WaitReason>,
    pub comments: Vec<Comment>,
    /// Last finding the next attempt should know of: rejection, failed gates, conflict.
    pub finding: Option<String>,
    /// The pending deletion of its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letting_go: Option<BranchCleanup>,
    /// What its plan says of it, where it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<PlanEntry>>,
    /// What its agents reported and were seen to use, where its plan asks for that.
    #[serde(default, skip_serializing_if = "PlanRecord::is_none")]
    pub record: PlanRecord,
    /// How it was before the last command of a person that undo can put back, until more happens to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<TaskBefore>>,
    pub created_at: Timestamp,
    /// How many tasks the board had with this one when it was created: decides between those created at the same time, as by an
    /// import. 0 if the store is older than this number.
    #[serde(default)]
    pub number: u64,
    pub since: Timestamp,
}

/// A task as it was before a person's command, and how the command left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBefore {
    /// When the command was carried out.
    pub at: Timestamp,
    pub state: TaskState,
    pub progress: SavedProgress,
    /// How many comments there were.
    pub comments: usize,
    /// The state in which the command left it, and the comment it wrote.
    pub left: TaskState,
    pub wrote: Option<Comment>,
}

/// The pending deletion of a finished task's branch, with its retries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchCleanup {
    pub tries: u32,
    pub at: Timestamp,
}

/// The kind of work a task is; bugs go first within a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    Bug,
    Feature,
    #[default]
    Task,
    Chore,
}

/// What a task is doing in its stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    Backlog,
    /// Ready, or waiting for dependencies, cooldown or room; which one is computed ([`WaitReason`]).
    Released,
    Active,
    /// The attempt reported done; the engine collects evidence.
    Verifying,
    /// Stuck: only an explicit act by somebody ends it.
    Held(HoldReason),
    Parked(String),
    Done,
    Failed(String),
    Skipped(Skip),
    Cancelled,
}

impl TaskState {
    /// Whether nothing more happens to it by itself, ever.
    pub fn is_terminal(&self) -> bool {
        matches!(
            self,
            TaskState::Done | TaskState::Failed(_) | TaskState::Skipped(_) | TaskState::Cancelled
        )
    }

    /// Returns whether a person may leave it out: it is neither done, closed nor left out already.
    pub fn can_be_skipped(&self) -> bool {
        !matches!(
            self,
            TaskState::Done | TaskState::Cancelled | TaskState::Skipped(_)
        )
    }

    /// Whether nothing happens to it before a person acts, but for a yes that is asked for.
    pub fn has_stopped(&self) -> bool {
        let is_held = matches!(self, TaskState::Held(_)) && !self.awaits_approval();
        let is_over = self.is_terminal() && *self != TaskState::Done;
        is_held || is_over || matches!(self, TaskState::Parked(_))
    }

    /// Whether a person's yes lets it go on: before a stage, or although checks found something.
    pub fn awaits_approval(&self) -> bool {
        matches!(
            self,
            TaskState::Held(HoldReason::Approval | HoldReason::Findings(_) | HoldReason::Unreviewed(_))
        )
    }

    /// The word for people and filters.
    pub fn word(&self) -> &'static str {
        match self {
            TaskState::Backlog => "backlog",
            TaskState::Released => "released",
            TaskState::Active => "active",
            TaskState::Verifying => "verifying",
            TaskState::Held(_) => "held",
            TaskState::Parked(_) => "parked",
            TaskState::Done => "done",
            TaskState::Failed(_) => "failed",
            TaskState::Skipped(_) => "skipped",
            TaskState::Cancelled => "cancelled",
        }
    }
}

/// The reason of a failure as it reads behind the word failed, which it may begin with itself.
pub fn behind_failed(why: &str) -> &str {
    why.strip_prefix("failed ").unwrap_or(why)
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Task::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Task, D::Error> {
        let mut task = Task::deserialize(deserializer)?;
        // Skips by a person were stored with the task itself as the root cause.
        if matches!(&task.state, TaskState::Skipped(Skip::Dependency(root)) if *root == task.id) {
            task.state = TaskState::Skipped(Skip::Person { by: String::new() });
        }
        Ok(task)
    }
}

impl Task {
    /// The stage that accepts the work of a whole batch.
    pub const ACCEPTANCE: &'static str = "acceptance";

    /// Whether it accepts the work of its batch.
    pub fn is_acceptance(&self) -> bool {
        self.stage.as_str() == Task::ACCEPTANCE
    }

    /// Returns what an integrator changed that is to be reviewed; nothing once its head is another.
    pub fn integration_to_review(&self) -> Option<&Integration> {
        let found = self.integration.as_deref();
        found.filter(|found| self.head.as_ref() == Some(&found.head))
    }

    /// Its comments after the first so many.
    pub fn comments_after(&self, count: usize) -> &[Comment] {
        self.comments.get(count..).unwrap_or_default()
    }

    /// Whether a stage's evidence says anything about it: what its plan does not ask for is not looked at.
    pub fn asks_for(&self, kind: &EvidenceKind, stage: &Stage) -> bool {
        let plan = self.plan.as_deref();
        match kind {
            EvidenceKind::Notes => plan.is_some_and(|plan| plan.notes.is_some()),
            EvidenceKind::AgentsUsed => plan.is_some_and(|plan| !plan.agents.is_empty()),
            EvidenceKind::StepsDone => plan.is_some_and(|plan| !plan.steps.is_empty()),
            EvidenceKind::ListedFiles => plan.is_some_and(|plan| plan.paths.lists_files()),
            EvidenceKind::Protected => !PlanEntry::protected(plan, &stage.protected).is_empty(),
            EvidenceKind::Tests => plan.is_some_and(|plan| plan.tests.is_some()),
            _ => true,
        }
    }

    /// What its agents have cost over its life.
    pub fn spent(&self) -> Cost {
        let costs = self.spending.iter().filter_map(|entry| entry.usage.cost);
        costs.fold(Cost::default(), Add::add)
    }

    /// The tokens that its agents have used over its life, if they told any.
    pub fn tokens(&self) -> Option<Tokens> {
        let used = self.spending.iter().map(|entry| entry.usage.tokens);
        let sum = used.fold(Tokens::default(), Add::add);
        (sum.sum() > 0).then_some(sum)
    }

    /// What they have cost since a person last retried it because of its budget.
    pub fn spent_since_retry(&self) -> Cost {
        self.spent().without(self.spent_at_retry)
    }

    /// Whether it begins also when what it waits for has stopped.
    pub fn passes_over(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.passes_over)
    }

    /// Dependencies that it still waits for: those that are not done, unless it passes over what has stopped; unknown ones are among
    /// them (LK-28).
    pub fn open_dependencies<'a>(
        &'a self,
        tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    ) -> impl Iterator<Item = &'a TaskId> {
        let passes_over = self.passes_over();
        let is_over =
            move |state: &TaskState| *state == TaskState::Done || passes_over && state.has_stopped();
        let is_open = move |id: &&TaskId| !tasks.get(*id).is_some_and(|other| is_over(&other.state));
        self.deps.iter().filter(is_open)
    }

    /// Why the task is held, with the number of failures and the last cause where it failed too often.
    pub fn hold_text(&self, hold: &HoldReason) -> String {
        let HoldReason::Exhausted(class) = hold else {
            return hold.to_string();
        };
        let counters = self.failures.get(&self.stage);
        let times = counters.and_then(|counters| counters.get(class)).copied();
        exhaustion_text(*class, times, self.finding.as_deref())
    }
}

/// A remark that a person, an agent or the engine wrote on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Who wrote it: a person's name, an agent's, or `dbs`.
    pub author: String,
    pub text: String,
    pub at: Timestamp,
}

/// A named shell command that the engine runs to verify work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateCommand {
    pub name: String,
    pub command: String,
}
