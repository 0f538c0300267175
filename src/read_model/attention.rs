//! Items that need a person, oldest first.

use serde::{Deserialize, Serialize};

use crate::domain::attempt::{AttemptState, Verdict};
use crate::domain::task::{HoldReason, TaskState, behind_failed};
use crate::domain::{
    Ask, AskKind, AskReply, Attempt, AttemptId, Board, Command, EngineAction, FailureClass, Task, TaskId,
    Timestamp, Worker,
};
use crate::read_model::{ReadModel, Stall, source_words};

/// Item that waits for a person, such as a question or an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionItem {
    pub task: TaskId,
    pub attempt: Option<AttemptId>,
    pub kind: AttentionKind,
    pub text: String,
    pub since: Timestamp,
    /// Question of the agent, if it is an agent that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
}

/// Kind of an item that waits for a person.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum AttentionKind {
    Permission,
    Question,
    /// Dialog of a tool that only a person can answer, in the terminal.
    Dialog,
    Approval,
    Gate,
    /// Merge that the engine could not do: a conflict, or checks that fail on the merged tree.
    Merge,
    Held,
    Failed,
}

impl AttentionKind {
    /// Returns true if an agent at work waits for it.
    pub fn is_agents(self) -> bool {
        matches!(
            self,
            AttentionKind::Permission | AttentionKind::Question | AttentionKind::Dialog
        )
    }
}

impl AttentionItem {
    /// Returns the command that answers the question of its agent.
    pub fn answer_command(&self, reply: AskReply) -> Option<Command> {
        Some(Command::AnswerAsk {
            attempt: self.attempt?,
            ask: self.ask.as_ref()?.id.clone(),
            reply,
        })
    }
}

/// Items that wait for a person, and the amount of other work: everything a client of lines shows of a board.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttentionSummary {
    pub at: Timestamp,
    /// Number of all tasks.
    pub tasks: usize,
    /// Number of agents at work.
    pub agents: usize,
    /// The task that an agent has worked on for the longest time, and since when.
    pub longest: Option<(TaskId, Timestamp)>,
    /// Oldest first.
    pub rows: Vec<AttentionRow>,
    /// Cause that keeps a run from continuing, if nothing asks a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stall: Option<Stall>,
}

/// Item that waits for a person, with known facts of its task and its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttentionRow {
    pub item: AttentionItem,
    /// Title of the task.
    pub title: String,
    /// Label of the stage that the task is in.
    pub stage: Option<String>,
    pub finding: Option<String>,
    /// Agent of the attempt, and the source of its activity.
    pub agent: Option<(String, String)>,
    /// True where its agent blocked the task with a question, which a retry answers.
    #[serde(default)]
    pub is_question: bool,
}

impl AttentionSummary {
    /// The summary of a board.
    pub fn of(model: &ReadModel) -> AttentionSummary {
        let begun = |attempt: &Attempt| attempt.started_at.unwrap_or(attempt.created_at);
        let longest = model.agents().min_by_key(|agent| begun(agent.attempt));
        AttentionSummary {
            at: model.at,
            tasks: model.tasks.len(),
            agents: model.agents().count(),
            longest: longest.map(|agent| (agent.attempt.task.clone(), begun(agent.attempt))),
            rows: model
                .attention
                .iter()
                .map(|item| AttentionRow::of(model, item))
                .collect(),
            stall: model.stall(),
        }
    }
}

impl AttentionRow {
    fn of(model: &ReadModel, item: &AttentionItem) -> AttentionRow {
        let task = model.tasks.get(&item.task);
        let attempt = item.attempt.and_then(|id| model.attempts.get(&id));
        AttentionRow {
            item: item.clone(),
            title: task.map_or_else(String::new, |task| task.title.clone()),
            stage: task.map(|task| model.stage_label(task)),
            finding: task.and_then(|task| task.finding.clone()),
            agent: attempt.map(|attempt| {
                let source = source_words(&attempt.activity);
                (attempt.worker.name().to_owned(), source.to_owned())
            }),
            is_question: task
                .is_some_and(|task| matches!(task.state, TaskState::Held(HoldReason::Blocked(_)))),
        }
    }
}

pub(super) fn attention(board: &Board, now: Timestamp) -> Vec<AttentionItem> {
    let tasks = board.tasks.values();
    let mut found: Vec<AttentionItem> = tasks.filter_map(|task| of_task(board, task)).collect();
    found.extend(
        board
            .attempts
            .values()
            .filter_map(|attempt| of_workspace(attempt)),
    );
    for attempt in board.attempts.values().filter(|attempt| attempt.state.is_open()) {
        found.extend(attempt.open_asks(now).map(|known| AttentionItem {
            task: attempt.task.clone(),
            attempt: Some(attempt.id),
            kind: match known.ask.kind {
                AskKind::Permission | AskKind::Plan => AttentionKind::Permission,
                AskKind::Question => AttentionKind::Question,
                AskKind::Dialog => AttentionKind::Dialog,
            },
            text: known.ask.text.clone(),
            since: known.since,
            ask: Some(known.ask.clone()),
        }));
    }
    found.sort_by(|a, b| a.since.cmp(&b.since).then_with(|| a.task.cmp(&b.task)));
    found
}

fn of_task(board: &Board, task: &Task) -> Option<AttentionItem> {
    let (kind, text) = match &task.state {
        TaskState::Held(HoldReason::Approval) => {
            (AttentionKind::Approval, "waits for your approval".to_owned())
        }
        TaskState::Held(HoldReason::Findings(what)) => (
            AttentionKind::Approval,
            format!("waits for your decision, checks found: {what}"),
        ),
        TaskState::Held(HoldReason::Unreviewed(what)) => (
            AttentionKind::Approval,
            format!("{what}: approve it to have it merged, or reject it to have it done again"),
        ),
        TaskState::Held(hold) => (of_hold(board, task, hold), task.hold_text(hold)),
        TaskState::Failed(why) => (AttentionKind::Failed, behind_failed(why).to_owned()),
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
        ask: None,
    })
}

/// Returns the item of a workspace whose removal is not tried any more.
fn of_workspace(attempt: &Attempt) -> Option<AttentionItem> {
    let left = attempt.unremovable()?;
    let (id, task) = (attempt.id, &attempt.task);
    Some(AttentionItem {
        task: task.clone(),
        attempt: Some(id),
        kind: AttentionKind::Held,
        text: format!(
            "could not remove the workspace of attempt {id} in {} tries: {}; `dbs retry {task}` tries again",
            left.tries, left.why
        ),
        since: attempt.ended_at.unwrap_or(attempt.created_at),
        ask: None,
    })
}

fn of_hold(board: &Board, task: &Task, hold: &HoldReason) -> AttentionKind {
    let HoldReason::Exhausted(FailureClass::Gate) = hold else {
        return AttentionKind::Held;
    };
    // An attempt that was stopped since then, such as one that undo took back, says nothing about the failure.
    let has_failed = |attempt: &&Attempt| {
        attempt.task == task.id && matches!(attempt.state, AttemptState::Settled(Verdict::Failed(..)))
    };
    let mut attempts = board.attempts.values().rev().map(AsRef::as_ref);
    let last = attempts.find(has_failed);
    let merge = last.is_some_and(|attempt| attempt.worker == Worker::Engine(EngineAction::Merge));
    if merge {
        AttentionKind::Merge
    } else {
        AttentionKind::Gate
    }
}
