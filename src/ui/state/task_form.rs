//! The form for a new task. Data, and the values its fields can take.

use crate::domain::WorkflowId;
use crate::domain::task::TaskKind;
use crate::read_model::ReadModel;
use crate::ui::line_editor::LineEditor;
use strum::VariantArray as _;

/// The form in which a person writes a new task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskForm {
    pub(crate) title: LineEditor,
    /// All text but the title; the editor writes more than one line.
    pub(crate) body: String,
    /// Tags, separated by commas or spaces.
    pub(crate) tags: LineEditor,
    /// Ids of tasks that must be done first, separated like tags.
    pub(crate) deps: LineEditor,
    /// Index of the kind among [`KINDS`].
    pub(crate) kind: usize,
    pub(crate) workflows: Vec<WorkflowId>,
    pub(crate) workflow: usize,
    /// 0 is most urgent, 4 least.
    pub(crate) priority: u8,
    pub(crate) after_create: AfterCreate,
    /// The field that receives keys.
    pub(crate) field: FormField,
}

/// A field of the form for a new task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum FormField {
    Title,
    Body,
    Tags,
    Dependencies,
    Kind,
    Workflow,
    Priority,
    AfterCreate,
}

/// Fate of a new task: it stays in the backlog or is released at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum AfterCreate {
    #[default]
    Backlog,
    Release,
}

/// All kinds, in the order of the form.
pub(crate) const KINDS: [(TaskKind, &str); 4] = [
    (TaskKind::Task, "task"),
    (TaskKind::Bug, "bug"),
    (TaskKind::Feature, "feature"),
    (TaskKind::Chore, "chore"),
];

impl FormField {
    /// Returns the field `by` places further on, going round.
    pub(crate) fn by(self, by: isize) -> FormField {
        let count = FormField::VARIANTS.len();
        let at = FormField::VARIANTS
            .iter()
            .position(|field| *field == self)
            .unwrap_or(0);
        let next = (at + count).saturating_add_signed(by) % count;
        FormField::VARIANTS.get(next).copied().unwrap_or(self)
    }

    /// Returns the name of the field.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FormField::Title => "title",
            FormField::Body => "body",
            FormField::Tags => "tags",
            FormField::Dependencies => "needs",
            FormField::Kind => "kind",
            FormField::Workflow => "workflow",
            FormField::Priority => "priority",
            FormField::AfterCreate => "then",
        }
    }
}

impl TaskForm {
    /// Creates an empty form.
    pub(crate) fn new(workflows: Vec<WorkflowId>) -> TaskForm {
        let kanban = workflows.iter().position(|id| id.as_str() == "kanban");
        TaskForm {
            title: LineEditor::default(),
            body: String::new(),
            tags: LineEditor::default(),
            deps: LineEditor::default(),
            kind: 0,
            workflow: kanban.unwrap_or(0),
            workflows,
            priority: 2,
            after_create: AfterCreate::default(),
            field: FormField::Title,
        }
    }

    /// Returns the words written in a field of several words.
    pub(crate) fn words(line: &LineEditor) -> impl Iterator<Item = &str> {
        line.text()
            .split([',', ' '])
            .map(str::trim)
            .filter(|word| !word.is_empty())
    }

    /// Returns the words that may be written in the field with the keys, each with a description: tags that tasks or workflows know, tasks
    /// that are not over.
    pub(crate) fn offered<'a>(&self, model: &'a ReadModel) -> Vec<(&'a str, &'a str)> {
        match self.field {
            FormField::Tags => matches(&self.tags, model.tags().into_iter().map(|tag| (tag, ""))),
            FormField::Dependencies => {
                let tasks = model.tasks.values().filter(|task| !task.state.is_terminal());
                matches(
                    &self.deps,
                    tasks.map(|task| (task.id.as_str(), task.title.as_str())),
                )
            }
            _ => Vec::new(),
        }
    }

    /// Completes the word that is being written.
    pub(crate) fn complete(line: &mut LineEditor, word: &str) {
        let (head, _) = parts(line.text());
        *line = LineEditor::with_text(format!("{head}{word} "));
    }

    /// Selects the next (or previous) value of the field; text fields have none.
    pub(crate) fn turn(&mut self, by: isize) {
        let round = |at: usize, count: usize| (at + count).saturating_add_signed(by) % count.max(1);
        match self.field {
            FormField::Title | FormField::Body | FormField::Tags | FormField::Dependencies => {}
            FormField::Kind => self.kind = round(self.kind, KINDS.len()),
            FormField::Workflow => self.workflow = round(self.workflow, self.workflows.len()),
            FormField::Priority => {
                let at = round(usize::from(self.priority), 5);
                self.priority = u8::try_from(at).unwrap_or(2);
            }
            FormField::AfterCreate => {
                self.after_create = match self.after_create {
                    AfterCreate::Backlog => AfterCreate::Release,
                    AfterCreate::Release => AfterCreate::Backlog,
                }
            }
        }
    }

    /// Returns the text of a field.
    pub(crate) fn value(&self, field: FormField) -> String {
        match field {
            FormField::Title => self.title.text().to_owned(),
            FormField::Body => self.body.clone(),
            FormField::Tags => self.tags.text().to_owned(),
            FormField::Dependencies => self.deps.text().to_owned(),
            FormField::Kind => KINDS.get(self.kind).map_or("task", |(_, name)| name).to_owned(),
            FormField::Workflow => self
                .workflows
                .get(self.workflow)
                .map_or_else(|| "kanban".to_owned(), ToString::to_string),
            FormField::Priority => match self.priority {
                0 => "0, most urgent".to_owned(),
                4 => "4, least urgent".to_owned(),
                other => other.to_string(),
            },
            FormField::AfterCreate => match self.after_create {
                AfterCreate::Backlog => "stays in the backlog".to_owned(),
                AfterCreate::Release => "is released at once".to_owned(),
            },
        }
    }
}

/// Returns the completions of the word that is being written: those of `known` that begin with it first, then those that contain it.
fn matches<'a>(
    line: &LineEditor,
    known: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(&'a str, &'a str)> {
    let (head, last) = parts(line.text());
    let chosen: Vec<&str> = head.split([',', ' ']).collect();
    let wanted = last.to_lowercase();
    let mut found: Vec<(usize, (&str, &str))> = known
        .filter(|(word, _)| !chosen.contains(word) && *word != last)
        .filter_map(|(word, about)| {
            let place = word.to_lowercase().find(&wanted);
            let place = place.or_else(|| about.to_lowercase().find(&wanted).map(|_| usize::MAX))?;
            Some((place, (word, about)))
        })
        .collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, word)| word).collect()
}

/// Splits a text of several words into the part before the last word, and that word.
fn parts(text: &str) -> (&str, &str) {
    text.rfind([',', ' '])
        .map_or(("", text), |at| text.split_at(at + 1))
}
