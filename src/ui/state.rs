//! What one client has on its screen and in its hands: tabs, panes, focus, prompts. Changed by `update` alone; what the
//! board says is never copied into it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::action::Action;
use super::hit::Hit;
use super::keymap::{KeyProblem, Keymap};
use super::pane::{LineId, Node, PaneId};
use super::scene::ScreenId;
use super::still::StillLine;
use crate::domain::{AttemptId, Command, Level, Span, TaskId, Timestamp};

mod content;
mod copying;
mod form;
mod overlay;
mod pane;
mod saved;
mod start;
mod told;
mod undo;
mod welcome;

pub use content::Content;
pub(super) use copying::{Copying, Older};
pub(super) use form::{Field, Form, KINDS, Then};
pub(super) use overlay::{
    Ask, AskKind, Choice, Choose, Chosen, Confirm, Deed, Editing, Finding, Goal, Jump, JumpTo, Overlay,
    Search, named,
};
pub(super) use pane::{Order, Pane};
pub use saved::Saved;
pub use start::StateProblem;
pub(crate) use told::Toast;
pub use told::Told;
pub(super) use undo::{MOST_UNDOABLE, Shown, UNDO_FOR, Undo, Undoable, inverse};
pub use welcome::FirstLook;
pub(super) use welcome::{Step, Welcome, is_prefix_of};

/// Everything one client has on its screen and in its hands.
#[derive(Debug, Clone)]
pub struct State {
    /// Columns and rows of the client's terminal.
    pub size: (u16, u16),
    pub(crate) keymap: Arc<Keymap>,
    pub(crate) tabs: Vec<Tab>,
    pub(crate) tab: usize,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) hands: Hands,
    pub(crate) overlay: Option<Overlay>,
    /// Digits typed so far: how often the next movement is made, or a tab.
    pub(crate) counted: Option<Counted>,
    /// The terminal that is held still.
    pub(crate) copying: Option<Copying>,
    /// Where the mouse was pressed on a terminal.
    pub(crate) pressed: Option<(PaneId, (u16, u16))>,
    /// The row that was clicked last, until something else is done.
    pub(crate) clicked: Option<Clicked>,
    /// The pane whose program was told that a button of the mouse is down.
    pub(crate) held: Option<PaneId>,
    /// The line between panes that the mouse holds, and where it took hold.
    pub(crate) line: Option<(LineId, (u16, u16))>,
    /// What was copied last, to be typed into a terminal.
    pub(crate) copied: String,
    /// The task that actions apply to; the first of the board while it is none of those shown.
    pub(crate) selected: Option<TaskId>,
    /// The agent shown when there is room for one only.
    pub(crate) agent: Option<AttemptId>,
    /// Where a person came from, to go back to; at most [`MOST_STEPS_BACK`].
    pub(crate) trail: Vec<(usize, PaneId)>,
    pub(crate) toasts: Vec<Toast>,
    /// What was told and not logged yet; at most a hundred.
    told: Vec<Told>,
    /// What was done, the last one last: acts that can be taken back, and the others, so that none is taken for another.
    pub(crate) undo: Vec<Undoable>,
    /// Acts that were taken back.
    pub(crate) redo: Vec<Undoable>,
    /// Tasks that actions apply to, all at once.
    pub(crate) marks: BTreeSet<TaskId>,
    /// What the person's editor was opened for.
    pub(crate) editing: Option<Editing>,
    /// Actions run by name, the last one first; at most [`MOST_RECENT`].
    pub(crate) recent: Vec<Action>,
    pub(crate) finished: Finished,
    /// Titles of the layouts that were read.
    pub(crate) layouts: BTreeSet<String>,
    /// Where the person's terminal is.
    pub seat: Seat,
    /// Whether pastes are shown before they are sent.
    pub pastes: PastePreview,
    /// What of the mouse is heeded.
    pub mouse: MouseUse,
    /// Whether the person was told once how keys get past the program their terminal is in.
    pub(crate) hinted: bool,
    /// What a person missed, until they press something.
    pub(crate) away: Option<Timestamp>,
    /// What is said at the start, and since when, until a person presses something.
    pub(crate) greeting: Option<(Timestamp, Vec<String>)>,
    /// The theme chosen on the screen; the one of the settings without.
    pub(crate) theme: Option<String>,
    /// The theme that this start asked for; goes before the other until one is chosen.
    pub(crate) wished: Option<String>,
    /// Themes there are: name, and what it is.
    pub(crate) themes: Vec<(String, String)>,
}

/// Steps back that are remembered.
pub(crate) const MOST_STEPS_BACK: usize = 20;

/// Actions run by name that are remembered.
pub(crate) const MOST_RECENT: usize = 20;

/// How long a person must have been away to be told what happened.
pub(crate) const AWAY_FROM: Span = Span::seconds(60);

/// How long the prefix waits before the keys that may follow are shown (A5).
pub(crate) const KEYS_SHOWN_AFTER: Span = Span(300);

/// How long a person is greeted.
pub(crate) const GREETED_FOR: Span = Span::seconds(4);

/// Where a person's terminal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Seat {
    /// On this machine.
    #[default]
    Here,
    /// At the other end of a connection: what is opened here is not seen there.
    Remote,
}

/// Whether pastes of several lines are shown before they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PastePreview {
    /// They are, where they could do something by themselves.
    #[default]
    Shown,
    /// They are sent at once.
    Never,
}

/// What of the mouse is heeded (A5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseUse {
    /// All of it.
    #[default]
    All,
    /// The wheel alone; clicks and drags reach only the program that is typed to.
    Scroll,
    /// Nothing: the mouse stays the terminal's, which selects and scrolls by itself.
    Nothing,
}

/// Who gets the next key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Hands {
    /// We do.
    #[default]
    Ours,
    /// The program in that terminal does, but for the prefix.
    Typing(ScreenId),
    /// The program a person typed to has just ended: keys typed ahead are dropped until then.
    Guarded(Timestamp),
    /// The prefix was pressed at that time.
    Prefix {
        /// When.
        since: Timestamp,
        /// To whom the keys go afterwards.
        then: Option<ScreenId>,
    },
}

/// A row that was clicked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clicked {
    /// Where the mouse was: column, row.
    pub(crate) at: (u16, u16),
    /// When.
    pub(crate) since: Timestamp,
    /// What was drawn there.
    pub(crate) hit: Hit,
}

/// Digits typed before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The number so far.
    pub(crate) number: u32,
    /// When the last digit was typed.
    pub(crate) since: Timestamp,
}

/// How long a digit waits for a movement before it means a tab.
pub(crate) const COUNT_WAITS: Span = Span(300);

/// Whether lists show finished tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Finished {
    /// Only how many.
    #[default]
    Counted,
    /// All of them.
    Shown,
}

/// A saved arrangement of panes.
#[derive(Debug, Clone)]
pub(crate) struct Tab {
    pub(crate) title: String,
    pub(crate) shape: Shape,
    pub(crate) focus: PaneId,
    pub(crate) last: Option<PaneId>,
    pub(crate) zoom: Zoom,
    /// Which arrangement comes next.
    pub(crate) next_arrangement: u8,
}

/// Whether one pane hides the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Zoom {
    /// All are shown.
    Out,
    /// The one with the focus is shown.
    In,
}

/// How a tab's panes are arranged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// As saved, by width.
    Saved { wide: Node, medium: Node },
    /// As a person made it.
    Own(Node),
    /// One pane per agent at work; the list is shown when there is no room for all.
    Agents { list: PaneId },
}

impl State {
    /// The state of a client that has just connected: the built-in tabs.
    ///
    /// # Errors
    /// When a layout or key file cannot be understood; with the built-in ones never.
    pub fn new(size: (u16, u16), keymap: Arc<Keymap>) -> Result<State, StateProblem> {
        start::state(size, keymap)
    }

    /// The state of a new client with the default keys.
    ///
    /// # Errors
    /// Never with the built-in files; a test holds them to that.
    pub fn builtin(size: (u16, u16)) -> Result<State, StateProblem> {
        State::new(size, Arc::new(Keymap::builtin()?))
    }

    /// The server opened a shell for that pane.
    pub fn shell_opened(&mut self, pane: PaneId, number: u64) {
        if let Some(pane) = self.panes.get_mut(&pane)
            && pane.content == Content::Shell(None)
        {
            pane.content = Content::Shell(Some(number));
        }
    }

    /// Lines that a terminal showed before those in memory, oldest first; what both hold is joined.
    pub fn older(&mut self, now: Timestamp, screen: ScreenId, lines: Vec<StillLine>) {
        let Some(copying) = &mut self.copying else { return };
        if copying.screen != screen {
            return;
        }
        let came = Arc::make_mut(&mut copying.still).put_before(lines);
        copying.older = Older::Here;
        copying.at.0 += came;
        copying.top += came;
        if let Some((_, from)) = &mut copying.anchor {
            from.0 += came;
        }
        let text = match came {
            0 => "the log holds nothing older".to_owned(),
            came => format!("{came} older lines from the log"),
        };
        self.tell(now, Level::Info, text);
    }

    /// The board refused that: there is nothing to take back.
    pub fn refused(&mut self, command: &Command) {
        let asked = |act: &Undoable| matches!(&act.how, Undo::Commands { done, .. } | Undo::Never(done) if done.contains(command));
        self.undo.retain(|act| !asked(act));
        self.redo.retain(|act| !asked(act));
    }

    /// The person comes back after that time; what happened meanwhile is told until they press something.
    pub fn was_away_since(&mut self, left: Option<Timestamp>, now: Timestamp) {
        self.away = left.filter(|left| now.since(*left) >= AWAY_FROM);
    }

    /// The person has seen what lay over the panes when they came.
    pub(crate) fn look_here(&mut self) {
        self.away = None;
        self.greeting = None;
    }

    /// Greets the person with these lines, a few seconds long or until they press something.
    pub fn greet(&mut self, now: Timestamp, lines: Vec<String>) {
        self.greeting = Some((now, lines));
    }

    /// Asks the questions of a first start.
    pub fn welcome(&mut self, found: FirstLook) {
        self.overlay = Some(Overlay::Welcome(Box::new(Welcome::new(found))));
    }

    /// The lines of the greeting, as long as it is shown.
    pub(crate) fn greeting(&self, now: Timestamp) -> Option<&[String]> {
        let fresh = |since: Timestamp| now.since(since) < GREETED_FOR;
        self.greeting
            .as_ref()
            .filter(|(since, _)| fresh(*since))
            .map(|(_, lines)| lines.as_slice())
    }

    /// The themes that can be chosen: name, and what it is.
    pub fn offer_themes(&mut self, themes: Vec<(String, String)>) {
        self.themes = themes;
    }

    /// The theme that this start asked for, else the one that was chosen on the screen; that of the settings holds without.
    pub fn theme(&self) -> Option<&str> {
        self.wished.as_deref().or(self.theme.as_deref())
    }

    /// Asks for a theme, until another is chosen; it is not kept.
    pub fn wish_theme(&mut self, name: String) {
        self.wished = Some(name);
    }

    /// Panes that show a shell which the server has not opened yet.
    pub fn shells_wanted(&self) -> Vec<PaneId> {
        let wanted = self
            .panes
            .iter()
            .filter(|(_, pane)| pane.content == Content::Shell(None));
        wanted.map(|(id, _)| *id).collect()
    }

    /// Where keys go and what is looked at: as long as this stays, a key that was passed on has changed nothing on the screen.
    pub fn keys_at(&self) -> impl PartialEq + use<> {
        let focus = self.here().map(|tab| tab.focus);
        let scrolled: usize = self.panes.values().map(|pane| pane.scroll).sum();
        (self.hands, self.tab, focus, scrolled, self.overlay.is_some())
    }

    /// Shells that some pane shows.
    pub fn shells(&self) -> BTreeSet<u64> {
        let shown = self.panes.values().filter_map(|pane| match pane.content {
            Content::Shell(number) => number,
            _ => None,
        });
        shown.collect()
    }

    pub(crate) fn pane(&self, id: PaneId) -> Pane {
        match (self.panes.get(&id), id) {
            (Some(pane), _) => pane.clone(),
            (None, PaneId::Agent(attempt)) => Pane::of(Content::Attempt(attempt)),
            (None, PaneId::Fixed(_)) => Pane::of(Content::Board),
        }
    }

    pub(crate) fn pane_mut(&mut self, id: PaneId) -> &mut Pane {
        let pane = self.pane(id);
        self.panes.entry(id).or_insert(pane)
    }

    /// The tab shown.
    pub(crate) fn here(&self) -> Option<&Tab> {
        self.tabs.get(self.tab)
    }

    /// The tab shown.
    pub(crate) fn here_mut(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.tab)
    }
}

impl From<KeyProblem> for StateProblem {
    fn from(problem: KeyProblem) -> StateProblem {
        StateProblem::Keys(problem)
    }
}
