//! The form for a new task, prompts for plans, and texts that are written in a person's editor.

use std::collections::BTreeSet;

use crate::term::keys::Key;

use super::{UiRequest, UpdateContext};
use crate::domain::command::TaskPatch;
use crate::domain::{Command, Span, Task, TaskId, WorkflowId};
use crate::keymap::Chord;
use crate::ui::line_editor::LineEditor;
use crate::ui::state::{
    AfterCreate, EditorPurpose, FormField, KINDS, KeyFocus, Overlay, PromptKind, TaskForm, TextPrompt,
};
use crate::ui::target::ActionTarget;
use crate::ui::update::NewTask;

/// Time after the form has closed in which keys are dropped.
const FORM_GUARD: Span = Span(300);
/// Plan that is offered, as `dbs run` takes it if none is named.
const USUAL_PLAN: &str = ".design/plan.json";

impl UpdateContext<'_, '_> {
    pub(super) fn new_task(&mut self) {
        let workflows = self.scene.model.workflows.keys().cloned().collect();
        self.state.overlay = Some(Overlay::Form(Box::new(TaskForm::new(workflows))));
    }

    /// Opens the same form for work that a conductor is to plan: it goes to one at once, which is shown when it has a terminal.
    pub(super) fn conduct(&mut self) {
        let workflow = WorkflowId::from(WorkflowId::CONDUCT);
        let mut form = TaskForm::new(vec![workflow]);
        form.after_create = AfterCreate::Release;
        self.state.overlay = Some(Overlay::Form(Box::new(form)));
    }

    /// Asks for the plan that is carried out.
    pub(super) fn ask_plan(&mut self) {
        let usual = LineEditor::with_text(USUAL_PLAN.to_owned());
        self.state.overlay = Some(Overlay::Prompt(TextPrompt::new(PromptKind::RunPlan, usual)));
    }

    /// Asks for the goal that a plan is made for.
    pub(super) fn ask_goal(&mut self) {
        let none = LineEditor::with_text(String::new());
        self.state.overlay = Some(Overlay::Prompt(TextPrompt::new(PromptKind::Design, none)));
    }

    pub(super) fn form_key(&mut self, mut form: Box<TaskForm>, chord: Chord) -> Option<Overlay> {
        match chord.code() {
            _ if chord.cancels() => return self.close_form(),
            _ if chord.is_control('s') => return self.send_form(form),
            Key::Enter if form.field == FormField::Body => form.body.push('\n'),
            Key::Enter => return self.send_form(form),
            _ if chord.is_control('e') => {
                self.ask(UiRequest::OpenEditor(form.body.clone()));
                self.state.editing = Some(EditorPurpose::Form);
            }
            Key::Tab | Key::Down => {
                let back = chord.to_string().starts_with("S-");
                form.field = form.field.by(if back { -1 } else { 1 });
            }
            Key::Up => form.field = form.field.by(-1),
            Key::Right if self.complete(&mut form) => {}
            _ => edit_field(&mut form, chord),
        }
        Some(Overlay::Form(form))
    }

    /// Takes the first word that the field offers for the one being written, with the caret behind it.
    fn complete(&self, form: &mut TaskForm) -> bool {
        let model = self.scene.model;
        let line = match form.field {
            FormField::Tags => &form.tags,
            FormField::Dependencies => &form.deps,
            _ => return false,
        };
        if line.before_caret() != line.text() {
            return false;
        }
        let Some(word) = form.offered(model).first().map(|(word, _)| (*word).to_owned()) else {
            return false;
        };
        let line = if form.field == FormField::Tags {
            &mut form.tags
        } else {
            &mut form.deps
        };
        TaskForm::complete(line, &word);
        true
    }

    fn send_form(&mut self, mut form: Box<TaskForm>) -> Option<Overlay> {
        let title = form.title.text().trim().to_owned();
        if title.is_empty() {
            self.warn("a task needs a title; Esc cancels");
            return Some(Overlay::Form(form));
        }
        let deps: BTreeSet<TaskId> = TaskForm::words(&form.deps).map(TaskId::from).collect();
        if let Some(unknown) = deps.iter().find(|id| !self.scene.model.tasks.contains_key(*id)) {
            self.warn(format!(
                "there is no task {unknown}; Right takes the first one that is offered"
            ));
            form.field = FormField::Dependencies;
            return Some(Overlay::Form(form));
        }
        let workflow = form.workflows.into_iter().nth(form.workflow);
        if workflow.as_ref().is_some_and(WorkflowId::is_conduct) {
            // A person who wants to plan looks at the conductor, as soon as it is at work.
            (self.state.selected, self.state.watched) = (None, None);
        }
        self.record_irreversible(format!("created {title}"));
        self.ask(UiRequest::NewTask(Box::new(NewTask {
            title,
            body: form.body,
            tags: TaskForm::words(&form.tags).map(str::to_owned).collect(),
            deps,
            kind: KINDS.get(form.kind).map(|(kind, _)| *kind).unwrap_or_default(),
            workflow,
            priority: form.priority,
            release: form.after_create == AfterCreate::Release,
        })));
        self.close_form()
    }

    /// Closes the form. Keys that follow at once were meant for the form and are dropped.
    fn close_form(&mut self) -> Option<Overlay> {
        self.state.key_focus = KeyFocus::DropUntil(self.scene.now + FORM_GUARD);
        None
    }

    /// Opens a task's title and body in the person's editor.
    pub(super) fn edit_task(&mut self, target: &ActionTarget<'_>) {
        let Some(task) = target.task else { return };
        let text = format!("{}\n\n{}\n", task.title, task.body.trim_end());
        self.state.editing = Some(EditorPurpose::Task(task.id.clone()));
        self.ask(UiRequest::OpenEditor(text));
    }

    /// Takes the text of the closed editor for the purpose it was opened for; does nothing if it failed.
    pub(super) fn edited(&mut self, text: Option<String>) {
        let editing = self.state.editing.take();
        match (editing, text) {
            (None | Some(EditorPurpose::Text), Some(_)) | (None, None) => {}
            (Some(EditorPurpose::Text), None) => self.warn("the editor ended with a failure"),
            (Some(_), None) => self.warn("the editor ended with a failure; nothing was changed"),
            (Some(EditorPurpose::Form), Some(text)) => {
                if let Some(Overlay::Form(form)) = &mut self.state.overlay {
                    text.trim_end().clone_into(&mut form.body);
                }
            }
            (Some(EditorPurpose::Task(id)), Some(text)) => {
                let Some(task) = self.scene.model.tasks.get(&id) else {
                    return self.warn(format!("{id} is gone; nothing was changed"));
                };
                let patch = changed(task, &text);
                if patch == TaskPatch::default() {
                    return self.warn(format!("nothing was changed on {id}"));
                }
                self.command(format!("edited {id}"), Command::Update(id, patch));
            }
        }
    }
}

fn edit_field(form: &mut TaskForm, chord: Chord) {
    match form.field {
        FormField::Title => {
            form.title.key(chord);
        }
        FormField::Tags => {
            form.tags.key(chord);
        }
        FormField::Dependencies => {
            form.deps.key(chord);
        }
        FormField::Body => {
            // The last line is written here; the editor writes all of them.
            let (head, last) = match form.body.rsplit_once('\n') {
                Some((head, last)) => (format!("{head}\n"), last.to_owned()),
                None => (String::new(), form.body.clone()),
            };
            if last.is_empty() && chord.code() == Key::Backspace {
                form.body.pop();
                return;
            }
            let mut line = LineEditor::with_text(last);
            line.key(chord);
            form.body = format!("{head}{}", line.text());
        }
        FormField::Kind | FormField::Workflow | FormField::Priority | FormField::AfterCreate => {
            match chord.code() {
                Key::Left | Key::Char('h' | '-') => form.turn(-1),
                Key::Right | Key::Char('l' | ' ' | '+') => form.turn(1),
                _ => {}
            }
        }
    }
}

/// Returns the changes of an edited text: its first line is the title, the rest the body.
fn changed(task: &Task, text: &str) -> TaskPatch {
    let (title, body) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    let (title, body) = (title.trim(), body.trim());
    TaskPatch {
        title: (!title.is_empty() && title != task.title).then(|| title.to_owned()),
        body: (body != task.body.trim()).then(|| body.to_owned()),
        ..TaskPatch::default()
    }
}
