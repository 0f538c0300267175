//! Commands: requests of a person or a program to the board. A command may be refused; the refusal says why.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent_choice::AgentSettings;
use super::ask::AskReply;
use super::batch::{BatchPatch, RunOptions};
use super::id::{AskId, AttemptId, BatchId, StageId, TaskId, WorkflowId};
use super::plan_entry::PlanEntry;
use super::plan_job::{JobStep, PlanJob};
use super::session::AgentDisplay;
use super::task::{GateCommand, TaskKind};
use super::time::Span;

/// A request of a person or a program to change the board; it may be refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Make a batch, or change the title, goal, base or options of an existing one.
    PutBatch {
        id: BatchId,
        title: String,
        goal: String,
        base: Option<String>,
        /// Options chosen now; the rest of a known batch stays.
        #[serde(default, skip_serializing_if = "RunOptions::is_none")]
        options: RunOptions,
    },
    /// Make a batch that is new, or change one that is known; refused if its tasks and those of others would wait for each other.
    ChangeBatch {
        id: BatchId,
        is_new: bool,
        change: BatchPatch,
    },
    Create(TaskDraft),
    /// Have a plan or a PRD made in a batch, which is made if there is none of that name.
    PutJob(BatchId, Box<PlanJob>),
    /// Move the job of a batch to another step: what the server did for it.
    MoveJob(BatchId, JobStep),
    /// Carry out several commands in their order, all of them or none.
    All(Vec<Command>),
    /// Make several tasks, all of them or none; each may wait for those before it. A refusal begins with the id it is about.
    CreateAll(Vec<TaskDraft>),
    /// Change the details of a task; `None` leaves a part as it is.
    Update(TaskId, TaskPatch),
    Comment(TaskId, String),
    /// Let the first task wait for the second; refused if that makes a cycle.
    AddDependency(TaskId, TaskId),
    RemoveDependency(TaskId, TaskId),
    /// Hand tasks to the pipeline; gives their batches the go-ahead.
    Release(Vec<TaskId>),
    /// Hand all tasks of a batch that are in the backlog to the pipeline.
    ReleaseBatch(BatchId),
    /// Take a task that was released, parked or skipped by a person, and on which no agent works, back into the backlog.
    Withdraw(TaskId),
    /// Restore tasks to their state before the last command about them; refused if more has happened to them since.
    Undo(Vec<TaskId>),
    /// Set a task aside, with the reason; an open attempt is stopped.
    Park(TaskId, String),
    /// Close a task without it being done; an open attempt is stopped.
    Close(TaskId, String),
    /// Take up a held, parked, failed or skipped task again, at a given stage or where it stopped; counters of the stage are cleared.
    Retry {
        task: TaskId,
        /// Stage to begin at; `None`: the stage where the task stopped.
        stage: Option<StageId>,
        note: Option<String>,
    },
    Approve(TaskId),
    /// Say no to a task that waits for approval, or send work back from its current stage.
    Reject(TaskId, String),
    /// Leave a task out; its dependents are skipped or wait, as its workflow says.
    Skip(TaskId),
    /// Type an answer to the agent that works on a task.
    Answer(TaskId, String),
    /// Answer one ask of an attempt, over the channel it came by; refused if the agent no longer asks it.
    AnswerAsk {
        attempt: AttemptId,
        ask: AskId,
        reply: AskReply,
    },
    /// End the turn of the agent that works on a task, as Esc does in its terminal; its session stays.
    Interrupt(TaskId),
    /// Note that others have merged the work of a task that was left on its branch.
    Merged(TaskId),
    /// Note that the person's branch of this base has everything that is merged.
    Pulled(String),
    /// Stop an agent; its task goes back to its stage and uses up no budget.
    Kill(AttemptId),
    /// Let the agents of a task work with or without their tool's interface; `None` switches to the other way. An agent at work continues
    /// its session that way.
    SetMode(TaskId, Option<AgentDisplay>),
    /// Take everything off the board (K70). For a board without a server: the caller has made sure that nothing runs.
    Clear,
    /// Start nothing new and stop what runs (K73).
    Pause,
    /// Continue after a pause (K74).
    Resume,
}

/// Task that is to be created, as given by a person, a program or an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDraft {
    pub id: TaskId,
    pub batch: BatchId,
    pub workflow: WorkflowId,
    /// Stage to begin at; `None`: the workflow's entry.
    pub stage: Option<StageId>,
    pub title: String,
    pub body: String,
    pub kind: TaskKind,
    pub tags: BTreeSet<String>,
    pub priority: u8,
    /// Dependencies, which must exist already or be made earlier by the same command.
    pub deps: BTreeSet<TaskId>,
    pub gates: Vec<GateCommand>,
    /// Maximum run time of one attempt at the task; `None` or zero: the limit of its stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    pub needs_approval: bool,
    /// Settings of a person for the task's agents.
    #[serde(default, skip_serializing_if = "AgentSettings::is_none")]
    pub agent: Box<AgentSettings>,
    /// Further details from the plan, if the task comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<PlanEntry>>,
}

impl TaskDraft {
    /// Creates a draft with the usual batch, workflow, kind and priority, and without dependencies.
    pub fn new(id: &str, title: impl Into<String>) -> TaskDraft {
        TaskDraft {
            id: id.into(),
            batch: "main".into(),
            workflow: "kanban".into(),
            stage: None,
            title: title.into(),
            body: String::new(),
            kind: TaskKind::default(),
            tags: BTreeSet::new(),
            priority: 2,
            deps: BTreeSet::new(),
            gates: Vec::new(),
            timeout: None,
            needs_approval: false,
            agent: Box::default(),
            plan: None,
        }
    }
}

/// Maximum length of a description or comment of a task in bytes.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Changes to an existing task; a field that is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskPatch {
    pub title: Option<String>,
    pub body: Option<String>,
    pub priority: Option<u8>,
    pub add_tags: BTreeSet<String>,
    pub remove_tags: BTreeSet<String>,
    /// Move to that stage; an open attempt is stopped and void (K21).
    pub stage: Option<StageId>,
    /// Continue in another workflow, at its entry unless a stage is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// Gates that replace the task's own; they count from the next check on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<Vec<GateCommand>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<bool>,
    /// Maximum run time of one attempt; zero: the limit of its stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
    /// Agent settings that replace the task's own, for the next attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Box<AgentSettings>>,
    /// True if the next attempt in its stage begins on a branch as clean as the base; see [`Task::begins_anew`].
    ///
    /// [`Task::begins_anew`]: super::task::Task::begins_anew
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begins_anew: Option<bool>,
    /// Further details from the task's plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<PlanEntry>>,
}

/// Refusal of a command, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Cause and way out, as a lower-case sentence without a full stop.
    pub why: String,
    /// Task that the refusal is about, if the command makes several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<TaskId>,
}

impl Refusal {
    /// Creates a refusal of the command as a whole.
    pub fn new(why: impl Into<String>) -> Refusal {
        Refusal {
            why: why.into(),
            about: None,
        }
    }
}
