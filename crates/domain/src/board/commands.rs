//! Commands: each is carried out as a whole or refused as a whole, and answered exactly once. A refusal is a sentence that says what
//! prevents the command and the way out.

use std::sync::Arc;

use super::Board;
use super::transition::Transition;
use crate::batch::BatchPatch;
use crate::command::{Command, Refusal};
use crate::effect::{Accepted, CommandReply, Effect};
use crate::id::{RequestId, TaskId};
use crate::pluralized;
use crate::task::Task;

impl Board {
    /// Carries out a command and answers it.
    pub(super) fn execute_and_reply(
        &mut self,
        transition: &mut Transition,
        request: RequestId,
        by: &str,
        command: &Command,
    ) {
        let before = self.before(transition, command);
        let answer = self.execute(transition, by, command);
        if answer.is_ok() {
            self.remember_before(command, before);
        }
        transition.emit(Effect::Reply(request, answer));
    }

    fn execute(&mut self, transition: &mut Transition, by: &str, command: &Command) -> CommandReply {
        match command {
            Command::PutBatch {
                id,
                title,
                goal,
                base,
                options,
            } => {
                let change = BatchPatch {
                    title: Some(title.clone()),
                    goal: Some(goal.clone()),
                    base: base.clone().filter(|base| !base.trim().is_empty()),
                    needs: None,
                    options: *options,
                };
                self.put_batch(transition, id, &change)
            }
            Command::PutJob(id, job) => self.put_job(transition, id, job),
            Command::MoveJob(id, to) => self.move_job(transition, id, to),
            Command::All(commands) => self.execute_all(transition, by, commands),
            Command::ChangeBatch { id, is_new, change } => self.change_batch(transition, id, *is_new, change),
            Command::Create(draft) => self.create(transition, draft),
            Command::CreateAll(drafts) => self.create_all(transition, drafts),
            Command::Update(id, patch) => self.update(transition, by, id, patch),
            Command::Comment(id, text) => self.write_comment(transition, by, id, text),
            Command::AddDependency(id, on) => self.add_dependency(id, on),
            Command::RemoveDependency(id, on) => self.remove_dependency(id, on),
            Command::Release(ids) => self.release(transition, by, ids),
            Command::ReleaseBatch(id) => self.release_batch(transition, by, id),
            Command::Park(id, why) => self.park(transition, by, id, why),
            Command::Close(id, why) => self.close(transition, by, id, why),
            Command::Retry { task, stage, note } => {
                self.retry(transition, by, task, stage.as_ref(), note.as_deref())
            }
            Command::Approve(id) => self.approve(transition, by, id),
            Command::Reject(id, why) => self.send_back(transition, by, id, why),
            Command::Skip(id) => self.skip(transition, by, id),
            Command::Withdraw(id) => self.withdraw(transition, by, id),
            Command::Undo(ids) => self.undo(transition, by, ids),
            Command::Answer(id, text) => self.answer(transition, by, id, text),
            Command::AnswerAsk { attempt, ask, reply } => {
                self.answer_ask(transition, by, *attempt, ask, reply)
            }
            Command::Kill(id) => self.kill(transition, by, *id),
            Command::Interrupt(id) => self.interrupt(transition, by, id),
            Command::SetMode(id, mode) => self.set_mode(transition, by, id, *mode),
            Command::Merged(id) => self.said_merged(transition, by, id),
            Command::Pulled(base) => Ok(self.pulled(base)),
            Command::Clear => Ok(self.clear(transition, by)),
            Command::Pause => Ok(self.pause_work(transition, by)),
            Command::Resume => self.resume_work(transition, by),
        }
    }

    /// Carries out commands in their order; a refusal of one leaves the board as it was before the first.
    fn execute_all(&mut self, transition: &mut Transition, by: &str, commands: &[Command]) -> CommandReply {
        let (before, effects) = (self.clone(), transition.effects.len());
        for command in commands {
            let reply = match command {
                Command::Clear | Command::All(_) => {
                    Err(refusal("it cannot be part of another command: send it alone"))
                }
                command => self.execute(transition, by, command),
            };
            if let Err(refused) = reply {
                *self = before;
                transition.effects.truncate(effects);
                return Err(refused);
            }
        }
        Ok(accepted(format!("did {}", pluralized(commands.len(), "command"))))
    }

    /// Returns the task of that name, or the refusal.
    pub(super) fn require_task(&self, id: &TaskId) -> Result<Arc<Task>, Refusal> {
        self.task(id)
            .ok_or_else(|| refusal(format!("there is no task {id}: `dbs task list` lists all tasks")))
    }
}

/// Refuses the command with that sentence.
macro_rules! refuse {
    ($($sentence:tt)*) => {
        return Err(crate::command::Refusal::new(format!($($sentence)*)))
    };
}
pub(super) use refuse;

/// Builds a refusal with that sentence.
pub(super) fn refusal(text: impl Into<String>) -> Refusal {
    Refusal::new(text)
}

/// Builds a confirmation with one line for people.
pub(super) fn accepted(text: impl Into<String>) -> Accepted {
    Accepted(text.into())
}

/// Refuses an empty text.
pub(super) fn require_text<'a>(what: &str, text: &'a str) -> Result<&'a str, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        refuse!("{what} is empty: say it in a few words");
    }
    Ok(text)
}
