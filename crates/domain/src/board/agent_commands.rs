//! Commands about agents at work: answer one, stop one, pause and resume all of them (K73, K74).

use std::sync::Arc;

use super::Board;
use super::commands::{accepted, refusal, refuse};
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, StopCause, Worker};
use crate::batch::PauseReason;
use crate::effect::{Accepted, CommandReply, Effect, NoticeLevel};
use crate::id::{AttemptId, TaskId};
use crate::pluralized;
use crate::task::Task;

impl Board {
    /// Ends the turn of the agent that works on a task. The agent's tool withdraws its open asks.
    pub(super) fn interrupt(&mut self, transition: &mut Transition, by: &str, id: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        let Some(attempt) = self.agent_at_work(&task) else {
            refuse!("no agent works on {id} now: there is no turn to end");
        };
        let name = attempt.worker.name();
        transition.emit(Effect::Interrupt(attempt.id));
        let text = format!("{by} pressed Esc in the terminal of {name}");
        transition.notify_attempt(NoticeLevel::Info, "interrupt", &attempt, text);
        Ok(accepted(format!(
            "pressed Esc in the terminal of {name}: its session stays, `dbs answer {id} TEXT` begins the next turn"
        )))
    }

    /// Returns the agent whose process runs for the task.
    pub(super) fn agent_at_work(&self, task: &Task) -> Option<Arc<Attempt>> {
        let attempt = task.open_attempt.and_then(|attempt| self.attempt(attempt));
        attempt.filter(|attempt| {
            attempt.state == AttemptState::Running && matches!(attempt.worker, Worker::Agent { .. })
        })
    }

    pub(super) fn kill(&mut self, transition: &mut Transition, by: &str, id: AttemptId) -> CommandReply {
        let Some(attempt) = self.attempt(id) else {
            refuse!("there is no attempt {id}: `dbs status` lists those at work");
        };
        let name = attempt.worker.name();
        if matches!(attempt.worker, Worker::Engine(_)) {
            refuse!(
                "attempt {id} is the engine's own and ends by itself: park {} to keep it from going on",
                attempt.task
            );
        }
        match attempt.state {
            AttemptState::Starting | AttemptState::Running => {
                self.stop(transition, id, StopCause::Killed);
                let text = format!("{by} stopped {name}; {} stays in {}", attempt.task, attempt.stage);
                transition.notify_attempt(NoticeLevel::Info, "kill", &attempt, text);
                Ok(accepted(format!("stopping {name}")))
            }
            AttemptState::Stopping(cause) => {
                transition.emit(Effect::Stop(id, cause));
                Ok(accepted(format!("still stopping {name}")))
            }
            AttemptState::Verifying | AttemptState::Settled(_) => Err(refusal(format!(
                "{name} has ended already: there is nothing left to stop"
            ))),
        }
    }

    /// Starts nothing new and stops agents. Engine actions and verifications, which are short, run to their end.
    pub(super) fn pause_work(&mut self, transition: &mut Transition, by: &str) -> Accepted {
        if matches!(self.pause, Some(PauseReason::Operator { .. })) {
            return accepted("work is paused already");
        }
        self.pause = Some(PauseReason::Operator {
            by: by.to_owned(),
            at: transition.now,
        });
        let agents: Vec<AttemptId> = self
            .attempts
            .values()
            .filter(|attempt| attempt.is_agent_at_work())
            .map(|attempt| attempt.id)
            .collect();
        let stopped = pluralized(agents.len(), "agent");
        for id in agents {
            self.stop(transition, id, StopCause::Paused);
        }
        transition.notify(
            NoticeLevel::Info,
            "pause",
            format!("{by} paused work, stopping {stopped}"),
        );
        accepted(format!("paused, stopping {stopped}"))
    }

    pub(super) fn resume_work(&mut self, transition: &mut Transition, by: &str) -> CommandReply {
        let limits: Vec<String> = self.limits.keys().cloned().collect();
        if self.pause.take().is_none() {
            if limits.is_empty() {
                refuse!("work is not paused: `dbs why TASK` says what a task waits for");
            }
            self.limits.clear();
            let text = format!("{by} ended the wait for the usage limit of {}", limits.join(", "));
            transition.notify(NoticeLevel::Info, "resume", text);
            return Ok(accepted(format!("resumed {}", limits.join(", "))));
        }
        transition.notify(NoticeLevel::Info, "resume", format!("{by} resumed work"));
        Ok(accepted(if limits.is_empty() {
            "resumed".to_owned()
        } else {
            format!(
                "resumed; usage limits remain for {}: `dbs resume` again ends them",
                limits.join(", ")
            )
        }))
    }
}
