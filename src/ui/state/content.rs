//! Contents of a pane: a view by its name, or something of a task, an agent or a moment.

use serde::{Deserialize, Serialize};

use crate::domain::{AttemptId, TaskId, Timestamp};
use crate::keymap::ViewName;
use crate::ui::cache::DiffBase;
use crate::ui::scene::ScreenId;

/// Content of a pane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneContent {
    Board,
    /// The list of agents at work.
    Agents,
    Attempt(AttemptId),
    /// A shell; no number while the server has not opened it.
    Shell(Option<u64>),
    /// The conductor at work, or the tasks to be released while there is none.
    Conductor(#[serde(skip)] Option<AttemptId>),
    Detail(Option<TaskId>),
    /// The checks the engine ran: of that task, or of all.
    Gates(Option<TaskId>),
    /// Screen of an attempt's terminal at that moment.
    Moment(AttemptId, Timestamp),
    /// Places where those words occur in the output of all terminals.
    Past(String),
    /// Changes of a task, that one or the selected one, compared with a base.
    Diff(Option<TaskId>, DiffBase),
    /// The selected task's agent, or the task while it has none; the pane becomes that content.
    Selected,
    /// A view that needs only its name.
    #[serde(untagged)]
    Page(ViewName),
}

impl PaneContent {
    /// Returns the content of that name.
    pub(crate) fn named(name: &str) -> Option<PaneContent> {
        ViewName::named(name).map(|page| PaneContent::of(page, None))
    }

    /// Returns all names, for people who misspelled one.
    pub(crate) fn names() -> String {
        let names: Vec<&str> = ViewName::all().map(ViewName::name).collect();
        names.join(", ")
    }

    /// Returns the title and content of everything that has a name.
    pub(crate) fn all() -> impl Iterator<Item = (&'static str, PaneContent)> {
        ViewName::all().map(|page| (page.title(), PaneContent::of(page, None)))
    }

    /// Returns the title, for contents that have a name.
    pub(crate) fn title(&self) -> Option<&'static str> {
        let found = PaneContent::all().find(|(_, content)| content.is_same_view(self));
        found.map(|(title, _)| title)
    }

    /// Returns the content for the name of a view, for a person at that task.
    pub(crate) fn of(page: ViewName, task: Option<TaskId>) -> PaneContent {
        match page.name() {
            "board" => PaneContent::Board,
            "agents" => PaneContent::Agents,
            "shell" => PaneContent::Shell(None),
            "conductor" => PaneContent::Conductor(None),
            "selected" => PaneContent::Selected,
            "task" => PaneContent::Detail(task),
            "history" => PaneContent::Past(String::new()),
            "gates" => PaneContent::Gates(None),
            "diff" => PaneContent::Diff(task, DiffBase::Base),
            _ => PaneContent::Page(page),
        }
    }

    /// Returns true if both are the same view, no matter which conductor is at work.
    pub(crate) fn is_same_view(&self, other: &PaneContent) -> bool {
        let conducts = |content: &PaneContent| matches!(content, PaneContent::Conductor(_));
        self == other || conducts(self) && conducts(other)
    }

    /// Returns the terminal of the content, if it is one.
    pub fn screen(&self) -> Option<ScreenId> {
        match self {
            PaneContent::Attempt(id) => Some(ScreenId::Attempt(*id)),
            PaneContent::Shell(Some(number)) => Some(ScreenId::Shell(*number)),
            PaneContent::Conductor(attempt) => attempt.map(ScreenId::Attempt),
            _ => None,
        }
    }
}
