//! Commands about agents at work: answer one, stop one, pause and resume all of them (K73, K74).

use super::Board;
use super::asking::{Answer, accepted, must_say, refusal};
use super::step::Step;
use crate::domain::attempt::{AttemptState, StopCause, Worker};
use crate::domain::counted;
use crate::domain::effect::{Accepted, Effect, Level};
use crate::domain::id::{AttemptId, TaskId};
use crate::domain::run::Pause;

impl Board {
    pub(super) fn answer(&mut self, step: &mut Step, by: &str, id: &TaskId, text: &str) -> Answer {
        let task = self.known(id)?;
        let text = must_say("the answer", text)?;
        let attempt = task.open_attempt.and_then(|attempt| self.attempt(attempt));
        let Some(attempt) = attempt.filter(|attempt| {
            attempt.state == AttemptState::Running && matches!(attempt.worker, Worker::Agent { .. })
        }) else {
            return Err(refusal(format!(
                "no agent works on {id} now: leave a comment, the next one reads it"
            )));
        };
        self.comment(step.now, id, by, format!("answered: {text}"));
        self.tell(step, attempt.id, text);
        Ok(accepted(format!("told {}", attempt.worker.name())))
    }

    pub(super) fn kill(&mut self, step: &mut Step, by: &str, id: AttemptId) -> Answer {
        let Some(attempt) = self.attempt(id) else {
            return Err(refusal(format!(
                "there is no attempt {id}: `dbs status` lists those at work"
            )));
        };
        let name = attempt.worker.name();
        if matches!(attempt.worker, Worker::Engine(_)) {
            return Err(refusal(format!(
                "attempt {id} is the engine's own and ends by itself: park {} to keep it from going on",
                attempt.task
            )));
        }
        match attempt.state {
            AttemptState::Starting | AttemptState::Running => {
                self.stop(step, id, StopCause::Killed);
                step.report(
                    Level::Info,
                    "kill",
                    &attempt,
                    format!("{by} stops {name} on {}", attempt.task),
                );
                Ok(accepted(format!("{name} is being stopped")))
            }
            AttemptState::Stopping(cause) => {
                step.wish(Effect::Stop(id, cause));
                Ok(accepted(format!(
                    "{name} is being stopped already; asked once more"
                )))
            }
            AttemptState::Verifying | AttemptState::Settled(_) => Err(refusal(format!(
                "{name} has ended already: there is nothing left to stop"
            ))),
        }
    }

    /// Starts nothing new and stops agents. Engine actions and verifications, which are short, run to their end.
    pub(super) fn pause_work(&mut self, step: &mut Step, by: &str) -> Accepted {
        if matches!(self.pause, Some(Pause::Operator { .. })) {
            return accepted("work is paused already");
        }
        self.pause = Some(Pause::Operator {
            by: by.to_owned(),
            at: step.now,
        });
        let agents: Vec<AttemptId> = self
            .attempts
            .values()
            .filter(|attempt| {
                let lives = matches!(attempt.state, AttemptState::Starting | AttemptState::Running);
                lives && matches!(attempt.worker, Worker::Agent { .. })
            })
            .map(|attempt| attempt.id)
            .collect();
        let stopped = counted(agents.len(), "agent");
        for id in agents {
            self.stop(step, id, StopCause::Paused);
        }
        step.announce(
            Level::Info,
            "pause",
            format!("{by} paused work; {stopped} to be stopped"),
        );
        accepted(format!("paused; {stopped} to be stopped"))
    }

    pub(super) fn resume_work(&mut self, step: &mut Step, by: &str) -> Answer {
        if self.pause.take().is_none() {
            return Err(refusal(
                "work is not paused: `dbs why TASK` says what a task waits for",
            ));
        }
        step.announce(Level::Info, "resume", format!("{by} resumed work"));
        Ok(accepted("work goes on"))
    }
}
