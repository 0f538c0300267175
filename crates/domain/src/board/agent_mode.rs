//! Agents with and without their tool's interface: a person can choose between them for a task. An agent at work is stopped for it and
//! continues its session in its workspace; the stop counts neither as a failed try nor as a crash.

use super::Board;
use super::commands::{accepted, refusal, refuse};
use super::process_end::deciding_signal;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::agent_choice::AgentSettings;
use crate::attempt::{Attempt, StopCause};
use crate::command::Refusal;
use crate::effect::{CommandReply, NoticeLevel};
use crate::id::{RoleId, TaskId};
use crate::session::AgentDisplay;
use crate::task::Task;
use crate::workflow::Actor;

impl Board {
    /// Stores the display of the agents' terminals with the task, and lets an agent at work continue with it.
    pub(super) fn set_mode(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        wanted: Option<AgentDisplay>,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        if task.state.is_terminal() {
            refuse!("{id} is {}: no agent will work on it", task.state.word());
        }
        let attempt = task.open_attempt.and_then(|open| self.attempt(open));
        let attempt = attempt.filter(|attempt| attempt.worker.role().is_some());
        let role = self.role_of_mode(&task, attempt.as_deref())?;
        let layers = &self.settings.agents;
        let of_task = AgentSettings {
            display: None,
            ..task.agent.clone()
        };
        let usual = layers.choose(&role, &task.stage, &of_task);
        let usual = usual.display().unwrap_or_default();
        let of_attempt = attempt.as_ref().and_then(|attempt| attempt.choice.display());
        let now = attempt
            .as_ref()
            .map_or(task.agent.display, |_| of_attempt)
            .unwrap_or(usual);
        let wanted = wanted.unwrap_or_else(|| now.other());
        let is_known = now == wanted && task.agent.display.unwrap_or(usual) == wanted;
        if !is_known {
            self.check_mode(&task, &role, attempt.as_deref())?;
        }
        self.edit(id, |task| task.agent.display = Some(wanted));
        let words = wanted.words();
        let Some(attempt) = attempt.filter(|_| now != wanted) else {
            return Ok(accepted(format!("agents of {id} work {words}")));
        };
        self.stop(transition, attempt.id, StopCause::Mode);
        let name = attempt.worker.name();
        let text = format!("{by} let {name} continue {words}");
        self.comment(transition.now, id, by, format!("{name} is to continue {words}"));
        transition.notify_attempt(NoticeLevel::Info, "mode", &attempt, text);
        Ok(accepted(format!("{name} continues {words}, with its session")))
    }

    /// Returns the role whose agent is concerned: the agent at work, or that of the task's stage.
    fn role_of_mode(&self, task: &Task, attempt: Option<&Attempt>) -> Result<RoleId, Refusal> {
        let at_work = attempt.and_then(|attempt| attempt.worker.role());
        let of_stage = || match &self.stage_of(task)?.actor {
            Actor::Role(role) => Some(role),
            Actor::Engine(_) | Actor::Human => None,
        };
        let role = at_work.or_else(of_stage).cloned();
        role.ok_or_else(|| {
            refusal(format!(
                "no agent works on {} in {}: say it once one does",
                task.id, task.stage
            ))
        })
    }

    /// Refuses a mode that the tool of a role does not have, and an agent that has ended already.
    fn check_mode(&self, task: &Task, role: &RoleId, attempt: Option<&Attempt>) -> Result<(), Refusal> {
        let layers = &self.settings.agents;
        let next = layers.choose(role, &task.stage, &task.agent);
        let of_attempt = attempt.and_then(|attempt| attempt.choice.agent());
        let agent = of_attempt.or(next.agent());
        if !agent.is_some_and(|agent| layers.both_ways.contains(agent)) {
            refuse!(
                "the tool of a {role} works in one way only: claude and codex work with and without their interface \
                 (`dbs config roles.{role}.agent`)"
            );
        }
        let Some(attempt) = attempt else { return Ok(()) };
        let name = attempt.worker.name();
        if !self.settings.resume.allows(role) {
            refuse!(
                "{name} cannot continue its session: set `dbs config roles.{role}.resume true`, or stop it with `dbs kill-agent`"
            );
        }
        if !attempt.state.is_at_work() || deciding_signal(attempt).is_some() {
            refuse!(
                "{name} is about to end: `dbs why {}` says what comes next",
                attempt.task
            );
        }
        Ok(())
    }

    /// Settles an attempt whose process has ended so that its agent can continue in another mode.
    pub(super) fn mode_left(&mut self, transition: &mut Transition, attempt: &Attempt) {
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.keep_session(attempt);
        self.settle_stopped(transition, attempt.id, StopCause::Mode);
        let text = format!(
            "{} stopped to switch its mode; {} stays in {}",
            attempt.worker.name(),
            attempt.task,
            attempt.stage
        );
        self.comment(transition.now, &attempt.task, ENGINE, text);
    }
}
