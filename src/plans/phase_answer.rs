//! Decisions of a person between the phases of a plan: which phase asks for one, what an answer means, and what it does on the board. Pure.

use super::reconcile::PlanTasks;
use super::run_watch::{PhaseFacts, RunFacts};
use crate::domain::task::{HoldReason, behind_failed};
use crate::domain::{Command, Task, TaskId, TaskState};

/// Answer of a person about a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhaseAnswer {
    Approve,
    /// Work on it again, for that reason.
    Reject(String),
    /// Fix the findings of the checks, and that.
    Fix(String),
    Retry(Option<String>),
    Skip,
}

/// Meaning of a line that a person typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedAnswer {
    Answer(PhaseAnswer),
    Quit,
    /// A reason is missing.
    NoReason,
    NotUnderstood,
}

/// Returns the phase that a person has to decide about: one that waits for a yes, else one that has stopped by itself.
pub fn next_question(facts: &RunFacts) -> Option<&PhaseFacts> {
    let waits = |task: &&PhaseFacts| task.state.awaits_approval();
    let stopped = |task: &&PhaseFacts| matches!(task.state, TaskState::Failed(_) | TaskState::Held(_));
    let mut tasks = facts.tasks.iter();
    tasks.find(waits).or_else(|| facts.tasks.iter().find(stopped))
}

/// Returns the question about a phase, with the answers to it.
pub fn question(task: &PhaseFacts) -> String {
    let (id, is_asked) = (&task.id, task.state.awaits_approval());
    let what = match &task.state {
        TaskState::Held(hold) => hold.to_string(),
        TaskState::Failed(why) => format!("failed: {}", behind_failed(why)),
        state => state.word().to_owned(),
    };
    let approve = if is_asked { "[a]pprove, " } else { "" };
    format!("{id} {what}: {approve}[r]etry with an instruction, [s]kip, [q]uit?")
}

/// Reads a typed answer about a phase.
pub fn read_answer(task: &PhaseFacts, line: &str) -> TypedAnswer {
    let is_asked = task.state.awaits_approval();
    let (word, text) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let reason = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let answer = match (word, reason) {
        ("a" | "approve", _) if is_asked => PhaseAnswer::Approve,
        ("r" | "retry", Some(why)) if task.state == TaskState::Held(HoldReason::Approval) => {
            PhaseAnswer::Reject(why)
        }
        ("r" | "retry", Some(why)) if is_asked => PhaseAnswer::Fix(why),
        ("r" | "retry", None) if is_asked => return TypedAnswer::NoReason,
        ("r" | "retry", reason) => PhaseAnswer::Retry(reason),
        ("s" | "skip", _) => PhaseAnswer::Skip,
        ("q" | "quit", _) => return TypedAnswer::Quit,
        _ => return TypedAnswer::NotUnderstood,
    };
    TypedAnswer::Answer(answer)
}

/// Returns the commands for an answer about one of the tasks of a plan.
pub fn commands(answer: PhaseAnswer, id: &TaskId, tasks: &PlanTasks) -> Vec<Command> {
    let retry = |note| Command::Retry {
        task: id.clone(),
        stage: None,
        note,
    };
    match answer {
        PhaseAnswer::Approve => vec![Command::Approve(id.clone())],
        // A person who says so at the terminal does not wait for the pause between a rejection and the next try.
        PhaseAnswer::Reject(why) => vec![Command::Reject(id.clone(), why), retry(None)],
        PhaseAnswer::Fix(why) => vec![Command::Reject(id.clone(), why)],
        PhaseAnswer::Retry(note) => vec![retry(note)],
        PhaseAnswer::Skip => std::iter::once(Command::Skip(id.clone()))
            .chain(freed_by(id, tasks))
            .collect(),
    }
}

/// Returns the commands that let those tasks go on without a task that wait for it by the order of the plan alone.
fn freed_by(skipped: &TaskId, tasks: &PlanTasks) -> impl Iterator<Item = Command> {
    let follows = |task: &Task| {
        let entry = task.plan.as_ref();
        entry.is_some_and(|entry| entry.follows.as_ref() == Some(skipped))
    };
    let waiting = tasks.values().filter(|task| task.deps.contains(skipped));
    waiting
        .filter(move |task| follows(task))
        .map(|task| Command::RemoveDependency(task.id.clone(), skipped.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(state: TaskState) -> PhaseFacts {
        PhaseFacts {
            id: "export-1".into(),
            state,
            why_not: None,
            attempts: Vec::new(),
        }
    }

    #[test]
    fn an_answer_means_what_the_phase_waits_for() {
        let waits = phase(TaskState::Held(HoldReason::Approval));
        let failed = phase(TaskState::Failed("gates".into()));
        let of = |phase: &PhaseFacts, line: &str| read_answer(phase, line);
        assert_eq!(of(&waits, "a\n"), TypedAnswer::Answer(PhaseAnswer::Approve));
        assert_eq!(of(&failed, "a\n"), TypedAnswer::NotUnderstood);
        assert_eq!(of(&waits, "r"), TypedAnswer::NoReason);
        let answer = |answer| TypedAnswer::Answer(answer);
        assert_eq!(
            of(&waits, "r keep it"),
            answer(PhaseAnswer::Reject("keep it".to_owned()))
        );
        assert_eq!(of(&failed, "r"), answer(PhaseAnswer::Retry(None)));
        assert_eq!(of(&failed, "quit"), TypedAnswer::Quit);
        assert!(question(&waits).contains("[a]pprove") && !question(&failed).contains("[a]pprove"));
    }

    #[test]
    fn a_rejected_phase_goes_on_at_once() {
        let commands = commands(
            PhaseAnswer::Reject("keep it".to_owned()),
            &"export-1".into(),
            &PlanTasks::new(),
        );
        assert!(matches!(
            &commands[..],
            [Command::Reject(..), Command::Retry { .. }]
        ));
    }
}
