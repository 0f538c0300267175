//! Overlays that cover the panes for a moment: the help, a one-line prompt, a question, a choice. Data only.

use ratatui::layout::Rect;

use crate::domain::{Ask, AskId, AttemptId, Command, TaskId};
use crate::keymap::Action;
use crate::keymap::Axis;
use crate::keymap::Chord;
use crate::ui::click_target::ClickTarget;
use crate::ui::line_editor::LineEditor;
use crate::ui::pane::PaneId;
use crate::ui::scene::ScreenId;
use crate::ui::scrollback::TextPosition;
use crate::ui::state::{PaneContent, TaskForm, TrustReview, UiState, Welcome};

/// Overlay over the panes: help, palette, a prompt, a question or a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Overlay {
    Help(Picker),
    Palette(Picker),
    /// The search words for a list or a terminal.
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
    /// Everything the project's files would start.
    Trust(TrustReview),
}

/// The prompt in which the words of a search are typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchPrompt {
    pub line: LineEditor,
    pub scope: SearchScope,
}

/// Scope of a search: a list, all terminals, or the terminal in copy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchScope {
    /// The list in the pane with the focus.
    List,
    /// The output of all terminals; the pane with the focus lists the matches.
    AllTerminals,
    /// The terminal in copy mode.
    CopyMode {
        onward: bool,
        /// Position at which the search began, to go back to.
        from: TextPosition,
    },
}

/// A list that is narrowed by typing, with its marked row; used by the palette and the help.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Picker {
    pub line: LineEditor,
    /// Index of the marked row, from 0, counting only rows that can be run.
    pub marked: usize,
}

impl Picker {
    /// Takes in a key that edits; a changed list begins at its first row.
    pub(crate) fn key(&mut self, chord: Chord) {
        let before = self.line.text().to_owned();
        self.line.key(chord);
        if before != self.line.text() {
            self.marked = 0;
        }
    }
}

/// A prompt that asks a person for one line of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextPrompt {
    pub kind: PromptKind,
    /// The tasks the prompt is about; empty for a name.
    pub tasks: Vec<TaskId>,
    pub line: LineEditor,
    /// The asking agent and its question, where the prompt is about one.
    pub ask: Option<(AttemptId, AskId)>,
    /// Subject of the prompt, shown above.
    pub lines: Vec<String>,
    /// Lines scrolled back from the last ones, where not all have room.
    pub scrolled_back: usize,
    /// The word that the text must begin with, for actions that cannot be undone.
    pub required_word: Option<&'static str>,
}

/// The purpose of a text prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptKind {
    /// Reason for denying the request of an agent; may be empty.
    Deny,
    /// The reason for sending work back.
    Reject,
    Answer,
    /// A comment to write on a task.
    Comment,
    /// Reason for parking a task.
    Park,
    /// Note for the next attempt.
    RetryWithNote,
    Close,
    /// The file of a plan that is carried out.
    RunPlan,
    /// The goal that a plan is made for.
    Design,
    /// The new name of a tab.
    RenameTab,
    /// The new name of the session.
    RenameSession,
}

impl TextPrompt {
    /// Creates a prompt with that line to begin with.
    pub(crate) fn new(kind: PromptKind, line: LineEditor) -> TextPrompt {
        TextPrompt {
            kind,
            tasks: Vec::new(),
            line,
            ask: None,
            lines: Vec::new(),
            scrolled_back: 0,
            required_word: None,
        }
    }

    /// Returns the question, as shown before the caret.
    pub(crate) fn question(&self) -> String {
        let [question, _] = self.texts();
        question
    }

    /// Returns the action that was done, in a few words.
    pub(crate) fn done(&self) -> String {
        let [_, done] = self.texts();
        done
    }

    fn texts(&self) -> [String; 2] {
        let tasks = named(&self.tasks);
        match self.kind {
            PromptKind::Deny => [
                format!("Deny it to {tasks}, because (or nothing)"),
                format!("denied {tasks}"),
            ],
            PromptKind::Reject => [
                format!("Send {tasks} back, because"),
                format!("sent {tasks} back"),
            ],
            PromptKind::Answer => [
                format!("Answer the agent of {tasks}"),
                format!("answered {tasks}"),
            ],
            PromptKind::Comment => [format!("Write on {tasks}"), format!("wrote on {tasks}")],
            PromptKind::Park => [format!("Park {tasks}, because"), format!("parked {tasks}")],
            PromptKind::RetryWithNote => [
                format!("Retry {tasks}; the agent should know"),
                format!("retried {tasks}"),
            ],
            PromptKind::Close => [
                format!("Close {tasks} without it being done, because"),
                format!("closed {tasks}"),
            ],
            PromptKind::RunPlan => ["Carry out the plan", "read the plan"].map(str::to_owned),
            PromptKind::Design => ["Make a plan for this goal", "ordered a plan"].map(str::to_owned),
            PromptKind::RenameTab => ["New name of this tab", "renamed the tab"].map(str::to_owned),
            PromptKind::RenameSession => {
                ["New name of this session", "renamed the session"].map(str::to_owned)
            }
        }
    }
}

/// Returns the name of a task, or the number of several.
pub(crate) fn named(tasks: &[TaskId]) -> String {
    match tasks {
        [only] => only.to_string(),
        several => format!("{} tasks", several.len()),
    }
}

/// The labels shown at everything that can be clicked, and the typed letters of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JumpLabels {
    pub typed: String,
    pub targets: Vec<JumpLabel>,
}

/// A label, its place on the screen and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JumpLabel {
    pub area: Rect,
    pub hit: ClickTarget,
    /// The letters of the label.
    pub label: String,
}

/// The purpose for which a person's editor was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EditorPurpose {
    Form,
    /// The title and body of that task.
    Task(TaskId),
    /// Text to look at: its later use is the person's own business.
    Text,
}

/// A yes-or-no question with its text and what a yes does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfirmPrompt {
    /// The question, which names its subject.
    pub question: String,
    /// The effects of a yes, and their targets.
    pub lines: Vec<String>,
    /// The first line that is shown where not all have room.
    pub scroll: usize,
    pub yes: String,
    pub action: ConfirmAction,
}

/// Question about a plan, with what a yes to it does on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanQuestion {
    pub title: String,
    /// The plan, its differences from the board, and the commands that it would run.
    pub lines: Vec<String>,
    pub commands: Vec<Command>,
}

impl UiState {
    /// Asks about a plan that was read; whatever else lay open is put away.
    pub fn ask_about_plan(&mut self, asked: PlanQuestion) {
        self.overlay = Some(Overlay::Confirm(Box::new(ConfirmPrompt {
            question: format!("Carry out {}?", asked.title),
            lines: asked.lines,
            scroll: 0,
            yes: "carry it out".to_owned(),
            action: ConfirmAction::Commands(
                format!("began {}", asked.title),
                vec![Command::All(asked.commands)],
            ),
        })));
    }
}

/// Effect of a yes to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfirmAction {
    /// Ask the board for these; the text describes the result.
    Commands(String, Vec<Command>),
    /// Ask the board for these about the marked tasks, which are then unmarked.
    OnMarked(String, Vec<Command>),
    ClosePane(PaneId),
    /// Close the tab shown, with the shells in it.
    CloseTab,
    StopServer,
    /// Leave a session, which then ends.
    Leave,
    /// Type that into the terminal.
    Paste(ScreenId, String),
    /// Allow these agents that request, and nothing else.
    Allow(Vec<(AttemptId, Ask)>),
    Link(String),
}

/// A list of items to choose one from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Menu {
    pub title: String,
    pub items: Vec<MenuItem>,
    pub marked: usize,
    /// Action that opened the menu: its key pressed again takes the marked row.
    pub opened_by: Option<Action>,
}

/// Item of a menu: its text, its letter and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MenuItem {
    pub text: String,
    /// The letter that chooses it.
    pub key: Option<char>,
    pub action: MenuAction,
}

/// Effect of choosing an item of a menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MenuAction {
    Copy(&'static str, String),
    /// Split the pane with the focus and show that content in the new one.
    Split(Axis, PaneContent),
    /// Go to that pane of that tab.
    Goto(usize, PaneId),
    Link(String),
    /// Theme of that name, or the one of the settings. Shown as soon as it is marked; closing the list brings back the one before.
    Theme {
        name: Option<String>,
        before: Option<String>,
    },
}
