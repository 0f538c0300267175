//! What needs a person, oldest first (design 7: attention first).

use crate::domain::attempt::Doing;
use crate::domain::task::{Hold, TaskState};
use crate::domain::{AttemptId, Board, TaskId, Timestamp};

/// One thing that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    /// The task.
    pub task: TaskId,
    /// The agent that waits, if one does.
    pub attempt: Option<AttemptId>,
    /// What kind of thing.
    pub kind: AttentionKind,
    /// One line.
    pub text: String,
    /// Since when.
    pub since: Timestamp,
}

/// What kind of thing waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttentionKind {
    /// An agent wants to be allowed something.
    Permission,
    /// An agent asks something.
    Question,
    /// A stage needs a yes.
    Approval,
    /// A task is stuck.
    Held,
    /// A task used up its budget.
    Failed,
}

pub(super) fn attention(board: &Board) -> Vec<Attention> {
    let mut found: Vec<Attention> = board.tasks.values().filter_map(|task| of_task(task)).collect();
    for attempt in board.attempts.values().filter(|attempt| attempt.state.is_open()) {
        let (kind, text) = match &attempt.activity.doing {
            Doing::Permission(text) => (AttentionKind::Permission, text),
            Doing::Question(text) => (AttentionKind::Question, text),
            Doing::Starting | Doing::Working | Doing::Idle | Doing::Exited | Doing::Lost => continue,
        };
        found.push(Attention {
            task: attempt.task.clone(),
            attempt: Some(attempt.id),
            kind,
            text: text.clone(),
            since: attempt.activity.since,
        });
    }
    found.sort_by(|a, b| a.since.cmp(&b.since).then_with(|| a.task.cmp(&b.task)));
    found
}

fn of_task(task: &crate::domain::Task) -> Option<Attention> {
    let (kind, text) = match &task.state {
        TaskState::Held(Hold::Approval) => (AttentionKind::Approval, "approve or reject".to_owned()),
        TaskState::Held(hold) => (AttentionKind::Held, hold.to_string()),
        TaskState::Failed(why) => (AttentionKind::Failed, why.clone()),
        TaskState::Backlog
        | TaskState::Released
        | TaskState::Active
        | TaskState::Verifying
        | TaskState::Parked(_)
        | TaskState::Done
        | TaskState::Skipped(_)
        | TaskState::Cancelled => return None,
    };
    Some(Attention {
        task: task.id.clone(),
        attempt: task.open_attempt,
        kind,
        text,
        since: task.since,
    })
}
