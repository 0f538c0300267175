//! What can lie over the panes for a moment: the help, a one-line prompt, a question, a choice. Data only.

use crate::domain::{AttemptId, Command, TaskId};
use crate::ui::line::Line;
use crate::ui::pane::{Axis, PaneId};
use crate::ui::state::Content;
use crate::ui::still::Spot;

/// What lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The help.
    Help(Search),
    /// The palette.
    Palette(Search),
    /// The words that a list or a terminal is searched for.
    Find(Finding),
    /// A one-line prompt.
    Ask(Ask),
    /// A yes-or-no question; no by default.
    Confirm(Box<Confirm>),
    /// A list to choose from.
    Choose(Choose),
}

/// The words that something is searched for, while they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The words.
    pub line: Line,
    /// What is searched.
    pub goal: Goal,
}

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The list in the pane with the focus.
    List,
    /// The terminal that is held still.
    Still {
        /// Whether downward.
        onward: bool,
        /// Where the search began, to go back to.
        from: Spot,
    },
}

/// A list that is narrowed by what is typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Search {
    /// What was typed.
    pub line: Line,
    /// Which row is marked, from 0; those that can be run count.
    pub at: usize,
}

/// A one-line prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// What for.
    pub kind: AskKind,
    /// What was typed.
    pub line: Line,
}

/// What a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskKind {
    /// The reason for sending work back.
    Reject(TaskId),
    /// The answer to an agent.
    Answer(TaskId),
    /// Something to write on a task.
    Comment(TaskId),
    /// Why a task is set aside.
    Park(TaskId),
    /// Why a task is closed.
    Close(TaskId),
    /// The title of a new task.
    NewTask,
    /// The new name of a tab.
    RenameTab,
}

impl AskKind {
    /// The question, as shown before the caret.
    pub(crate) fn question(&self) -> String {
        match self {
            AskKind::Reject(task) => format!("Send {task} back, because"),
            AskKind::Answer(task) => format!("Answer the agent of {task}"),
            AskKind::Comment(task) => format!("Write on {task}"),
            AskKind::Park(task) => format!("Set {task} aside, because"),
            AskKind::Close(task) => format!("Close {task} without it being done, because"),
            AskKind::NewTask => "Title of the new task".to_owned(),
            AskKind::RenameTab => "New name of this tab".to_owned(),
        }
    }
}

/// A yes-or-no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirm {
    /// The question, naming what it is about.
    pub question: String,
    /// What will happen, and to what.
    pub lines: Vec<String>,
    /// The word for yes.
    pub yes: String,
    /// What yes does.
    pub deed: Deed,
}

/// What a yes does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Ask the board for that.
    Command(Box<Command>),
    /// Close a pane and the shell in it.
    ClosePane(PaneId),
    /// Close the tab shown, with the shells in it.
    CloseTab,
    /// Stop the server.
    StopServer,
    /// Allow these agents what they wanted when it was asked, and no other thing.
    Allow(Vec<(AttemptId, String)>),
    /// Approve these tasks.
    Approve(Vec<TaskId>),
}

/// A list to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choose {
    /// What for.
    pub title: String,
    /// What there is.
    pub choices: Vec<Choice>,
    /// Which one is marked.
    pub at: usize,
}

/// One row of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What it says.
    pub text: String,
    /// What choosing it does.
    pub chosen: Chosen,
}

/// What choosing a row does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// Split the pane with the focus and show that in the new one.
    Split(Axis, Content),
    /// Go to that pane of that tab.
    Goto(usize, PaneId),
}
