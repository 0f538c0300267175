//! Attempt and tasks that an event concerns, and the effects it completes. The store keeps its log and its open effects by them.

use super::board::ENGINE;
use super::command::Command;
use super::event::Event;
use super::id::{AttemptId, RequestId, TaskId};

impl Event {
    /// Builds the event in which the engine itself writes a comment on a task.
    pub fn comment(task: TaskId, text: String) -> Event {
        Event::Asked {
            request: RequestId(0),
            by: ENGINE.to_owned(),
            command: Command::Comment(task, text),
        }
    }

    /// Returns the attempt that the event reports on, if there is one.
    pub fn attempt(&self) -> Option<AttemptId> {
        match self {
            Event::AttemptStarted { attempt, .. }
            | Event::WorkplaceMade { attempt, .. }
            | Event::AttemptNotStarted { attempt, .. }
            | Event::SessionLost { attempt, .. }
            | Event::AttemptUnknown { attempt, .. }
            | Event::Signalled { attempt, .. }
            | Event::Observed { attempt, .. }
            | Event::UsageReported { attempt, .. }
            | Event::ModelReported { attempt, .. }
            | Event::ContextCompacted { attempt }
            | Event::WorkSaved { attempt, .. }
            | Event::AskOpened { attempt, .. }
            | Event::AskWithdrawn { attempt, .. }
            | Event::AnswerTyped { attempt, .. }
            | Event::AnswerLost { attempt, .. }
            | Event::TextLost { attempt, .. }
            | Event::MenuSeen { attempt, .. }
            | Event::AttemptEnded { attempt, .. }
            | Event::ActionEnded { attempt, .. }
            | Event::Verified { attempt, .. }
            | Event::GitChanged { attempt, .. }
            | Event::WorkspaceSettled { attempt, .. }
            | Event::Asked {
                command: Command::Kill(attempt) | Command::AnswerAsk { attempt, .. },
                ..
            } => Some(*attempt),
            _ => None,
        }
    }

    /// Returns the tasks that the event itself names; an attempt's task is known to the board.
    pub fn tasks(&self) -> Vec<TaskId> {
        match self {
            Event::Asked { command, .. } => command.tasks(),
            _ => Vec::new(),
        }
    }

    /// Returns the keys of the effects the event answers ([`super::Effect::key`]); a key that ends in `/` matches all that begin with it.
    pub fn completes(&self) -> Vec<String> {
        match self {
            Event::AttemptStarted { attempt, .. }
            | Event::AttemptNotStarted { attempt, .. }
            | Event::SessionLost { attempt, .. } => {
                vec![format!("start/{attempt}")]
            }
            Event::AttemptEnded { attempt, .. } => ended(*attempt).to_vec(),
            Event::WorkSaved { attempt, .. } => vec![format!("checkpoint/{attempt}")],
            Event::ActionEnded { attempt, .. } => vec![format!("act/{attempt}")],
            Event::Delivered { task, .. } | Event::MergeSeen { task, .. } => vec![format!("deliver/{task}")],
            Event::Verified { attempt, .. } | Event::GitChanged { attempt, .. } => {
                vec![format!("verify/{attempt}/")]
            }
            Event::WorkspaceSettled {
                attempt,
                problem: None,
                ..
            } => vec![format!("settle/{attempt}")],
            Event::Performed { key, problem: None } => vec![key.clone()],
            // No effect remains that could concern anything.
            Event::Asked {
                command: Command::Clear,
                ..
            } => [
                "start",
                "act",
                "stop",
                "verify",
                "checkpoint",
                "settle",
                "retire",
                "deliver",
            ]
            .map(|verb| format!("{verb}/"))
            .to_vec(),
            Event::Woke(found) => {
                let running = found.running.iter().map(|attempt| format!("start/{attempt}"));
                let over = found.ended.keys().flat_map(|attempt| ended(*attempt));
                running.chain(over).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Command {
    /// Returns the tasks that the command names.
    pub fn tasks(&self) -> Vec<TaskId> {
        match self {
            Command::All(commands) => commands.iter().flat_map(Command::tasks).collect(),
            Command::Create(draft) => vec![draft.id.clone()],
            Command::CreateAll(drafts) => drafts.iter().map(|draft| draft.id.clone()).collect(),
            Command::AddDependency(task, on) | Command::RemoveDependency(task, on) => {
                vec![task.clone(), on.clone()]
            }
            Command::Release(tasks) | Command::Undo(tasks) => tasks.clone(),
            Command::Update(task, _)
            | Command::Comment(task, _)
            | Command::Park(task, _)
            | Command::Close(task, _)
            | Command::Retry { task, .. }
            | Command::Approve(task)
            | Command::Reject(task, _)
            | Command::Skip(task)
            | Command::Withdraw(task)
            | Command::SetMode(task, _)
            | Command::Interrupt(task)
            | Command::Merged(task)
            | Command::Answer(task, _) => vec![task.clone()],
            Command::PutBatch { .. }
            | Command::PutJob(..)
            | Command::MoveJob(..)
            | Command::ChangeBatch { .. }
            | Command::ReleaseBatch(_)
            | Command::Clear
            | Command::AnswerAsk { .. }
            | Command::Kill(_)
            | Command::Pulled(_)
            | Command::Pause
            | Command::Resume => Vec::new(),
        }
    }
}

/// Returns the keys completed by the end of a process: it has also been started, and needs no stopping.
fn ended(attempt: AttemptId) -> [String; 2] {
    [format!("start/{attempt}"), format!("stop/{attempt}")]
}
