//! What can lie over the panes for a moment: the help, a one-line prompt, a question, a choice. Data only.

use ratatui::layout::Rect;

use crate::domain::{AttemptId, Command, StageId, TaskId};
use crate::ui::action::Action;
use crate::ui::click_target::ClickTarget;
use crate::ui::line_editor::LineEditor;
use crate::ui::pane::{Axis, PaneId};
use crate::ui::scene::ScreenId;
use crate::ui::scrollback::TextPosition;
use crate::ui::state::{PaneContent, TaskForm, Welcome};

/// What lies over the panes: help, palette, a prompt, a question or a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Overlay {
    Help(Picker),
    Palette(Picker),
    /// The words that a list or a terminal is searched for.
    Search(SearchPrompt),
    Prompt(TextPrompt),
    Form(Box<TaskForm>),
    Jump(JumpLabels),
    /// A yes-or-no question; no by default.
    Confirm(Box<ConfirmPrompt>),
    /// A list to choose from.
    Menu(Menu),
    /// The questions of a first start.
    Welcome(Box<Welcome>),
}

/// The prompt in which the words of a search are typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPrompt {
    pub line: LineEditor,
    pub scope: SearchScope,
}

/// What a search looks through: a list, all terminals, or the terminal in copy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// The list in the pane with the focus.
    List,
    /// What all terminals have shown; the pane with the focus lists where.
    AllTerminals,
    /// The terminal that is held still.
    CopyMode {
        onward: bool,
        /// Where the search began, to go back to.
        from: TextPosition,
    },
}

/// A list that is narrowed by typing, with its marked row; used by the palette and the help.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Picker {
    pub line: LineEditor,
    /// Which row is marked, from 0; those that can be run count.
    pub marked: usize,
}

/// A prompt that asks a person for one line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextPrompt {
    pub kind: PromptKind,
    pub line: LineEditor,
    /// What it is about, shown above.
    pub lines: Vec<String>,
    /// Lines scrolled back from the last ones, where not all have room.
    pub scrolled_back: usize,
    /// The word the text must begin with, for what cannot be undone.
    pub required_word: Option<&'static str>,
}

/// The purpose of a text prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// The reason for sending work back.
    Reject(Vec<TaskId>),
    Answer(Vec<TaskId>),
    /// Something to write on a task.
    Comment(Vec<TaskId>),
    /// Why a task is parked.
    Park(Vec<TaskId>),
    /// What the next attempt should know.
    RetryWithNote(Vec<TaskId>),
    Close(Vec<TaskId>),
    /// The new name of a tab.
    RenameTab,
    /// The new name of the session.
    RenameSession,
}

impl PromptKind {
    /// The question, as shown before the caret.
    pub(crate) fn question(&self) -> String {
        match self {
            PromptKind::Reject(tasks) => format!("Send {} back, because", named(tasks)),
            PromptKind::Answer(tasks) => format!("Answer the agent of {}", named(tasks)),
            PromptKind::Comment(tasks) => format!("Write on {}", named(tasks)),
            PromptKind::Park(tasks) => format!("Park {}, because", named(tasks)),
            PromptKind::RetryWithNote(tasks) => {
                format!("Retry {}; the agent should know", named(tasks))
            }
            PromptKind::Close(tasks) => format!("Close {} without it being done, because", named(tasks)),
            PromptKind::RenameTab => "New name of this tab".to_owned(),
            PromptKind::RenameSession => "New name of this session".to_owned(),
        }
    }
}

impl PromptKind {
    /// What was done, in a few words.
    pub(crate) fn deed(&self) -> String {
        match self {
            PromptKind::Reject(tasks) => format!("sent {} back", named(tasks)),
            PromptKind::Answer(tasks) => format!("answered {}", named(tasks)),
            PromptKind::Comment(tasks) => format!("wrote on {}", named(tasks)),
            PromptKind::Park(tasks) => format!("parked {}", named(tasks)),
            PromptKind::RetryWithNote(tasks) => format!("retried {}", named(tasks)),
            PromptKind::Close(tasks) => format!("closed {}", named(tasks)),
            PromptKind::RenameTab => "renamed the tab".to_owned(),
            PromptKind::RenameSession => "renamed the session".to_owned(),
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

/// The labels shown at everything that can be clicked, and what was typed of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JumpLabels {
    pub typed: String,
    pub targets: Vec<JumpLabel>,
}

/// A label, its place on the screen and what it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JumpLabel {
    pub area: Rect,
    pub hit: ClickTarget,
    /// The letters that lead there.
    pub label: String,
}

/// The purpose for which a person's editor was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EditorPurpose {
    Form,
    /// The title and body of that task.
    Task(TaskId),
    /// Text to look at: what becomes of it is the person's own business.
    Text,
}

/// A yes-or-no question with its text and what a yes does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfirmPrompt {
    /// The question, naming what it is about.
    pub question: String,
    /// What will happen, and to what.
    pub lines: Vec<String>,
    /// The first line that is shown where not all have room.
    pub scroll: usize,
    pub yes: String,
    pub action: ConfirmAction,
}

/// What a yes to a question does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfirmAction {
    /// Ask the board for that.
    Command(Box<Command>),
    ClosePane(PaneId),
    /// Close the tab shown, with the shells in it.
    CloseTab,
    StopServer,
    Stop(Vec<AttemptId>),
    /// Type that into the terminal.
    Paste(ScreenId, String),
    /// Allow these agents what they wanted when it was asked, and no other thing.
    Allow(Vec<(AttemptId, String)>),
    Approve(Vec<TaskId>),
    Link(String),
    /// Move these tasks to the stages where they are merged.
    Merge(Vec<(TaskId, StageId)>),
}

/// A list of items to choose one from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Menu {
    pub title: String,
    pub items: Vec<MenuItem>,
    pub marked: usize,
    /// What opened it: its key pressed again takes the marked row.
    pub opened_by: Option<Action>,
}

/// One item of a menu: its text, its letter and what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MenuItem {
    pub text: String,
    /// The letter that chooses it.
    pub key: Option<char>,
    pub action: MenuAction,
}

/// What choosing an item of a menu does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MenuAction {
    Copy(&'static str, String),
    /// Split the pane with the focus and show that in the new one.
    Split(Axis, PaneContent),
    /// Go to that pane of that tab.
    Goto(usize, PaneId),
    Link(String),
    /// That theme, or the one of the settings. Is shown as soon as it is marked; closing the list brings back the one before.
    Theme {
        name: Option<String>,
        before: Option<String>,
    },
}
