//! What can lie over the panes for a moment: the help, a one-line prompt, a question, a choice. Data only.

use ratatui::layout::Rect;

use crate::domain::{AttemptId, Command, StageId, TaskId};
use crate::ui::action::Action;
use crate::ui::hit::Hit;
use crate::ui::line::Line;
use crate::ui::pane::{Axis, PaneId};
use crate::ui::scene::ScreenId;
use crate::ui::state::{Content, Form, Welcome};
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
    /// The form for a new task.
    Form(Box<Form>),
    /// Labels to jump to.
    Jump(Jump),
    /// A yes-or-no question; no by default.
    Confirm(Box<Confirm>),
    /// A list to choose from.
    Choose(Choose),
    /// The questions of a first start.
    Welcome(Box<Welcome>),
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
    /// What all terminals have shown; the pane with the focus lists where.
    Past,
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
    /// What it is about, shown above.
    pub lines: Vec<String>,
    /// Lines scrolled back from the last ones, where not all have room.
    pub back: usize,
    /// The word the text must begin with, for what cannot be taken back.
    pub word: Option<&'static str>,
}

/// What a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskKind {
    /// The reason for sending work back.
    Reject(Vec<TaskId>),
    /// The answer to an agent.
    Answer(Vec<TaskId>),
    /// Something to write on a task.
    Comment(Vec<TaskId>),
    /// Why a task is set aside.
    Park(Vec<TaskId>),
    /// What the next attempt should know.
    RetryWithNote(Vec<TaskId>),
    /// Why a task is closed.
    Close(Vec<TaskId>),
    /// The new name of a tab.
    RenameTab,
    /// The new name of the session.
    RenameSession,
}

impl AskKind {
    /// The question, as shown before the caret.
    pub(crate) fn question(&self) -> String {
        match self {
            AskKind::Reject(tasks) => format!("Send {} back, because", named(tasks)),
            AskKind::Answer(tasks) => format!("Answer the agent of {}", named(tasks)),
            AskKind::Comment(tasks) => format!("Write on {}", named(tasks)),
            AskKind::Park(tasks) => format!("Set {} aside, because", named(tasks)),
            AskKind::RetryWithNote(tasks) => format!("Take {} up again; the agent should know", named(tasks)),
            AskKind::Close(tasks) => format!("Close {} without it being done, because", named(tasks)),
            AskKind::RenameTab => "New name of this tab".to_owned(),
            AskKind::RenameSession => "New name of this session".to_owned(),
        }
    }
}

impl AskKind {
    /// What was done, in a few words.
    pub(crate) fn deed(&self) -> String {
        match self {
            AskKind::Reject(tasks) => format!("sent {} back", named(tasks)),
            AskKind::Answer(tasks) => format!("answered {}", named(tasks)),
            AskKind::Comment(tasks) => format!("wrote on {}", named(tasks)),
            AskKind::Park(tasks) => format!("set {} aside", named(tasks)),
            AskKind::RetryWithNote(tasks) => format!("took {} up again", named(tasks)),
            AskKind::Close(tasks) => format!("closed {}", named(tasks)),
            AskKind::RenameTab => "renamed the tab".to_owned(),
            AskKind::RenameSession => "renamed the session".to_owned(),
        }
    }
}

/// A task, or how many.
pub(crate) fn named(tasks: &[TaskId]) -> String {
    match tasks {
        [only] => only.to_string(),
        several => format!("{} tasks", several.len()),
    }
}

/// Labels at everything that can be clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jump {
    /// What was typed of a label.
    pub typed: String,
    /// Places and their labels.
    pub targets: Vec<JumpTo>,
}

/// A place with a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JumpTo {
    /// Where it is.
    pub area: Rect,
    /// What it is.
    pub hit: Hit,
    /// The letters that lead there.
    pub label: String,
}

/// What the person's editor was opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Editing {
    /// The body in the form.
    Form,
    /// The title and body of that task.
    Task(TaskId),
    /// Text to look at: what becomes of it is the person's own business.
    Text,
}

/// A yes-or-no question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Confirm {
    /// The question, naming what it is about.
    pub question: String,
    /// What will happen, and to what.
    pub lines: Vec<String>,
    /// The first line that is shown where not all have room.
    pub first: usize,
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
    /// Stop these agents.
    Stop(Vec<AttemptId>),
    /// Type that into the terminal.
    Paste(ScreenId, String),
    /// Allow these agents what they wanted when it was asked, and no other thing.
    Allow(Vec<(AttemptId, String)>),
    /// Approve these tasks.
    Approve(Vec<TaskId>),
    /// Open that link.
    Link(String),
    /// Move these tasks to the stages where they are merged.
    Merge(Vec<(TaskId, StageId)>),
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
    /// What opened it: its key pressed again takes the marked row.
    pub opened_by: Option<Action>,
}

/// One row of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What it says.
    pub text: String,
    /// The letter that chooses it.
    pub key: Option<char>,
    /// What choosing it does.
    pub chosen: Chosen,
}

/// What choosing a row does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// Copy that: what it is, and the text.
    Copy(&'static str, String),
    /// Split the pane with the focus and show that in the new one.
    Split(Axis, Content),
    /// Go to that pane of that tab.
    Goto(usize, PaneId),
    /// Ask about that link.
    Link(String),
    /// That theme, or the one of the settings. Is shown as soon as it is marked; closing the list brings back the one before.
    Theme {
        /// Its name.
        name: Option<String>,
        /// The one before.
        before: Option<String>,
    },
}
