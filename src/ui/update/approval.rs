//! Approvals: of one request, or of all that ask for the same. A yes to an agent is bound to its request: if it asks something else by now,
//! nothing is sent.

use super::affected::affected_lines;
use super::{UiRequest, UpdateContext};
use crate::domain::{Ask, AskKind, AskRecord, AskReply, Attempt, AttemptId, Command, Span, TaskId};
use crate::keymap::Action;
use crate::read_model::AttentionKind;
use crate::ui::line_editor::LineEditor;
use crate::ui::state::{ConfirmAction, Overlay, PromptKind, TextPrompt, named};
use crate::ui::target::ActionTarget;

/// Time before which a request cannot have been read: a yes was meant for the text there before.
const READ_IN: Span = Span(400);

/// Texts that are not the reason for a no.
const YES: [&str; 7] = ["y", "yes", "ok", "okay", "allow", "approve", "sure"];

impl UpdateContext<'_, '_> {
    /// Allows the request of the current agent; opens its terminal instead when the person cannot have read it yet.
    pub(super) fn allow_current(&mut self, attempt: &Attempt, record: &AskRecord) {
        if self.scene.now.since(record.since) >= READ_IN {
            self.allow(attempt.id, &record.ask);
            self.record_irreversible(format!("allowed {}: {}", attempt.task, record.ask.text));
            return;
        }
        let layout = self.arranged();
        self.visit_agent(attempt.id, &layout);
        self.warn(format!(
            "{} has only just asked for {}: nothing was sent; look, and say it again",
            attempt.task, record.ask.text
        ));
    }

    /// Asks for confirmation to choose the only yes of a dialog; names it, and the other choices.
    pub(super) fn ask_dialog_yes(&mut self, attempt: &Attempt, record: &AskRecord) {
        let ask = &record.ask;
        let Some(yes) = ask.only_yes() else { return };
        let label = ask.options.get(yes).cloned().unwrap_or_default();
        let (name, task) = (attempt.worker.name(), &attempt.task);
        let lines = vec![
            format!("{name} works on {task} and shows a dialog: {}", ask.text),
            format!("It offers: {}", ask.numbered_options()),
        ];
        let command = Command::AnswerAsk {
            attempt: attempt.id,
            ask: ask.id.clone(),
            reply: AskReply::Choose(yes),
        };
        let title = format!("chose {label} for {task}");
        let deed = ConfirmAction::Commands(title, vec![command]);
        self.confirm(format!("Choose \"{label}\"?"), lines, "choose it", deed);
    }

    /// Asks for the reason to deny the request of the current agent, or to decline its question, which is shown with it.
    pub(super) fn ask_deny(&mut self, target: &ActionTarget<'_>) {
        let (Some(task), Some((attempt, known))) = (target.task, target.takes_no(self.scene.now)) else {
            return;
        };
        let mut prompt = TextPrompt::new(PromptKind::Deny, LineEditor::default());
        prompt.tasks = vec![task.id.clone()];
        prompt.ask = Some((attempt.id, known.ask.id.clone()));
        let allow = self.state.keymap.hint(Action::Approve).unwrap_or_default();
        let way = match known.ask.kind {
            AskKind::Question => {
                "A text is the reason to decline it; Esc leaves the question open.".to_owned()
            }
            _ => format!("A text is the reason for a no; to allow it press Esc, then {allow}."),
        };
        prompt.lines = vec![format!("{} asks: {}", attempt.worker.name(), known.ask.text), way];
        self.state.overlay = Some(Overlay::Prompt(prompt));
    }

    /// Denies that very request; the board refuses it when it is no longer current.
    pub(super) fn deny(&mut self, prompt: TextPrompt, why: &str) {
        let done = prompt.done();
        if YES.contains(&why.to_lowercase().as_str()) {
            let allow = self.state.keymap.hint(Action::Approve).unwrap_or_default();
            return self.warn(format!(
                "`{why}` reads as a yes, and nothing was sent: {allow} allows it"
            ));
        }
        let Some((attempt, ask)) = prompt.ask else { return };
        let model = self.scene.model;
        let asks = model.attempts.get(&attempt);
        if !asks.is_some_and(|of| of.open_asks(self.scene.now).any(|known| known.ask.id == ask)) {
            self.warn("that is no longer asked: nothing was sent");
            return;
        }
        let reply = AskReply::Deny(why.to_owned());
        self.ask(UiRequest::Command(Command::AnswerAsk { attempt, ask, reply }));
        self.record_irreversible(done);
    }

    /// Allows that very request; the board refuses it when it is no longer current.
    fn allow(&mut self, attempt: AttemptId, ask: &Ask) {
        self.ask(UiRequest::Command(Command::AnswerAsk {
            attempt,
            ask: ask.id.clone(),
            reply: AskReply::Allow,
        }));
    }

    /// Allows those agents whose request is unchanged.
    pub(super) fn allow_all(&mut self, agents: &[(AttemptId, Ask)]) {
        let (model, now) = (self.scene.model, self.scene.now);
        let mut allowed = 0;
        for (id, ask) in agents {
            let attempt = model.attempts.get(id);
            if attempt.is_some_and(|attempt| attempt.open_asks(now).any(|known| known.ask.id == ask.id)) {
                self.allow(*id, ask);
                allowed += 1;
            } else {
                self.warn(format!(
                    "attempt {id} asks something else by now; nothing was sent"
                ));
            }
        }
        if allowed > 0 {
            self.record_irreversible(format!("allowed {allowed} agents"));
        }
    }

    /// Asks for confirmation to approve all that wait for the same yes; names every one.
    pub(super) fn ask_approve_all(&mut self, target: &ActionTarget<'_>) {
        let model = self.scene.model;
        let task = target.task.map(|task| &task.id);
        let item = model.attention.iter().find(|item| Some(&item.task) == task);
        let Some(item) = item else { return };
        let alike: Vec<_> = model.same_request(item).collect();
        let tasks = alike.iter().filter_map(|item| model.tasks.get(&item.task));
        let lines = affected_lines(tasks.map(AsRef::as_ref));
        let (question, yes, deed) = if item.kind == AttentionKind::Permission {
            let agents = alike
                .iter()
                .filter_map(|item| Some((item.attempt?, item.ask.clone()?)));
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
