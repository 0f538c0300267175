//! Comparisons of a task's work, as the board knows them: the two sides, or the reason why there is nothing to compare.

use serde::{Deserialize, Serialize};

use super::ReadModel;
use crate::domain::{AttemptId, Task, TaskId, Timestamp};

/// Base that a task's changes are compared with: the base branch or the last review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffBase {
    Base,
    /// State that the last review saw.
    Review,
}

/// Comparison of a task's work. It holds everything on the board that decides what the comparison shows, so that two are equal only if they
/// show the same: the result read for one is never shown for another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TaskChanges {
    pub task: TaskId,
    pub range: ChangeRange,
}

/// The two sides of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeRange {
    /// Changes that this commit brought into the base.
    Merged(String),
    /// The work since it left the base.
    SinceBase { base: String, work: TaskWork },
    /// The work since a review saw this commit.
    SinceReview { seen: String, work: TaskWork },
}

/// Place of the newest work of a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskWork {
    /// Folder in which an attempt works, or has left work.
    Folder { attempt: AttemptId, path: String },
    /// Branch of the task, or the copy that is kept of it: nothing works on it.
    Branch {
        /// Last attempt, and the time since when the task is in its state: every change of the branch changes one of them.
        after: Option<AttemptId>,
        since: Timestamp,
        /// The last head that was verified; shown where the branch is gone.
        head: Option<String>,
    },
}

/// Reason why there is nothing to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoChanges {
    /// The board does not have the task.
    NoTask,
    /// No attempt at it has had a place to work in.
    NotStarted,
    NoBase,
    NotReviewed,
}

impl NoChanges {
    /// Returns the reason why there is nothing to compare, as a sentence without its full stop.
    pub fn text(self, task: &TaskId) -> String {
        match self {
            NoChanges::NoTask => format!("{task} does not exist (any more)"),
            NoChanges::NotStarted => format!("{task} has not started, so it has changed nothing"),
            NoChanges::NoBase => "no base branch is set: dbs config base_branch NAME".to_owned(),
            NoChanges::NotReviewed => format!("no review has looked at {task} yet"),
        }
    }
}

impl ReadModel {
    /// The comparison that shows a task's work as it is now.
    ///
    /// # Errors
    /// When there is nothing to compare.
    pub fn changes(&self, id: &TaskId, against: DiffBase) -> Result<TaskChanges, NoChanges> {
        let task = self.tasks.get(id).ok_or(NoChanges::NoTask)?;
        let range = match (against, &task.merged) {
            (DiffBase::Base, Some(merged)) => ChangeRange::Merged(merged.clone()),
            (DiffBase::Base, None) => {
                let work = self.work_of(task).ok_or(NoChanges::NotStarted)?;
                let base = self.base_of(id).ok_or(NoChanges::NoBase)?.to_owned();
                ChangeRange::SinceBase { base, work }
            }
            (DiffBase::Review, _) => {
                let work = self.work_of(task).ok_or(NoChanges::NotStarted)?;
                let seen = self.reviewed_commit(task).ok_or(NoChanges::NotReviewed)?;
                ChangeRange::SinceReview { seen, work }
            }
        };
        Ok(TaskChanges {
            task: id.clone(),
            range,
        })
    }

    /// The commit that the last review of a task looked at.
    fn reviewed_commit(&self, task: &Task) -> Option<String> {
        let place = self.last_review(task)?.workplace.as_ref()?;
        place.start.clone()
    }

    /// Returns the place of the newest work of a task; `None` while no attempt at it has had a place to work in.
    fn work_of(&self, task: &Task) -> Option<TaskWork> {
        if let Some((attempt, place)) = self.work_folder(task) {
            let path = place.path.clone();
            return Some(TaskWork::Folder { attempt, path });
        }
        let mut attempts = self.attempts.values().filter(|attempt| attempt.task == task.id);
        let after = attempts.clone().next_back().map(|attempt| attempt.id);
        let has_begun = task.head.is_some()
            || self.forgotten_attempts(task) > 0
            || attempts.any(|attempt| attempt.workplace.is_some());
        has_begun.then(|| TaskWork::Branch {
            after,
            since: task.since,
            head: task.head.clone(),
        })
    }
}
