//! Outside problems that keep work from continuing: a full disk, a repository in use, a remote that does not answer, an agent that cannot
//! be started. Derived from the problems of attempts; nothing here acts.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::attempt::{Attempt, AttemptState, Verdict};
use crate::domain::{
    Board, Cause, FailureClass, Task, TaskId, TaskState, Timestamp, Tri, TroubleKind, WaitReason,
};

/// Outside problem that keeps work from continuing, such as a full disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// Last problem met, with the way out if one is known; one line.
    pub text: String,
    pub tasks: Vec<TaskId>,
    /// Time of the first automatic retry of one of them; `None`: no automatic retry.
    pub retry_at: Option<Timestamp>,
}

impl Trouble {
    /// A warning of the store, as a trouble: its disk is full or nearly so, or something happened to its files.
    pub fn of_store(warning: Cause) -> Trouble {
        Trouble {
            kind: warning.kind,
            text: warning.text,
            tasks: Vec::new(),
            retry_at: None,
        }
    }
}

/// All there are, the worst first, one of a kind.
pub(super) fn troubles(board: &Board) -> Vec<Trouble> {
    let mut found: BTreeMap<TroubleKind, Trouble> = BTreeMap::new();
    for (task, (why, again)) in delayed_tasks(board) {
        let trouble = found.entry(why.kind).or_insert_with(|| Trouble {
            kind: why.kind,
            text: String::new(),
            tasks: Vec::new(),
            retry_at: again,
        });
        trouble.text = one_line(&why.text);
        trouble.tasks.push(task.clone());
        trouble.retry_at = match (trouble.retry_at, again) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    if let Some(files) = &board.settings.untrusted {
        let trouble = Trouble {
            kind: TroubleKind::Untrusted,
            text: files.text.clone(),
            tasks: waiting(board, |why| *why == WaitReason::Untrusted),
            retry_at: None,
        };
        found.insert(TroubleKind::Untrusted, trouble);
    }
    if let Some(fault) = board.settings.faults.first() {
        let trouble = Trouble {
            kind: TroubleKind::Settings,
            text: one_line(&fault.text),
            tasks: waiting(board, |why| matches!(why, WaitReason::Setting(_))),
            retry_at: None,
        };
        found.insert(TroubleKind::Settings, trouble);
    }
    found.into_values().collect()
}

/// Tasks that would start but for such a reason.
fn waiting(board: &Board, is_it: impl Fn(&WaitReason) -> bool) -> Vec<TaskId> {
    let waits = |task: &&Arc<Task>| task.why_not.as_ref().is_some_and(&is_it);
    let waiting = board.tasks.values().filter(waits);
    waiting.map(|task| task.id.clone()).collect()
}

type TroubleEntry<'a> = (&'a Cause, Option<Timestamp>);

/// Returns the tasks that wait because of an outside problem, the problem, and the end of the wait.
fn delayed_tasks(board: &Board) -> BTreeMap<&TaskId, TroubleEntry<'_>> {
    let mut met: BTreeMap<&TaskId, TroubleEntry<'_>> = BTreeMap::new();
    // Attempts are in the order they were made: the last word on a task is its latest attempt's.
    for attempt in board.attempts.values() {
        match entry_of_attempt(board, attempt) {
            Some(found) => drop(met.insert(&attempt.task, found)),
            None if met.is_empty() => {}
            None => drop(met.remove(&attempt.task)),
        }
    }
    met
}

fn entry_of_attempt<'a>(board: &'a Board, attempt: &'a Attempt) -> Option<TroubleEntry<'a>> {
    match &attempt.state {
        AttemptState::Settled(Verdict::Failed(FailureClass::Infra, why)) => {
            let task = board.tasks.get(&attempt.task)?;
            let waits = task.state == TaskState::Released && task.open_attempt.is_none();
            (waits && task.not_before.is_some()).then_some((why, task.not_before))
        }
        AttemptState::Verifying => {
            let unknown = attempt
                .evidence
                .iter()
                .find_map(|evidence| match &evidence.outcome {
                    Tri::Unknown(why) => Some(why),
                    Tri::Yes | Tri::No(_) => None,
                });
            unknown.map(|why| (why, attempt.deadline))
        }
        AttemptState::Starting
        | AttemptState::Running
        | AttemptState::Stopping(_)
        | AttemptState::Settled(_) => None,
    }
}

/// Sentences of git go over several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
