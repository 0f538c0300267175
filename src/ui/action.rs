//! The one table of actions. Keys, hints, the help and `docs/keys.md` are made from it; nothing here acts.

use super::pane::Direction;
use super::scrollback::SelectionMode;

/// Something a person can do in the interface, named once and bound to keys, clicks and the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// One step in a list, or one line in a text.
    Step(Direction),
    /// To the beginning.
    First,
    /// To the end.
    Last,
    /// One page back.
    PageUp,
    /// One page on.
    PageDown,
    /// The next part: file, check.
    NextPart,
    /// The previous part.
    PreviousPart,
    /// The next pane of the tab.
    NextPane,
    /// The previous pane of the tab.
    PreviousPane,
    /// The pane that had the focus before.
    LastPane,
    /// The pane in that direction.
    Focus(Direction),
    /// Look inside.
    Open,
    /// One level out; never quits.
    Back,
    /// Search the list or the terminal.
    Find,
    /// Search the terminal backward.
    FindBackward,
    /// Search what all terminals have shown.
    FindEverywhere,
    /// The next order of a list's rows.
    Sort,
    /// The text of a terminal in the editor.
    EditScrollback,
    /// Open a link.
    OpenLink,
    /// The next place that matches.
    NextMatch,
    /// The previous place that matches.
    PreviousMatch,
    /// Hold the terminal still to take text from it.
    CopyMode,
    /// A movement over text that is held still.
    Text(TextMove),
    /// Begin to select.
    Select(SelectionMode),
    /// Move the other end of the selection.
    OtherEnd,
    /// Copy what is selected.
    CopySelection,
    /// Type what was copied last.
    Paste,
    /// Send every key to the terminal, or keep them again.
    ToggleTyping,
    /// Send every key to the terminal.
    Type,
    /// Keep the keys, look at the terminal.
    StopTyping,
    /// To the board.
    ShowBoard,
    /// To that view: where it is shown already, else here.
    Show(ViewName),
    /// To what has waited longest for a person.
    GoToAttention,
    /// That tab, from 1.
    Tab(u8),
    /// The next tab.
    NextTab,
    /// The previous tab.
    PreviousTab,
    /// Give the tab another name.
    RenameTab,
    /// Give the session another name.
    RenameSession,
    /// Close the tab.
    CloseTab,
    /// Choose among all panes.
    ListPanes,
    /// A new tab with a shell.
    NewShell,
    /// Split the pane; the new one is beside or below.
    Split(super::pane::Axis),
    /// Close the pane.
    ClosePane,
    /// Change places with the previous pane.
    SwapPrevious,
    /// Change places with the next pane.
    SwapNext,
    /// Make the pane a tab of its own.
    BreakPane,
    /// Show the pane alone, or all of them again.
    Zoom,
    /// Move the line beside the pane.
    Resize(Direction),
    /// The next arrangement of the tab's panes.
    NextLayout,
    /// Say yes.
    Approve,
    /// Say yes to all that ask the same.
    ApproveAll,
    /// Send back.
    Reject,
    /// Take up again.
    Retry,
    /// Take up again, and tell the agent something.
    RetryWithNote,
    /// Try again at once what waits for something outside.
    RetryNow,
    /// Take back into the backlog.
    Withdraw,
    /// One step more urgent.
    RaisePriority,
    /// One step less urgent.
    LowerPriority,
    /// Change title and body in the editor.
    EditTask,
    /// Mark, or no longer.
    ToggleMark,
    /// Take back what was just done.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Labels to jump to.
    Jump,
    /// The agent's terminal in a pane of its own, beside.
    OpenBeside,
    /// A shell where the agent works.
    ShellHere,
    /// Leave out.
    Skip,
    /// Merge without the stages that are still to come.
    MergeNow,
    /// Set aside, or take up again.
    TogglePark,
    /// Hand to the pipeline.
    Release,
    /// Answer the agent.
    Answer,
    /// Write on the task.
    Comment,
    /// A new task.
    NewTask,
    /// Stop the agent.
    StopAgent,
    /// Close the task.
    CloseTask,
    /// Pause the whole board, or go on.
    TogglePause,
    /// Compare with something else.
    ToggleDiffBase,
    /// Show or hide finished tasks.
    ToggleFinished,
    /// Copy something of the task or the row.
    Copy,
    /// Choose how the screen looks.
    ChooseTheme,
    /// Draw everything anew.
    Redraw,
    /// Control-C in our views.
    Interrupt,
    /// Everything by name.
    Palette,
    /// Show the keys.
    Help,
    /// Play the demo.
    Demo,
    /// Leave the screen; agents go on.
    Detach,
    /// Stop the server.
    StopServer,
}

/// A cursor movement over the text in copy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextMove {
    /// To the beginning of the next word.
    WordNext,
    /// To the beginning of the word, or of the one before.
    WordBack,
    /// To the end of the word, or of the next.
    WordEnd,
    /// To the first column.
    LineStart,
    /// To the first letter of the line.
    LineFirst,
    /// To the last letter of the line.
    LineEnd,
    /// To the first line that is seen.
    Top,
    /// To the line in the middle of those that are seen.
    Middle,
    /// To the last line that is seen.
    Bottom,
    /// Half a page back.
    HalfUp,
    /// Half a page on.
    HalfDown,
}

/// The condition under which an action is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// Always.
    Always,
    /// A task is selected.
    Task,
    /// The selected task, or the agent that works on it, waits for a yes.
    Approval,
    /// The selected task may be sent back: it waits for a yes, or is under way.
    Rejectable,
    /// The selected task is held, parked, failed or skipped.
    Retryable,
    /// The selected task is not over.
    Unfinished,
    /// The selected task is in the backlog.
    Backlog,
    /// An agent works on the selected task, or its terminal has the focus.
    Agent,
    /// Somebody works on the selected task, in a folder of its own.
    Workplace,
    /// The focus is on a terminal whose program runs.
    Terminal,
    /// A terminal is held still.
    CopyMode,
    /// The focus is on a terminal, or it is held still, or the list there is searched.
    Matches,
    /// The focus is on a terminal.
    TerminalFocus,
    /// Something waits for a person.
    Attention,
    /// Tasks wait because of something outside.
    Trouble,
    /// The tab has more than one pane.
    Panes,
    /// There is more than one tab.
    Tabs,
    /// The pane shows differences.
    Diff,
    /// The pane's view has parts: files, checks.
    Parts,
}

/// The heading under which the help lists an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ActionGroup {
    /// Moving about.
    Moving,
    /// Tasks and agents.
    Tasks,
    /// Terminals.
    Terminals,
    /// Taking text from a terminal.
    Copying,
    /// Panes and tabs.
    Panes,
    /// The program itself.
    Program,
}

/// One row of the action table: name, title, help text, synonyms, group and availability.
#[derive(Debug, Clone, Copy)]
pub struct ActionEntry {
    /// The action.
    pub action: Action,
    /// Its name in key files.
    pub name: &'static str,
    /// Two or three words, for hints.
    pub title: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Other words a person may look for.
    pub synonyms: &'static [&'static str],
    /// Where the help lists it.
    pub group: ActionGroup,
    /// When it is possible.
    pub availability: Availability,
}

mod command_line;
mod page_lookup;
mod table;
mod view_name;

pub use table::entries;
pub use view_name::ViewName;

impl Action {
    /// Its row.
    pub fn entry(self) -> Option<&'static ActionEntry> {
        entries().find(|entry| entry.action == self)
    }

    /// The action of that name.
    pub fn named(name: &str) -> Option<Action> {
        entries()
            .find(|entry| entry.name == name)
            .map(|entry| entry.action)
    }
}

impl ActionGroup {
    /// All, in the order of the help.
    pub const ALL: [ActionGroup; 6] = [
        ActionGroup::Moving,
        ActionGroup::Tasks,
        ActionGroup::Terminals,
        ActionGroup::Copying,
        ActionGroup::Panes,
        ActionGroup::Program,
    ];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            ActionGroup::Moving => "Moving",
            ActionGroup::Tasks => "Tasks and agents",
            ActionGroup::Terminals => "Terminals",
            ActionGroup::Copying => "Taking text from a terminal",
            ActionGroup::Panes => "Panes and tabs",
            ActionGroup::Program => "Program",
        }
    }
}
