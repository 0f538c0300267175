//! The state of one client's screen: tabs, panes, focus, prompts. Changed by `update` alone; the contents of the board are never copied
//! into it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::click_target::ClickTarget;
pub(crate) use super::layout::PaneArrangement;
use super::pane::{PaneId, SplitPath, next_free_id};
use super::scene::ScreenId;
use crate::display::{MouseCapture, PastePreview};
use crate::domain::{AttemptId, Command, Span, TaskId, Timestamp};
use crate::keymap::Action;
use crate::keymap::Keymap;
use crate::term::keys::KeyInput;

mod content;
mod copy_mode;
mod overlay;
mod pane;
mod saved;
mod start;
mod tab;
mod task_form;
mod toasts;
mod trust;
mod undo;
mod welcome;

pub use content::PaneContent;
pub(super) use copy_mode::{CopyMode, OlderLines};
pub use overlay::PlanQuestion;
pub(super) use overlay::{
    ConfirmAction, ConfirmPrompt, EditorPurpose, JumpLabel, JumpLabels, Menu, MenuAction, MenuItem, Overlay,
    Picker, PromptKind, SearchPrompt, SearchScope, TextPrompt, named,
};
pub(super) use pane::{Pane, SortOrder};
pub use saved::SavedArrangement;
pub use start::UiStateError;
pub(crate) use tab::{Tab, Zoom};
pub(super) use task_form::{AfterCreate, FormField, KINDS, TaskForm};
pub use toasts::Toast;
pub(super) use trust::TrustReview;
pub(super) use undo::{MOST_UNDOABLE, PanesSnapshot, UNDO_FOR, UndoEntry, UndoMethod, inverse, retry};
pub use welcome::DetectedPrograms;
pub(super) use welcome::{Welcome, WelcomeStep, is_prefix_of};

/// Everything one client has on its screen: tabs, panes, focus, prompts and selection.
#[derive(Debug, Clone, Default)]
pub struct UiState {
    /// Columns and rows of the client's terminal.
    pub size: (u16, u16),
    pub(crate) keymap: Arc<Keymap>,
    pub(crate) tabs: Vec<Tab>,
    pub(crate) tab: usize,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
    pub(crate) key_focus: KeyFocus,
    /// Keys pressed while the shell for them is being opened; at most [`MOST_HELD`].
    pub(crate) held_keys: Vec<KeyInput>,
    /// Set when the person's terminal reported that its window lost the focus.
    pub(crate) window_lost_focus: bool,
    pub(crate) overlay: Option<Overlay>,
    /// Until then letters are the rest of a text for which no prompt was opened, not keys.
    pub(crate) ignores_typing_until: Option<Timestamp>,
    /// The number typed so far: the repeat count of the next movement.
    pub(crate) count: Option<u32>,
    /// The terminal in copy mode.
    pub(crate) copy_mode: Option<CopyMode>,
    /// Pane and position at which the mouse was pressed on a terminal.
    pub(crate) mouse_press: Option<(PaneId, (u16, u16))>,
    /// The row that was clicked last, until something else is done.
    pub(crate) last_click: Option<LastClick>,
    /// The pane whose program received a mouse button that is still down.
    pub(crate) mouse_grab: Option<PaneId>,
    /// The line between panes that the mouse holds, and the position at which it was grabbed.
    pub(crate) dragged_split: Option<(SplitPath, (u16, u16))>,
    /// The text copied last, to be typed into a terminal.
    pub(crate) clipboard: String,
    /// The task that actions apply to; the first of the board while it is not among those shown.
    pub(crate) selected: Option<TaskId>,
    /// The task shown while none is chosen: one that is worked on, and the last time it was.
    pub(crate) watched: Option<(TaskId, Timestamp)>,
    /// The agent shown when there is room for one only.
    pub(crate) agent: Option<AttemptId>,
    /// Places a person came from, to go back to; at most [`MAX_BACK_STACK`].
    pub(crate) back_stack: Vec<(usize, PaneId)>,
    pub(crate) toasts: Vec<Toast>,
    /// Toasts that are not in the log yet; at most a hundred.
    unlogged: Vec<Toast>,
    /// Actions that were done, the last one last: those that can be undone, and the others, so that undo never takes one for another.
    pub(crate) undo_stack: Vec<UndoEntry>,
    /// Actions that were undone.
    pub(crate) redo_stack: Vec<UndoEntry>,
    /// Tasks that actions apply to, all at once.
    pub(crate) marked_tasks: BTreeSet<TaskId>,
    /// Purpose for which the person's editor was opened.
    pub(crate) editing: Option<EditorPurpose>,
    /// Actions run by name, the last one first; at most [`MAX_RECENT_ACTIONS`].
    pub(crate) recent_actions: Vec<Action>,
    pub(crate) finished: FinishedTasks,
    /// Titles of the layouts that were read.
    pub(crate) layouts: BTreeSet<String>,
    /// Location of the person's terminal.
    pub location: ClientLocation,
    /// Preview of pastes before they are sent.
    pub pastes: PastePreview,
    pub mouse: MouseCapture,
    /// Set when the hint was shown that explains how keys get past the multiplexer around the terminal.
    pub(crate) prefix_hint_shown: bool,
    /// Time since which the person was away, for the summary of what they missed; shown until they press something.
    pub(crate) away_since: Option<Timestamp>,
    /// The lines of the greeting, and the time since which they are shown.
    pub(crate) splash: Option<(Timestamp, Vec<String>)>,
    /// The theme chosen on the screen; without it, that of the settings.
    pub(crate) theme: Option<String>,
    /// The theme that this start asked for; takes precedence over the chosen one until another is chosen.
    pub(crate) requested_theme: Option<String>,
    pub(crate) themes: Vec<(String, String)>,
}

/// Maximum number of keys held for a shell that is being opened.
pub(crate) const MOST_HELD: usize = 256;

pub(crate) const MAX_BACK_STACK: usize = 20;

pub(crate) const MAX_RECENT_ACTIONS: usize = 20;

/// Minimum absence after which a person sees a summary of the events.
pub(crate) const AWAY_AFTER: Span = Span::seconds(60);

/// Delay after the prefix before the keys that may follow are shown.
pub(crate) const WHICH_KEY_DELAY: Span = Span(300);

/// Time for which a person is greeted.
pub(crate) const SPLASH_TIME: Span = Span::seconds(4);

/// Location of a client's terminal: on this machine or at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientLocation {
    #[default]
    Local,
    /// At the other end of a connection: a program opened here is not seen there.
    Remote,
}

/// Receiver of the next key: our views, the program in a terminal, or the prefix table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum KeyFocus {
    #[default]
    Views,
    /// The program in that terminal, except for the prefix.
    Terminal(ScreenId),
    /// The shell that is being opened in that pane: keys are held for it.
    Opening(PaneId),
    /// None, as the program a person typed to has just ended: keys typed ahead are dropped until then.
    DropUntil(Timestamp),
    /// The prefix table, since the prefix was pressed at that time.
    Prefix {
        since: Timestamp,
        /// The receiver of the keys afterwards.
        then: Option<ScreenId>,
    },
}

/// The last click on a row, kept to recognise a second click at the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastClick {
    /// Position of the mouse: column, row.
    pub(crate) at: (u16, u16),
    pub(crate) since: Timestamp,
    pub(crate) hit: ClickTarget,
}

/// Display of finished tasks in lists: as rows, or only as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FinishedTasks {
    #[default]
    Counted,
    Shown,
}

impl UiState {
    /// Returns the state of a client that has just connected: the built-in tabs.
    ///
    /// # Errors
    /// When a layout or key file cannot be understood; with the built-in ones never.
    pub fn new(size: (u16, u16), keymap: Arc<Keymap>) -> Result<UiState, UiStateError> {
        start::state(size, keymap)
    }

    /// Returns the state of a new client with the default keys.
    ///
    /// # Errors
    /// Never with the built-in files; a test holds them to that.
    pub fn builtin(size: (u16, u16)) -> Result<UiState, UiStateError> {
        UiState::new(size, Arc::new(Keymap::builtin()?))
    }

    /// Notes that the server opened a shell for that pane.
    pub fn shell_opened(&mut self, pane: PaneId, number: u64) {
        if let Some(pane) = self.panes.get_mut(&pane)
            && pane.content == PaneContent::Shell(None)
        {
            pane.content = PaneContent::Shell(Some(number));
        }
    }

    /// Notes that the server could not open a shell for that pane: keys are no longer held for it.
    pub fn shell_not_opened(&mut self, pane: PaneId) {
        if self.key_focus == KeyFocus::Opening(pane) {
            self.key_focus = KeyFocus::Views;
            self.held_keys.clear();
        }
    }

    /// Drops actions that the board refused from undo and redo.
    pub fn drop_refused(&mut self, command: &Command) {
        let asked = |act: &UndoEntry| matches!(&act.method, UndoMethod::Commands { done, .. } | UndoMethod::Irreversible(done) if done.contains(command));
        self.undo_stack.retain(|act| !asked(act));
        self.redo_stack.retain(|act| !asked(act));
    }

    /// Shows the events since the person left, until they press something; after a short absence nothing.
    pub fn set_away_since(&mut self, left: Option<Timestamp>, now: Timestamp) {
        self.away_since = left.filter(|left| now.since(*left) >= AWAY_AFTER);
    }

    /// Returns true while the summary of the events in the person's absence covers the panes.
    pub(crate) fn shows_away_card(&self) -> bool {
        self.away_since.is_some() && self.overlay.is_none()
    }

    /// Hides the greeting and the summary, as the person has seen them.
    pub(crate) fn dismiss_splash(&mut self) {
        self.away_since = None;
        self.splash = None;
    }

    /// Greets the person with these lines, a few seconds long or until they press something.
    pub fn show_splash(&mut self, now: Timestamp, lines: Vec<String>) {
        self.splash = Some((now, lines));
    }

    /// Asks the questions of a first start.
    pub fn show_welcome(&mut self, found: DetectedPrograms) {
        self.overlay = Some(Overlay::Welcome(Box::new(Welcome::new(found))));
    }

    /// Returns the lines of the greeting, as long as it is shown.
    pub(crate) fn splash_lines(&self, now: Timestamp) -> Option<&[String]> {
        let fresh = |since: Timestamp| now.since(since) < SPLASH_TIME;
        self.splash
            .as_ref()
            .filter(|(since, _)| fresh(*since))
            .map(|(_, lines)| lines.as_slice())
    }

    /// Sets the themes that can be chosen: name and description.
    pub fn set_themes(&mut self, themes: Vec<(String, String)>) {
        self.themes = themes;
    }

    /// Returns the theme that this start asked for, else the one that was chosen on the screen; without either, that of the settings holds.
    pub fn theme(&self) -> Option<&str> {
        self.requested_theme.as_deref().or(self.theme.as_deref())
    }

    /// Asks for a theme, until another is chosen; it is not kept.
    pub fn request_theme(&mut self, name: String) {
        self.requested_theme = Some(name);
    }

    /// Returns the panes that show a shell which the server has not opened yet.
    pub fn unopened_shells(&self) -> Vec<PaneId> {
        let wanted = self
            .panes
            .iter()
            .filter(|(_, pane)| pane.content == PaneContent::Shell(None));
        wanted.map(|(id, _)| *id).collect()
    }

    /// Returns a value for the receiver of keys and the view: as long as it stays the same, a key that was passed on has changed nothing on
    /// the screen.
    pub fn focus_fingerprint(&self) -> impl PartialEq + use<> {
        let focus = self.current_tab().map(|tab| tab.focus);
        let scrolled: usize = self.panes.values().map(|pane| pane.scroll).sum();
        (self.key_focus, self.tab, focus, scrolled, self.overlay.is_some())
    }

    /// Returns the shells that some pane shows.
    pub fn shells(&self) -> BTreeSet<u64> {
        let shown = self.panes.values().filter_map(|pane| match pane.content {
            PaneContent::Shell(number) => number,
            _ => None,
        });
        shown.collect()
    }

    pub(crate) fn pane(&self, id: PaneId) -> Pane {
        match (self.panes.get(&id), id) {
            (Some(pane), _) => pane.clone(),
            (None, PaneId::Agent(attempt)) => Pane::new(PaneContent::Attempt(attempt)),
            (None, PaneId::Fixed(_)) => Pane::new(PaneContent::Board),
        }
    }

    pub(crate) fn pane_mut(&mut self, id: PaneId) -> &mut Pane {
        let pane = self.pane(id);
        self.panes.entry(id).or_insert(pane)
    }

    /// Adds a pane that no tab shows yet.
    pub(crate) fn add_pane(&mut self, pane: Pane) -> PaneId {
        let focused = self.tabs.iter().map(|tab| tab.focus);
        let used = self.panes.keys().copied().chain(focused).collect();
        let id = next_free_id(&used);
        self.panes.insert(id, pane);
        id
    }

    /// Returns true if the tab shown has only its focused pane on the screen: it is zoomed, or searches what all agents have shown in
    /// the place of something else.
    pub(crate) fn is_zoomed(&self) -> bool {
        let Some(tab) = self.current_tab() else {
            return false;
        };
        let pane = self.panes.get(&tab.focus);
        let searches =
            |pane: &Pane| matches!(pane.content, PaneContent::Past(_)) && !pane.back_stack.is_empty();
        tab.zoom == Zoom::In || pane.is_some_and(searches)
    }

    pub(crate) fn current_tab(&self) -> Option<&Tab> {
        self.tabs.get(self.tab)
    }

    /// Returns the title of the tab shown.
    pub(crate) fn tab_title(&self) -> String {
        self.current_tab()
            .map(|tab| tab.title.clone())
            .unwrap_or_default()
    }

    pub(crate) fn current_tab_mut(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.tab)
    }
}
