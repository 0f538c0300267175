//! Outside problems that keep work from going on: a full disk, a repository in use, a remote that does not answer,
//! an agent that cannot be started. Read off what attempts met; nothing here acts.

use std::collections::BTreeMap;

use crate::domain::attempt::{Attempt, AttemptState, Verdict};
use crate::domain::{Board, FailureClass, TaskId, TaskState, Timestamp, Tri};

/// An outside problem that keeps work from going on, such as a full disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// What was met last, and the way out where one is known; one line.
    pub text: String,
    pub tasks: Vec<TaskId>,
    /// When the first of them is tried again by itself; nothing: not by itself.
    pub retry_at: Option<Timestamp>,
}

/// What kind of outside problem keeps work from going on, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TroubleKind {
    Disk,
    /// No agent is set, or its program is not there.
    Agent,
    Network,
    Lock,
    Other,
}

impl TroubleKind {
    /// Two or three words for it.
    pub fn word(self) -> &'static str {
        match self {
            TroubleKind::Disk => "disk full",
            TroubleKind::Agent => "no agent",
            TroubleKind::Network => "no network",
            TroubleKind::Lock => "git locked",
            TroubleKind::Other => "cannot start",
        }
    }

    /// What a text about something that failed is about.
    fn of(text: &str) -> TroubleKind {
        let text = text.to_lowercase();
        let found = SIGNS.iter().find(|(words, _)| text.contains(words));
        found.map_or(TroubleKind::Other, |(_, kind)| *kind)
    }
}

/// Words in texts of the system, of git and of the engine, and what they are about; the first that occurs decides.
const SIGNS: [(&str, TroubleKind); 18] = [
    ("no space left", TroubleKind::Disk),
    ("disk is full", TroubleKind::Disk),
    ("disk of", TroubleKind::Disk),
    ("disk full", TroubleKind::Disk),
    ("disk quota", TroubleKind::Disk),
    ("no agent is configured", TroubleKind::Agent),
    ("could not find the program", TroubleKind::Agent),
    (".lock'", TroubleKind::Lock),
    ("index.lock", TroubleKind::Lock),
    ("another git process", TroubleKind::Lock),
    ("cannot lock", TroubleKind::Lock),
    ("no answer", TroubleKind::Network),
    ("not answer", TroubleKind::Network),
    ("could not resolve", TroubleKind::Network),
    ("connection refused", TroubleKind::Network),
    ("timed out", TroubleKind::Network),
    ("unreachable", TroubleKind::Network),
    ("could not read from remote", TroubleKind::Network),
];

impl Trouble {
    /// A warning of the store, as a trouble: its disk is full or nearly so.
    pub fn of_store(text: String) -> Trouble {
        Trouble {
            kind: TroubleKind::Disk,
            text,
            tasks: Vec::new(),
            retry_at: None,
        }
    }
}

/// All there are, the worst first, one of a kind.
pub(super) fn troubles(board: &Board) -> Vec<Trouble> {
    let mut found: BTreeMap<TroubleKind, Trouble> = BTreeMap::new();
    for (task, (why, again)) in delayed_tasks(board) {
        let text = one_line(why);
        let cause = TroubleKind::of(&text);
        let trouble = found.entry(cause).or_insert_with(|| Trouble {
            kind: cause,
            text: String::new(),
            tasks: Vec::new(),
            retry_at: again,
        });
        trouble.text = text;
        trouble.tasks.push(task.clone());
        trouble.retry_at = match (trouble.retry_at, again) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    found.into_values().collect()
}

type TroubleEntry<'a> = (&'a str, Option<Timestamp>);

/// Tasks that wait because of something outside, what it was, and until when.
fn delayed_tasks(board: &Board) -> BTreeMap<&TaskId, TroubleEntry<'_>> {
    let mut met: BTreeMap<&TaskId, TroubleEntry<'_>> = BTreeMap::new();
    // Attempts stand in the order they were made: the last word on a task is its latest attempt's.
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
            (waits && task.not_before.is_some()).then_some((why.as_str(), task.not_before))
        }
        AttemptState::Verifying => {
            let unknown = attempt
                .evidence
                .iter()
                .find_map(|evidence| match &evidence.outcome {
                    Tri::Unknown(why) => Some(why),
                    Tri::Yes | Tri::No(_) => None,
                });
            unknown.map(|why| (why.as_str(), attempt.deadline))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_says_whose_matter_it_is() {
        for (text, cause) in [
            (
                "could not write the log: No space left on device",
                TroubleKind::Disk,
            ),
            (
                "could not find the program claude for a developer: looked in /bin",
                TroubleKind::Agent,
            ),
            (
                "could not start a developer: no agent is configured for it",
                TroubleKind::Agent,
            ),
            (
                "could not commit: Unable to create '/p/.git/index.lock': File exists",
                TroubleKind::Lock,
            ),
            (
                "could not fetch: no answer (killed after 60s); it will be tried again",
                TroubleKind::Network,
            ),
            (
                "could not ask origin: Could not resolve host: example.org",
                TroubleKind::Network,
            ),
            (
                "could not find branch work on origin; push it",
                TroubleKind::Other,
            ),
        ] {
            assert_eq!(TroubleKind::of(text), cause, "{text}");
        }
    }
}
