//! Reasons a released task has not been started.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::id::{AttemptId, BatchId, StageId, TaskId, WorkflowId};
use super::time::Timestamp;

/// Reason the scheduler has not started a released task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    Dependencies(Vec<TaskId>),
    /// Batches that its own batch needs are not completed.
    Batches(Vec<BatchId>),
    /// A dependency names a task that does not exist (LK-28).
    UnknownDependency(TaskId),
    Until(Timestamp),
    /// Heads of these dependencies are not merged (K46).
    DependencyNotMerged(Vec<TaskId>),
    /// Another attempt holds the stage's single place (K47).
    SingletonBusy(AttemptId),
    /// The base takes no merges as things are; the hold of the named task says why.
    BaseClosed {
        base: String,
        task: TaskId,
    },
    /// An agent of another task is at work on a file that this one lists, too.
    FileBusy {
        task: TaskId,
        path: String,
    },
    /// Another task's work on a file that this one lists, too, was left on its branch, and the base lacks it.
    FileLeft {
        task: TaskId,
        path: String,
    },
    /// All places for agents are taken (K48).
    NoRoom {
        running: u32,
        most: u32,
    },
    /// The task's batch has as many agents at work as a person allowed it (P59).
    BatchFull {
        running: u32,
        most: u32,
    },
    /// Enough attempts were started in this turn; the task starts in the next one.
    TurnLimit,
    Paused,
    /// The account of its agent is at a usage limit.
    UsageLimit(String),
    /// No person has trusted what the project's files would start.
    Untrusted,
    NoGoAhead,
    Aborted,
    /// No base branch is configured (K62).
    NoBase,
    /// The task's stage demands gates, and no gate command is set.
    NoGate,
    /// A setting that the task depends on cannot be used as it is written; the text says which, and the way out.
    Setting(String),
    /// The attempt that was stopped when the task was moved has not ended yet.
    StillEnding(AttemptId),
    /// The task's workflow is not loaded, or has no such stage (any more).
    NoStage(WorkflowId, StageId),
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitReason::Dependencies(ids) => write!(f, "waits for {}", join(ids)),
            WaitReason::Batches(ids) => {
                let (noun, ids) = (if ids.len() == 1 { "batch" } else { "batches" }, join(ids));
                write!(f, "waits for {noun} {ids}")
            }
            WaitReason::UnknownDependency(id) => write!(f, "depends on {id}, which does not exist"),
            WaitReason::Until(_) => f.write_str("waits to be retried"),
            WaitReason::DependencyNotMerged(ids) => write!(f, "waits for the merge of {}", join(ids)),
            WaitReason::SingletonBusy(attempt) => {
                write!(f, "one at a time in this stage: attempt {attempt} is running")
            }
            WaitReason::BaseClosed { base, task } => {
                write!(f, "waits until {base} takes merges again: dbs why {task}")
            }
            WaitReason::FileBusy { task, path } => {
                write!(f, "{task} is at work on {path}, which this task lists, too")
            }
            WaitReason::FileLeft { task, path } => {
                write!(
                    f,
                    "waits for the merge of {task}, which changes {path}, too: dbs why {task}"
                )
            }
            WaitReason::NoRoom { running, most } => write!(f, "{running} of {most} agents are running"),
            WaitReason::BatchFull { running, most } => {
                write!(f, "{running} of {most} tasks of its batch are at work")
            }
            WaitReason::TurnLimit => f.write_str("starts in the next turn"),
            WaitReason::Paused => f.write_str("the board is paused"),
            WaitReason::UsageLimit(account) => write!(f, "{account} is at its usage limit"),
            WaitReason::Untrusted => {
                f.write_str("the commands of this project's files are not trusted: dbs trust show")
            }
            WaitReason::NoGoAhead => f.write_str("its batch has not been released yet"),
            WaitReason::Aborted => f.write_str("its run was aborted"),
            WaitReason::NoBase => f.write_str("no base branch is set: dbs config base_branch NAME"),
            WaitReason::NoGate => {
                f.write_str("no gate command is configured; set one with dbs config gates.NAME COMMAND")
            }
            WaitReason::Setting(fault) => f.write_str(fault),
            WaitReason::StillEnding(attempt) => write!(f, "attempt {attempt} has not ended yet"),
            WaitReason::NoStage(workflow, stage) => {
                write!(f, "no workflow {workflow} with a stage {stage} is loaded")
            }
        }
    }
}

fn join<T: ToString>(ids: &[T]) -> String {
    ids.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}
