//! Saying yes: to one, or to all that ask the same. A yes to an agent is bound to what it asked: if it asks something else by
//! now, nothing is typed (A5).

use serde::{Deserialize, Serialize};

use super::affected::affected_lines;
use super::{UiRequest, UpdateContext};
use crate::domain::{ActivityKind, Attempt, AttemptId, Command, Span, TaskId};
use crate::read_model::AttentionKind;
use crate::term::keys::{Key, KeyInput, Modifiers};
use crate::ui::scene::ScreenId;
use crate::ui::state::{ConfirmAction, named};
use crate::ui::target::ActionTarget;

/// A person's answer to an agent that asks for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionReply {
    Yes,
    No,
}

impl PermissionReply {
    /// The key that says so in the prompts of all agents we know: the first choice, and the way out.
    pub fn key(self) -> KeyInput {
        let key = match self {
            PermissionReply::Yes => Key::Char('1'),
            PermissionReply::No => Key::Escape,
        };
        KeyInput::new(key, Modifiers::empty())
    }
}

/// What is asked for a shorter time than this nobody has read: the yes was meant for what was there before (A5).
const READ_IN: Span = Span(400);

impl UpdateContext<'_, '_> {
    /// Types a yes into the prompt of the agent at hand; opens its terminal instead when the person cannot have read yet what it
    /// asks.
    pub(super) fn allow_current(&mut self, attempt: &Attempt, what: &str) {
        if self.scene.now.since(attempt.activity.since) >= READ_IN {
            if self.allow(attempt, what) {
                self.record_irreversible(format!("allowed {}: {what}", attempt.task));
            }
            return;
        }
        let arranged = self.arranged();
        self.visit_agent(attempt.id, &arranged);
        self.warn(format!(
            "{} has only just asked for {what}: nothing was typed; look, and say it again",
            attempt.task
        ));
    }

    /// Says yes to an agent that waits for it, if its terminal is here; whoever owns the terminals looks once more at what it asks.
    fn allow(&mut self, attempt: &Attempt, what: &str) -> bool {
        let is_here = self.scene.screens.has(ScreenId::Attempt(attempt.id));
        if is_here {
            self.ask(UiRequest::ReplyPermission(
                attempt.id,
                what.to_owned(),
                PermissionReply::Yes,
            ));
        } else {
            self.warn(format!(
                "approve: the terminal of {} is not here",
                attempt.worker.name()
            ));
        }
        is_here
    }

    /// Allows those that still ask what they asked.
    pub(super) fn allow_all(&mut self, agents: &[(AttemptId, String)]) {
        let model = self.scene.model;
        let mut allowed = 0;
        for (id, what) in agents {
            let attempt = model.attempts.get(id).filter(|attempt| attempt.state.is_open());
            match attempt {
                Some(attempt) if attempt.activity.doing == ActivityKind::Permission(what.clone()) => {
                    allowed += usize::from(self.allow(attempt, what));
                }
                _ => self.warn(format!(
                    "attempt {id} asks something else by now; nothing was typed"
                )),
            }
        }
        if allowed > 0 {
            self.record_irreversible(format!("allowed {allowed} agents"));
        }
    }

    /// Asks whether all that wait for the same yes get it; names every one.
    pub(super) fn ask_approve_all(&mut self, about: &ActionTarget<'_>) {
        let model = self.scene.model;
        let task = about.task.map(|task| &task.id);
        let item = model.attention.iter().find(|item| Some(&item.task) == task);
        let Some(item) = item else { return };
        let alike: Vec<_> = model.same_request(item).collect();
        let tasks = alike.iter().filter_map(|item| model.tasks.get(&item.task));
        let lines = affected_lines(tasks.map(AsRef::as_ref));
        let (question, yes, deed) = if item.kind == AttentionKind::Permission {
            let agents = alike
                .iter()
                .filter_map(|item| Some((item.attempt?, item.text.clone())));
            let question = format!("Allow {} agents: {}?", alike.len(), item.text);
            (question, "allow", ConfirmAction::Allow(agents.collect()))
        } else {
            let tasks: Vec<TaskId> = alike.iter().map(|item| item.task.clone()).collect();
            let title = format!("approved {}", named(&tasks));
            let question = format!("Approve {} tasks?", tasks.len());
            let commands = tasks.into_iter().map(Command::Approve).collect();
            (question, "approve", ConfirmAction::Commands(title, commands))
        };
        self.confirm(question, lines, yes, deed);
    }
}
