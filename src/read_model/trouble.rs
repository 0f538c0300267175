//! What keeps work from going on though nobody did it badly: a full disk, a repository in use, a remote that does not answer,
//! an agent that cannot be started. Read off what attempts met; nothing here acts.

use std::collections::BTreeMap;

use crate::domain::attempt::{Attempt, AttemptState, Verdict};
use crate::domain::{Board, FailureClass, TaskId, TaskState, Timestamp, Tri};

/// Something outside that keeps work from going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What kind of thing.
    pub cause: Cause,
    /// What was met last, and the way out where one is known; one line.
    pub text: String,
    /// Tasks that wait because of it.
    pub tasks: Vec<TaskId>,
    /// When the first of them is tried again by itself; nothing: not by itself.
    pub again: Option<Timestamp>,
}

/// What kind of thing keeps work from going on, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// There is no room on the disk.
    Disk,
    /// No agent is set, or its program is not there.
    Agent,
    /// The remote does not answer.
    Network,
    /// Somebody else has git's lock.
    Lock,
    /// Something else outside the work.
    Other,
}

impl Cause {
    /// Two or three words for it.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Disk => "disk full",
            Cause::Agent => "no agent",
            Cause::Network => "no network",
            Cause::Lock => "git locked",
            Cause::Other => "cannot start",
        }
    }

    /// What a text about something that failed is about.
    fn of(text: &str) -> Cause {
        let text = text.to_lowercase();
        let signs: [(Cause, &[&str]); 4] = [
            (
                Cause::Disk,
                &[
                    "no space left",
                    "disk is full",
                    "disk of",
                    "disk full",
                    "disk quota",
                ],
            ),
            (
                Cause::Agent,
                &["no agent is configured", "could not find the program"],
            ),
            (
                Cause::Lock,
                &[".lock'", "index.lock", "another git process", "cannot lock"],
            ),
            (
                Cause::Network,
                &[
                    "no answer",
                    "not answer",
                    "could not resolve",
                    "connection refused",
                    "timed out",
                    "unreachable",
                    "could not read from remote",
                ],
            ),
        ];
        let is_about = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let found = signs.iter().find(|(_, words)| is_about(words));
        found.map_or(Cause::Other, |(cause, _)| *cause)
    }
}

impl Trouble {
    /// What the store says of itself, as a trouble: it goes on, but not for long.
    pub fn of_store(text: String) -> Trouble {
        Trouble {
            cause: Cause::of(&text),
            text,
            tasks: Vec::new(),
            again: None,
        }
    }
}

/// All there are, the worst first, one of a kind.
pub(super) fn troubles(board: &Board) -> Vec<Trouble> {
    let mut found: BTreeMap<Cause, Trouble> = BTreeMap::new();
    for (task, (why, again)) in met(board) {
        let text = one_line(why);
        let cause = Cause::of(&text);
        let trouble = found.entry(cause).or_insert_with(|| Trouble {
            cause,
            text: String::new(),
            tasks: Vec::new(),
            again,
        });
        trouble.text = text;
        trouble.tasks.push(task.clone());
        trouble.again = match (trouble.again, again) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
    found.into_values().collect()
}

type Met<'a> = (&'a str, Option<Timestamp>);

/// Tasks that wait because of something outside, what it was, and until when.
fn met(board: &Board) -> BTreeMap<&TaskId, Met<'_>> {
    let mut met: BTreeMap<&TaskId, Met<'_>> = BTreeMap::new();
    // Attempts stand in the order they were made: the last word on a task is its latest attempt's.
    for attempt in board.attempts.values() {
        match of_attempt(board, attempt) {
            Some(found) => drop(met.insert(&attempt.task, found)),
            None if met.is_empty() => {}
            None => drop(met.remove(&attempt.task)),
        }
    }
    met
}

fn of_attempt<'a>(board: &'a Board, attempt: &'a Attempt) -> Option<Met<'a>> {
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
            ("could not write the log: No space left on device", Cause::Disk),
            (
                "could not find the program claude for a developer: looked in /bin",
                Cause::Agent,
            ),
            (
                "could not start a developer: no agent is configured for it",
                Cause::Agent,
            ),
            (
                "could not commit: Unable to create '/p/.git/index.lock': File exists",
                Cause::Lock,
            ),
            (
                "could not fetch: no answer (killed after 60s); it will be tried again",
                Cause::Network,
            ),
            (
                "could not ask origin: Could not resolve host: example.org",
                Cause::Network,
            ),
            ("could not find branch work on origin; push it", Cause::Other),
        ] {
            assert_eq!(Cause::of(text), cause, "{text}");
        }
    }
}
