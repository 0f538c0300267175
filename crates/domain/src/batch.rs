//! State of a batch as a whole, and the reasons work is paused.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::base_move::BaseMoves;
use super::context_restart::ContextRules;
use super::delivery::Delivery;
use super::id::{BatchId, TaskId};
use super::plan_job::PlanJob;
use super::time::Timestamp;

/// Tasks that belong together, and the state of their run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    pub id: BatchId,
    pub title: String,
    pub goal: String,
    /// Base branch of its tasks; `None`: the settings' base branch (K61).
    pub base: Option<String>,
    /// Batches that must be completed before anything of this one starts.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub needs: BTreeSet<BatchId>,
    /// Time at which a person released the batch; before that nothing of it is released (LK-33).
    pub go_ahead: Option<Timestamp>,
    pub run: RunState,
    pub since: Timestamp,
    /// Changes to the base by another hand than the engine's, as far as they were seen at the batch's tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_moves: Option<Box<BaseMoves>>,
    /// Merged work that the person's branch lacks, as far as it was seen at the batch's tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owed: Option<Box<OwedDelivery>>,
    /// Options that replace the settings for the batch's tasks.
    #[serde(default, skip_serializing_if = "RunOptions::is_none")]
    pub options: RunOptions,
    /// Plan or PRD that the batch's tasks make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Box<PlanJob>>,
}

/// Merged work that the person's branch lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwedDelivery {
    pub delivery: Delivery,
    /// Task whose merge it is.
    pub task: TaskId,
    /// Time of the next look at the branch.
    pub at: Timestamp,
    /// Number of looks that found it still lacking the work.
    pub n_looks: u32,
}

/// Changes to a batch; a field that is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BatchPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// Base branch of its tasks; empty: the settings' base branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// All the batches that this one waits for from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<BTreeSet<BatchId>>,
    /// Options chosen now; the others stay as they are.
    #[serde(skip_serializing_if = "RunOptions::is_none")]
    pub options: RunOptions,
}

/// Options a person chose for all tasks of a batch; the settings decide those that are not chosen (C16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct RunOptions {
    /// Fill level of a context, in percent, at which an agent is restarted; 100 watches nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_threshold: Option<u32>,
    /// Maximum number of restarts for a full context at one stage of a task; 0 only observes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_restarts: Option<u32>,
    /// True if the engine commits the work that agents leave uncommitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_commit: Option<bool>,
    /// True if the batch's tasks are released only with one acceptance that waits for all of them (K91).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<bool>,
    /// Maximum number of agents at work on the batch's tasks at the same time, besides the limits of the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
}

impl RunOptions {
    /// Returns true if nothing is chosen.
    pub fn is_none(&self) -> bool {
        *self == RunOptions::default()
    }

    /// Returns these options, completed by those of `before`.
    #[must_use]
    pub fn or(self, before: RunOptions) -> RunOptions {
        RunOptions {
            context_threshold: self.context_threshold.or(before.context_threshold),
            context_restarts: self.context_restarts.or(before.context_restarts),
            auto_commit: self.auto_commit.or(before.auto_commit),
            acceptance: self.acceptance.or(before.acceptance),
            at_once: self.at_once.or(before.at_once),
        }
    }

    /// Returns the rules for full contexts, completed by those of the settings.
    pub fn context(&self, settings: ContextRules) -> ContextRules {
        ContextRules {
            threshold: self.context_threshold.unwrap_or(settings.threshold),
            restarts: self.context_restarts.unwrap_or(settings.restarts),
            ..settings
        }
    }
}

/// State of a batch's run as computed from its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Planning,
    Running,
    Paused,
    /// Every task is done (or was cancelled by a person).
    Completed,
    /// The rest was skipped by a person: this number of tasks, with those that were skipped along with them.
    CompletedWithSkips(usize),
    CompletedWithFailures,
    /// Open tasks remain, nothing is under way and nothing can start without a person.
    Stalled,
    /// Abort by the circuit breaker or a person; the text says which.
    Aborted(String),
}

impl Batch {
    /// Returns the merged work that the person's branch lacks, in one line for people.
    pub fn owed_text(&self) -> Option<String> {
        self.owed.as_deref()?.delivery.summary()
    }

    /// Returns true if the batch ends with one acceptance of all its work.
    pub fn needs_acceptance(&self) -> bool {
        self.options.acceptance == Some(true)
    }
}

impl RunState {
    /// Returns the exit code of a headless command that waited for this run.
    pub fn exit_code(&self) -> u8 {
        match self {
            RunState::Completed | RunState::CompletedWithSkips(_) => 0,
            RunState::Stalled => 5,
            RunState::Planning
            | RunState::Running
            | RunState::Paused
            | RunState::CompletedWithFailures
            | RunState::Aborted(_) => 1,
        }
    }

    /// Returns true if the run has started and is not over.
    pub fn is_under_way(&self) -> bool {
        matches!(self, RunState::Running | RunState::Paused | RunState::Stalled)
    }

    /// Returns true if the run is over or stalled: nothing more happens without a person.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            RunState::Completed
                | RunState::CompletedWithSkips(_)
                | RunState::CompletedWithFailures
                | RunState::Stalled
                | RunState::Aborted(_)
        )
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunState::Planning => f.write_str("planning"),
            RunState::Running => f.write_str("running"),
            RunState::Paused => f.write_str("paused"),
            RunState::Completed => f.write_str("all done"),
            RunState::CompletedWithSkips(many) => write!(f, "done, {many} skipped"),
            RunState::CompletedWithFailures => f.write_str("done, with failures"),
            RunState::Stalled => f.write_str("stalled"),
            RunState::Aborted(why) => write!(f, "aborted: {why}"),
        }
    }
}

/// Reason the board starts nothing new: a person paused it, or a usage limit was reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A person paused it (K73); ends by `resume`.
    Operator { by: String, at: Timestamp },
    /// The money for today is used up; ends by itself. Earlier versions paused the board for the usage limit of one tool, too.
    Quota { until: Timestamp, why: String },
}

/// Usage limit of the account that the agents of one tool share. Ends by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageLimit {
    pub until: Timestamp,
    /// Words of the tool.
    pub why: String,
}
