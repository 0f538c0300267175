//! The actions of the interface, one row of a table each. Keys, hints, the palette, the help and `docs/keys.md` are made from the table;
//! `update` performs the actions in one exhaustive match.

use serde::{Deserialize, Serialize};

mod table;
mod view_name;

pub use table::{Action, entries};
pub use view_name::ViewName;

/// Axis of a split: its halves are side by side or one above the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Side by side.
    Columns,
    /// Stacked.
    Rows,
}

/// A direction on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    Left,
    Right,
    Up,
    Down,
}

/// Mode in which a selection takes the text between its ends: by text, by whole lines, or as a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SelectionMode {
    /// Text that continues from line to line.
    Text,
    Lines,
    Block,
}

/// A cursor movement over the text in copy mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextMove {
    WordNext,
    /// To the beginning of the word, or of the one before.
    WordBack,
    /// To the end of the word, or of the next.
    WordEnd,
    LineStart,
    LineFirst,
    /// To the last letter of the line.
    LineEnd,
    /// To the first visible line.
    Top,
    /// To the line in the middle of the visible ones.
    Middle,
    /// To the last visible line.
    Bottom,
    /// Half a page back.
    HalfUp,
    /// Half a page forward.
    HalfDown,
}

/// The condition under which an action is possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    Always,
    Task,
    /// The selected task, or the agent that works on it, waits for a yes.
    Approval,
    /// The selected task can be sent back: it waits for a yes, or is under way.
    Permission,
    Rejectable,
    /// The selected task is held, parked, failed or skipped.
    Retryable,
    /// The selected task is not over.
    Unfinished,
    /// The task can be left out: it is neither done nor left out already.
    Skippable,
    /// The selected task is in the backlog.
    Backlog,
    /// An agent works on the selected task, or its terminal has the focus.
    Agent,
    /// Always: where the agent of the selected task works, else in the project.
    Workplace,
    /// The focus is on a terminal whose program runs.
    Terminal,
    /// A terminal is in copy mode.
    CopyMode,
    /// The focus is on a terminal, or it is in copy mode, or the list there is searched.
    Matches,
    TerminalFocus,
    /// Tasks wait because of something outside.
    Trouble,
    /// The tab has more than one pane.
    Panes,
    /// There is more than one tab.
    Tabs,
    Diff,
    /// The pane's view has parts: files, checks.
    Parts,
}

/// The heading under which the help lists an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::VariantArray)]
pub enum ActionGroup {
    Moving,
    Tasks,
    Terminals,
    Copying,
    Panes,
    Program,
}

/// Row of the action table: name, title, help text, synonyms, group and availability.
#[derive(Debug, Clone, Copy)]
pub struct ActionEntry {
    pub action: Action,
    pub name: &'static str,
    /// Two or three words, for hints.
    pub title: &'static str,
    pub help: &'static str,
    /// Other words a person may search for.
    pub synonyms: &'static [&'static str],
    /// Group under which the help lists the action.
    pub group: ActionGroup,
    pub availability: Availability,
    /// The command that does the same in a shell; `ID` stands for the task, `TEXT` for what is written. `None` for what only a
    /// screen has.
    pub command: Option<&'static str>,
}

impl Action {
    /// Returns the row of the action in the table.
    pub fn entry(self) -> Option<&'static ActionEntry> {
        entries().find(|entry| entry.action == self)
    }

    /// The command that does the same in a shell, if there is one.
    pub fn command_line(self) -> Option<&'static str> {
        self.entry()?.command
    }

    /// Returns the action of that name.
    pub fn named(name: &str) -> Option<Action> {
        entries()
            .find(|entry| entry.name == name)
            .map(|entry| entry.action)
    }
}

impl ActionGroup {
    /// Returns the heading of the group.
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
