//! The form for a new task. Data, and the values its fields can take.

use crate::domain::WorkflowId;
use crate::domain::task::TaskKind;
use crate::ui::line::Line;

/// A task that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Form {
    /// One line.
    pub(crate) title: Line,
    /// Everything else; the editor writes more than one line.
    pub(crate) body: String,
    /// Which kind, by its number among [`KINDS`].
    pub(crate) kind: usize,
    /// The workflows there are, and which.
    pub(crate) workflows: Vec<WorkflowId>,
    /// Which of them.
    pub(crate) workflow: usize,
    /// 0 is most urgent, 4 least.
    pub(crate) priority: u8,
    /// What becomes of it.
    pub(crate) then: Then,
    /// The field keys go to.
    pub(crate) field: Field,
}

/// A field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Title,
    Body,
    Kind,
    Workflow,
    Priority,
    Then,
}

/// What becomes of a task that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Then {
    /// It stays in the backlog.
    #[default]
    Backlog,
    /// It is released at once.
    Release,
}

/// All kinds, in the order of the form.
pub(crate) const KINDS: [(TaskKind, &str); 4] = [
    (TaskKind::Task, "task"),
    (TaskKind::Bug, "bug"),
    (TaskKind::Feature, "feature"),
    (TaskKind::Chore, "chore"),
];

impl Field {
    /// All, from above.
    pub(crate) const ALL: [Field; 6] = [
        Field::Title,
        Field::Body,
        Field::Kind,
        Field::Workflow,
        Field::Priority,
        Field::Then,
    ];

    /// The field so many further on, going round.
    pub(crate) fn by(self, by: isize) -> Field {
        let count = Field::ALL.len();
        let at = Field::ALL.iter().position(|field| *field == self).unwrap_or(0);
        let next = (at + count).saturating_add_signed(by) % count;
        Field::ALL.get(next).copied().unwrap_or(self)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Field::Title => "title",
            Field::Body => "body",
            Field::Kind => "kind",
            Field::Workflow => "workflow",
            Field::Priority => "priority",
            Field::Then => "then",
        }
    }
}

impl Form {
    /// An empty form.
    pub(crate) fn new(workflows: Vec<WorkflowId>) -> Form {
        let kanban = workflows.iter().position(|id| id.as_str() == "kanban");
        Form {
            title: Line::default(),
            body: String::new(),
            kind: 0,
            workflow: kanban.unwrap_or(0),
            workflows,
            priority: 2,
            then: Then::default(),
            field: Field::Title,
        }
    }

    /// The next (or previous) value of the field; text fields have none.
    pub(crate) fn turn(&mut self, by: isize) {
        let round = |at: usize, count: usize| (at + count).saturating_add_signed(by) % count.max(1);
        match self.field {
            Field::Title | Field::Body => {}
            Field::Kind => self.kind = round(self.kind, KINDS.len()),
            Field::Workflow => self.workflow = round(self.workflow, self.workflows.len()),
            Field::Priority => {
                let at = round(usize::from(self.priority), 5);
                self.priority = u8::try_from(at).unwrap_or(2);
            }
            Field::Then => {
                self.then = match self.then {
                    Then::Backlog => Then::Release,
                    Then::Release => Then::Backlog,
                }
            }
        }
    }

    /// What a field says.
    pub(crate) fn value(&self, field: Field) -> String {
        match field {
            Field::Title => self.title.text().to_owned(),
            Field::Body => self.body.clone(),
            Field::Kind => KINDS.get(self.kind).map_or("task", |(_, name)| name).to_owned(),
            Field::Workflow => self
                .workflows
                .get(self.workflow)
                .map_or_else(|| "kanban".to_owned(), ToString::to_string),
            Field::Priority => match self.priority {
                0 => "0, most urgent".to_owned(),
                4 => "4, least urgent".to_owned(),
                other => other.to_string(),
            },
            Field::Then => match self.then {
                Then::Backlog => "stays in the backlog".to_owned(),
                Then::Release => "is released at once".to_owned(),
            },
        }
    }
}
