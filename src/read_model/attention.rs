//! What needs a person, oldest first (design 7: attention first).

use crate::domain::attempt::{ActivityKind, AttemptState, Verdict};
use crate::domain::task::{HoldReason, TaskState};
use crate::domain::{AttemptId, Board, EngineAction, FailureClass, Task, TaskId, Timestamp, Worker};

/// One thing that waits for a person, such as a question or an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionItem {
    pub task: TaskId,
    pub attempt: Option<AttemptId>,
    pub kind: AttentionKind,
    pub text: String,
    pub since: Timestamp,
}

/// What kind of thing waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttentionKind {
    Permission,
    Question,
    Approval,
    Gate,
    /// The engine could not merge it: a conflict, or checks that fail on the merged tree.
    Merge,
    Held,
    Failed,
}

impl AttentionKind {
    /// Whether an agent at work waits for it.
    pub fn is_agents(self) -> bool {
        matches!(self, AttentionKind::Permission | AttentionKind::Question)
    }
}

pub(super) fn attention(board: &Board) -> Vec<AttentionItem> {
    let tasks = board.tasks.values();
    let mut found: Vec<AttentionItem> = tasks.filter_map(|task| of_task(board, task)).collect();
    for attempt in board.attempts.values().filter(|attempt| attempt.state.is_open()) {
        let (kind, text) = match &attempt.activity.doing {
            ActivityKind::Permission(text) => (AttentionKind::Permission, text),
            ActivityKind::Question(text) => (AttentionKind::Question, text),
            ActivityKind::Starting
            | ActivityKind::Working
            | ActivityKind::Idle
            | ActivityKind::Exited
            | ActivityKind::Lost => continue,
        };
        found.push(AttentionItem {
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

fn of_task(board: &Board, task: &Task) -> Option<AttentionItem> {
    let (kind, text) = match &task.state {
        TaskState::Held(HoldReason::Approval) => (AttentionKind::Approval, "approve or reject".to_owned()),
        TaskState::Held(hold) => (of_hold(board, task, hold), task.hold_text(hold)),
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
    Some(AttentionItem {
        task: task.id.clone(),
        attempt: task.open_attempt,
        kind,
        text,
        since: task.since,
    })
}

fn of_hold(board: &Board, task: &Task, hold: &HoldReason) -> AttentionKind {
    let HoldReason::Exhausted(FailureClass::Gate) = hold else {
        return AttentionKind::Held;
    };
    let mut attempts = board.attempts.values().rev();
    let last = attempts.find(|attempt| attempt.task == task.id);
    let merge = last.is_some_and(|attempt| {
        attempt.worker == Worker::Engine(EngineAction::Merge)
            && matches!(attempt.state, AttemptState::Settled(Verdict::Failed(..)))
    });
    if merge {
        AttentionKind::Merge
    } else {
        AttentionKind::Gate
    }
}
