//! Unit of work, and everything that is remembered about it.

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
use super::merging::Handover;
use super::plan_entry::{PlanEntry, PlanRecord};
use super::skip::Skip;
use super::task_progress::SavedProgress;
use super::time::{Span, Timestamp};
use super::usage::{Cost, Spending, Tokens};
use super::wait_reason::WaitReason;

pub use super::hold_reason::HoldReason;
use super::workflow::{EvidenceKind, Stage};

/// Unit of work, and everything that is remembered about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Task {
    pub id: TaskId,
    pub batch: BatchId,
    pub workflow: WorkflowId,
    pub title: String,
    pub body: String,
    pub kind: TaskKind,
    /// Tags such as `security`, `frontend`, `priority` (K11).
    pub tags: BTreeSet<String>,
    /// Urgency: 0 is most urgent, 4 least; 2 by default.
    pub priority: u8,
    pub deps: BTreeSet<TaskId>,
    pub gates: Vec<GateCommand>,
    /// Maximum run time of one attempt at the task, in place of its stage's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    pub stage: StageId,
    pub state: TaskState,
    /// Open attempt, if there is one: `Active`, `Verifying`.
    pub open_attempt: Option<AttemptId>,
    pub next_mode: AttemptMode,
    /// True if the next attempt in its stage begins on a branch as clean as the base; the branch's content goes to the attic first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_anew: bool,
    /// Attempt whose session the next one continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<AttemptId>,
    /// Settings of a person for the task's agents; they take precedence over the settings of stages and roles.
    #[serde(default, skip_serializing_if = "AgentSettings::is_none")]
    pub agent: AgentSettings,
    /// Record of sessions that ended because their context was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// True if a person must approve before stages that ask for approval.
    pub needs_approval: bool,
    pub approved: Option<StageId>,
    /// Time before which the task is not started (rejection cooldown, backoff after a failure).
    pub not_before: Option<Timestamp>,
    /// Failures by stage and class; survive every restart (LK-13, LK-14).
    pub failures: BTreeMap<StageId, BTreeMap<FailureClass, u32>>,
    /// Rejections over the task's life (K23, K24).
    pub rejections: u32,
    /// Attempts over the task's life that count (K43): one that came to nothing for no fault of the task is given back.
    pub spawns: u32,
    /// Attempts by stage, whatever their outcome; numbers the next one.
    #[serde(default)]
    pub tries: BTreeMap<StageId, u32>,
    /// Tries of agents by stage, for stages where the work is done and not only reviewed, without those given back.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub work_tries: BTreeMap<StageId, u32>,
    /// Attempts in a row that something outside kept from working; reset when a person retries the task.
    #[serde(default)]
    pub troubles: u32,
    /// Attempts in a row that ended because the machine stopped; reset when a person retries the task.
    #[serde(default)]
    pub interruptions: u32,
    /// Usage of the task's agents over its life, as far as their tools report it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spending: Vec<Spending>,
    /// Cost of the task's agents when a person last retried it because of its budget.
    #[serde(default, skip_serializing_if = "Cost::is_none")]
    pub spent_at_retry: Cost,
    pub head: Option<String>,
    /// Head of the task when it came to its stage; protected paths there are compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_head: Option<String>,
    /// Changes of an integrator whose review its merge waits for; void when the head is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration: Option<Box<Integration>>,
    /// Commit of the base that contains the task's head, seen on the remote.
    pub merged: Option<String>,
    #[serde(default, skip_serializing_if = "MergeCheck::is_checked")]
    pub merge_check: MergeCheck,
    /// Handover of the work on its branch, where the engine merges nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handover: Option<Box<Handover>>,
    /// Reason the task was not started when the scheduler last looked.
    pub why_not: Option<WaitReason>,
    pub comments: Vec<Comment>,
    /// Last finding the next attempt should know of: rejection, failed gates, conflict.
    pub finding: Option<String>,
    /// Pending deletion of the task's branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letting_go: Option<BranchCleanup>,
    /// Details from the task's plan, if it comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<PlanEntry>>,
    /// Reports of the task's agents and the subagents they were seen to use, if the plan asks for them.
    #[serde(default, skip_serializing_if = "PlanRecord::is_none")]
    pub record: PlanRecord,
    /// State before the last command of a person that undo can put back, until more happens to the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<TaskBefore>>,
    pub created_at: Timestamp,
    /// Number of tasks on the board when this one was created, itself included: decides the order of tasks created at the same time, as by
    /// an import. 0 if the store is older than this number.
    #[serde(default)]
    pub number: u64,
    pub since: Timestamp,
}

/// Check of the tree that a task's merge made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeCheck {
    /// Gates applied to it, or it is not merged.
    #[default]
    Checked,
    /// No gate applied to it.
    Unchecked,
    /// The base had the work already, by another hand: no gate of the engine has seen that tree.
    ByOthers,
}

impl MergeCheck {
    /// Returns true unless no gate applied, or none was run.
    pub fn is_checked(&self) -> bool {
        *self == MergeCheck::Checked
    }
}

/// Task as it was before a person's command, and as the command left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBefore {
    /// Time at which the command was carried out.
    pub at: Timestamp,
    pub state: TaskState,
    pub progress: SavedProgress,
    /// Number of comments.
    pub comments: usize,
    /// State in which the command left the task, and the comment it wrote.
    pub left: TaskState,
    pub wrote: Option<Comment>,
}

/// Pending deletion of a finished task's branch, with its retries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchCleanup {
    pub tries: u32,
    pub at: Timestamp,
}

/// Kind of work; bugs go first within a stage.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskKind {
    Bug,
    Feature,
    #[default]
    Task,
    Chore,
}

/// Activity of a task in its stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TaskState {
    Backlog,
    /// Ready, or waiting for dependencies, cooldown or room; [`WaitReason`] says which.
    Released,
    Active,
    /// The attempt reported done; the engine collects evidence.
    Verifying,
    /// Stuck: only an explicit act of a person ends it.
    Held(HoldReason),
    Parked(String),
    Done,
    Failed(String),
    Skipped(Skip),
    Cancelled,
}

impl TaskState {
    /// Returns true if nothing ever happens to the task by itself again.
    pub fn is_terminal(&self) -> bool {
        matches!(
            self,
            TaskState::Done | TaskState::Failed(_) | TaskState::Skipped(_) | TaskState::Cancelled
        )
    }

    /// Returns true if a person can leave the task out: it is neither done, closed nor left out already.
    pub fn can_be_skipped(&self) -> bool {
        !matches!(
            self,
            TaskState::Done | TaskState::Cancelled | TaskState::Skipped(_)
        )
    }

    /// Returns true if nothing happens to the task before a person acts, unless only an approval is missing.
    pub fn has_stopped(&self) -> bool {
        let is_held = matches!(self, TaskState::Held(_)) && !self.awaits_approval();
        let is_over = self.is_terminal() && *self != TaskState::Done;
        is_held || is_over || matches!(self, TaskState::Parked(_))
    }

    /// Returns true if the approval of a person lets the task continue: before a stage, or although checks found something.
    pub fn awaits_approval(&self) -> bool {
        matches!(
            self,
            TaskState::Held(HoldReason::Approval | HoldReason::Findings(_) | HoldReason::Unreviewed(_))
        )
    }

    /// Returns the word for people and filters.
    pub fn word(&self) -> &'static str {
        self.into()
    }
}

/// Returns the reason of a failure as it reads after the word failed, which it may begin with itself.
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

/// Maximum number of times an attempt's limit is doubled.
const MOST_DOUBLINGS: u32 = 3;

impl Task {
    /// Returns the longest run of its next attempt at a stage: its own limit, the stage's or the settings', doubled for every attempt that
    /// ran into it there, at most three times (LK-57).
    pub fn time_limit(&self, stage: &StageId, of_stage: Option<Span>, of_settings: Span) -> Span {
        let limit = self.timeout.or(of_stage).unwrap_or(of_settings);
        let counters = self.failures.get(stage);
        let times = counters.and_then(|counters| counters.get(&FailureClass::Timeout));
        let doublings = times.copied().unwrap_or(0).min(MOST_DOUBLINGS);
        limit.scaled(1 << doublings, Span(u64::MAX))
    }

    /// Returns the branch on which the work of this task was left for others, until its base has it.
    pub fn handed_over_on(&self) -> Option<&str> {
        let handover = self.handover.as_deref().filter(|_| self.merged.is_none())?;
        Some(&handover.branch)
    }

    /// Stage that accepts the work of a whole batch.
    pub const ACCEPTANCE: &'static str = "acceptance";

    /// Returns true if the task accepts the work of its batch.
    pub fn is_acceptance(&self) -> bool {
        self.stage.as_str() == Task::ACCEPTANCE
    }

    /// Returns the changes of an integrator that are to be reviewed; `None` once the head is another.
    pub fn integration_to_review(&self) -> Option<&Integration> {
        let found = self.integration.as_deref();
        found.filter(|found| self.head.as_ref() == Some(&found.head))
    }

    /// Returns the comments after the first `count`.
    pub fn comments_after(&self, count: usize) -> &[Comment] {
        self.comments.get(count..).unwrap_or_default()
    }

    /// Returns true if a stage's evidence of that kind applies to the task: requirements that its plan does not have are not checked.
    pub fn asks_for(&self, kind: &EvidenceKind, stage: &Stage) -> bool {
        let plan = self.plan.as_deref();
        match kind {
            EvidenceKind::Notes => plan.is_some_and(|plan| plan.notes.is_some()),
            EvidenceKind::AgentsUsed => plan.is_some_and(|plan| !plan.agents.is_empty()),
            EvidenceKind::StepsDone => plan.is_some_and(|plan| !plan.steps.is_empty()),
            EvidenceKind::ListedFiles => {
                plan.is_some_and(|plan| plan.paths.lists_files() || !self.record.claimed_files.is_empty())
            }
            EvidenceKind::Protected => !PlanEntry::protected(plan, &stage.protected).is_empty(),
            EvidenceKind::Tests => plan.is_some_and(|plan| plan.tests.is_some()),
            _ => true,
        }
    }

    /// Returns the cost of the task's agents over its life.
    pub fn spent(&self) -> Cost {
        let costs = self.spending.iter().filter_map(|entry| entry.usage.cost);
        costs.fold(Cost::default(), Add::add)
    }

    /// Returns the tokens of the task's agents over its life, if their tools reported any.
    pub fn tokens(&self) -> Option<Tokens> {
        let used = self.spending.iter().map(|entry| entry.usage.tokens);
        let sum = used.fold(Tokens::default(), Add::add);
        (sum.sum() > 0).then_some(sum)
    }

    /// Returns the cost of the task's agents since a person last retried it because of its budget.
    pub fn spent_since_retry(&self) -> Cost {
        self.spent().without(self.spent_at_retry)
    }

    /// Returns true if the task also begins when its dependencies have stopped.
    pub fn passes_over(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.passes_over)
    }

    /// Returns the dependencies that the task still waits for: those that are not done, except stopped ones if the task passes over them;
    /// unknown ones are included (LK-28).
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

    /// Returns the reason the task is held, with the number of failures and the last cause if it failed too often.
    pub fn hold_text(&self, hold: &HoldReason) -> String {
        let HoldReason::Exhausted(class) = hold else {
            return hold.to_string();
        };
        let counters = self.failures.get(&self.stage);
        let times = counters.and_then(|counters| counters.get(class)).copied();
        exhaustion_text(*class, times, self.finding.as_deref())
    }
}

/// Remark that a person, an agent or the engine wrote on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Author: the name of a person or an agent, or `dbs`.
    pub author: String,
    pub text: String,
    pub at: Timestamp,
}

/// Named shell command that the engine runs to verify work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateCommand {
    pub name: String,
    pub command: String,
}
