//! The form for a new task, and texts that are written in a person's editor.

use crossterm::event::KeyCode;

use super::{Request, Turn};
use crate::domain::command::Patch;
use crate::domain::{Command, Task};
use crate::ui::chord::Chord;
use crate::ui::line::Line;
use crate::ui::state::{Editing, Field, Form, KINDS, Overlay, Then};
use crate::ui::update::NewTask;

impl Turn<'_, '_> {
    pub(super) fn new_task(&mut self) {
        let workflows = self.scene.model.workflows.keys().cloned().collect();
        self.state.overlay = Some(Overlay::Form(Box::new(Form::new(workflows))));
    }

    pub(super) fn form_key(&mut self, mut form: Box<Form>, chord: Chord) -> Option<Overlay> {
        match chord.code() {
            KeyCode::Esc => return None,
            _ if chord.is_control('c') || chord.is_control('g') => return None,
            KeyCode::Enter => return self.send_form(form),
            _ if chord.is_control('e') => {
                self.ask(Request::Edit(form.body.clone()));
                self.state.editing = Some(Editing::Form);
            }
            KeyCode::Tab | KeyCode::Down => {
                let back = chord.to_string().starts_with("S-");
                form.field = form.field.by(if back { -1 } else { 1 });
            }
            KeyCode::Up => form.field = form.field.by(-1),
            _ => edit_field(&mut form, chord),
        }
        Some(Overlay::Form(form))
    }

    fn send_form(&mut self, form: Box<Form>) -> Option<Overlay> {
        let title = form.title.text().trim().to_owned();
        if title.is_empty() {
            self.warn("a task needs a title; Esc cancels");
            return Some(Overlay::Form(form));
        }
        self.final_act(format!("planned {title}"));
        self.ask(Request::NewTask(Box::new(NewTask {
            title,
            body: form.body,
            kind: KINDS.get(form.kind).map(|(kind, _)| *kind).unwrap_or_default(),
            workflow: form.workflows.into_iter().nth(form.workflow),
            priority: form.priority,
            release: form.then == Then::Release,
        })));
        None
    }

    /// Opens a task's title and body in the person's editor.
    pub(super) fn edit_task(&mut self, task: &Task) {
        let text = format!("{}\n\n{}\n", task.title, task.body.trim_end());
        self.state.editing = Some(Editing::Task(task.id.clone()));
        self.ask(Request::Edit(text));
    }

    /// The editor was closed: what it was opened for gets the text; nothing when it failed.
    pub(super) fn edited(&mut self, text: Option<String>) {
        let editing = self.state.editing.take();
        match (editing, text) {
            (None | Some(Editing::Text), Some(_)) | (None, None) => {}
            (Some(Editing::Text), None) => self.warn("the editor ended with a failure"),
            (Some(_), None) => self.warn("the editor ended with a failure; nothing was changed"),
            (Some(Editing::Form), Some(text)) => {
                if let Some(Overlay::Form(form)) = &mut self.state.overlay {
                    text.trim_end().clone_into(&mut form.body);
                }
            }
            (Some(Editing::Task(id)), Some(text)) => {
                let Some(task) = self.scene.model.tasks.get(&id) else {
                    return self.warn(format!("{id} is gone; nothing was changed"));
                };
                let patch = changed(task, &text);
                if patch == Patch::default() {
                    return self.warn(format!("nothing was changed on {id}"));
                }
                self.command(format!("edited {id}"), Command::Update(id, patch));
            }
        }
    }
}

fn edit_field(form: &mut Form, chord: Chord) {
    match form.field {
        Field::Title => {
            form.title.key(chord);
        }
        Field::Body => {
            // The last line is written here; the editor writes all of them.
            let (head, last) = match form.body.rsplit_once('\n') {
                Some((head, last)) => (format!("{head}\n"), last.to_owned()),
                None => (String::new(), form.body.clone()),
            };
            let mut line = Line::of(last);
            line.key(chord);
            form.body = format!("{head}{}", line.text());
        }
        Field::Kind | Field::Workflow | Field::Priority | Field::Then => match chord.code() {
            KeyCode::Left | KeyCode::Char('h' | '-') => form.turn(-1),
            KeyCode::Right | KeyCode::Char('l' | ' ' | '+') => form.turn(1),
            _ => {}
        },
    }
}

/// What an edited text changes: its first line is the title, the rest the body.
fn changed(task: &Task, text: &str) -> Patch {
    let (title, body) = text.trim_start().split_once('\n').unwrap_or((text.trim(), ""));
    let (title, body) = (title.trim(), body.trim());
    Patch {
        title: (!title.is_empty() && title != task.title).then(|| title.to_owned()),
        body: (body != task.body.trim()).then(|| body.to_owned()),
        ..Patch::default()
    }
}
