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
        step: &mut Transition,
        request: RequestId,
        by: &str,
        command: &Command,
    ) {
        let before = self.before(step, command);
        let answer = self.execute(step, by, command);
        if answer.is_ok() {
            self.remember_before(command, before);
        }
        step.emit(Effect::Reply(request, answer));
    }

    fn execute(&mut self, step: &mut Transition, by: &str, command: &Command) -> CommandReply {
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
                self.put_batch(step, id, &change)
            }
            Command::PutJob(id, job) => self.put_job(step, id, job),
            Command::MoveJob(id, to) => self.move_job(step, id, to),
            Command::All(commands) => self.execute_all(step, by, commands),
            Command::ChangeBatch { id, is_new, change } => self.change_batch(step, id, *is_new, change),
            Command::Create(draft) => self.create(step, draft),
            Command::CreateAll(drafts) => self.create_all(step, drafts),
            Command::Update(id, patch) => self.update(step, by, id, patch),
            Command::Comment(id, text) => self.write_comment(step, by, id, text),
            Command::AddDependency(id, on) => self.add_dependency(id, on),
            Command::RemoveDependency(id, on) => self.remove_dependency(id, on),
            Command::Release(ids) => self.release(step, by, ids),
            Command::ReleaseBatch(id) => self.release_batch(step, by, id),
            Command::Park(id, why) => self.park(step, by, id, why),
            Command::Close(id, why) => self.close(step, by, id, why),
            Command::Retry { task, stage, note } => {
                self.retry(step, by, task, (stage.as_ref(), note.as_deref()))
            }
            Command::Approve(id) => self.approve(step, by, id),
            Command::Reject(id, why) => self.send_back(step, by, id, why),
            Command::Skip(id) => self.skip(step, by, id),
            Command::Withdraw(id) => self.withdraw(step, by, id),
            Command::Undo(ids) => self.undo(step, by, ids),
            Command::Answer(id, text) => self.answer(step, by, id, text),
            Command::AnswerAsk { attempt, ask, reply } => self.answer_ask(step, by, (*attempt, ask), reply),
            Command::Kill(id) => self.kill(step, by, *id),
            Command::Interrupt(id) => self.interrupt(step, by, id),
            Command::SetMode(id, mode) => self.set_mode(step, by, id, *mode),
            Command::Clear => Ok(self.clear(step, by)),
            Command::Pause => Ok(self.pause_work(step, by)),
            Command::Resume => self.resume_work(step, by),
        }
    }

    /// Carries out commands in their order; a refusal of one leaves the board as it was before the first.
    fn execute_all(&mut self, step: &mut Transition, by: &str, commands: &[Command]) -> CommandReply {
        let (before, effects) = (self.clone(), step.effects.len());
        for command in commands {
            let reply = match command {
                Command::Clear | Command::All(_) => {
                    Err(refusal("it is no part of another command: send it alone"))
                }
                command => self.execute(step, by, command),
            };
            if let Err(refused) = reply {
                *self = before;
                step.effects.truncate(effects);
                return Err(refused);
            }
        }
        Ok(accepted(format!("did {}", pluralized(commands.len(), "command"))))
    }

    /// Returns the task of that name, or the refusal.
    pub(super) fn require_task(&self, id: &TaskId) -> Result<Arc<Task>, Refusal> {
        self.task(id).ok_or_else(|| {
            refusal(format!(
                "there is no task {id}: `dbs task list` shows those there are"
            ))
        })
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
