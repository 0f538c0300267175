//! Effects of a key, a click or a paste: a new state, and requests to the owner of the board and the terminals. Does nothing itself; the
//! same state, scene and input give the same answer.

use std::collections::BTreeSet;
use std::rc::Rc;

use ratatui::layout::Rect;

use super::pane::PaneId;
use super::scene::{Scene, ScreenId};
use super::screen_layout::{InputMode, ScreenLayout, input_mode, is_running, screen_layout};
use super::state::{CopyMode, KeyFocus, UiState, WHICH_KEY_DELAY};
use super::target::{ActionTarget, named_target};
use super::views::target;
use crate::domain::task::TaskKind;
use crate::domain::{AttemptId, Command, NoticeLevel, Span, TaskId, Timestamp, WorkflowId};
use crate::keymap::Action;
use crate::term::keys::{KeyInput, MouseInput, MouseKind};

mod affected;
mod approval;
mod copy_menu;
mod copy_mode;
mod dispatch;
mod drilldown;
mod jump;
mod keys;
mod links;
mod mouse;
mod navigation;
mod panes;
mod picker;
mod prompts;
mod rename;
mod search;
mod selection;
mod stopping;
mod task_form;
mod tasks;
mod theme_menu;
mod trust;
mod undo;
mod welcome;

/// Something that happened at a client: a key, the mouse, a paste, a new size, or time passing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiInput {
    Key(KeyInput),
    Mouse(MouseInput),
    /// The person's editor was closed, with the text it wrote, or nothing when it failed.
    Edited(Option<String>),
    Paste(String),
    /// The client's terminal has another size: columns, rows.
    Resize(u16, u16),
    /// The client's terminal gained or lost the focus.
    Focus(bool),
    /// The board or a terminal changed, or time has passed.
    Tick,
}

/// Something the interface asks the server to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UiRequest {
    /// Ask the board for that command; the answer comes back as a toast.
    Command(Command),
    /// Create a task; its identity is chosen by the server.
    NewTask(Box<NewTask>),
    /// Read the plan of that file, and hand the question about it to [`UiState::ask_about_plan`].
    ReadPlan(String),
    /// Have a plan made for that goal.
    Design(String),
    /// Open that text in the person's editor and hand the result to [`UiInput::Edited`].
    OpenEditor(String),
    SendInput(ScreenId, ProgramInput),
    /// Copy to the clipboard the text that the program in focus has just offered.
    TakeOffer,
    /// Switch to the project with that root.
    SwitchSession(String),
    /// Open a shell for that pane (or give it an unused one) and report it with [`UiState::shell_opened`].
    OpenShell(PaneId),
    /// Open a shell for that pane where that attempt works, and report it likewise.
    OpenShellIn(PaneId, AttemptId),
    /// Open a shell for that pane that runs that command: where that attempt works, else in the project's folder.
    RunInShell(PaneId, Option<AttemptId>, String),
    CloseShell(u64),
    /// Read the lines that a terminal showed before those in memory, at that many columns, and hand them to [`UiState::add_older_lines`].
    LoadOlderLines(ScreenId, u16),
    /// Open that web link on the person's machine.
    OpenLink(String),
    /// Copy that text into the person's clipboard.
    CopyToClipboard(String),
    /// Leave for the demo, and come back afterwards.
    PlayDemo,
    /// Keep these settings, by key and value, as a person's own.
    SaveSettings(Vec<(String, String)>),
    /// Trust everything in the project's files, if it has this hash.
    Trust(String),
    /// Give the session that name from now on.
    RenameSession(String),
    /// Apply the theme that [`UiState::theme`] names now.
    ApplyTheme,
    Redraw,
    Detach,
    /// Stop the server; agents continue.
    StopServer,
}

/// A new task as a person wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewTask {
    pub title: String,
    pub body: String,
    pub tags: BTreeSet<String>,
    /// Tasks that must be done first.
    pub deps: BTreeSet<TaskId>,
    pub kind: TaskKind,
    /// The workflow; without it, the usual one.
    pub workflow: Option<WorkflowId>,
    /// Priority from 0 to 4.
    pub priority: u8,
    /// True if it is released at once.
    pub release: bool,
}

/// Input for the program in a terminal: a key, a paste, the mouse or a focus change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramInput {
    Key(KeyInput),
    Paste(String),
    /// The mouse, relative to the pane.
    Mouse(MouseInput),
    /// The focus was gained or lost.
    Focus(bool),
}

/// Interval at which a client checks that the shell it opens runs.
const OPENING_LOOK: Span = Span(50);

/// Time for which keys typed ahead are dropped after the program they were meant for has ended.
const TYPEAHEAD_GUARD: Span = Span::seconds(1);

/// Takes in an event of a client.
pub fn update(state: &mut UiState, scene: &Scene<'_>, input: UiInput) -> Vec<UiRequest> {
    let before = focused_program(state);
    let mut requests = take_in(state, scene, input);
    requests.extend(focus_reports(scene, before, focused_program(state)));
    requests
}

fn take_in(state: &mut UiState, scene: &Scene<'_>, input: UiInput) -> Vec<UiRequest> {
    let mut turn = UpdateContext::new(state, scene);
    turn.expire_state();
    match input {
        UiInput::Key(key) => {
            let closes = turn.closes_card(&key);
            turn.state.dismiss_splash();
            turn.state.last_click = None;
            if !closes {
                turn.choose_what_is_shown();
                turn.key(&key);
            }
        }
        UiInput::Mouse(event) => {
            if matches!(event.kind, MouseKind::Press(_)) {
                let closes = turn.state.shows_away_card();
                turn.state.dismiss_splash();
                if closes {
                    return turn.requests;
                }
                // The digits were not typed for a click.
                turn.state.count = None;
                turn.choose_what_is_shown();
            }
            turn.mouse(event);
        }
        UiInput::Paste(text) => turn.paste(text),
        UiInput::Edited(text) => turn.edited(text),
        UiInput::Resize(columns, rows) => {
            turn.state.size = (columns, rows);
            turn.relayout();
        }
        UiInput::Focus(focused) => turn.state.window_lost_focus = !focused,
        UiInput::Tick => {}
    }
    turn.follow_selection();
    turn.requests
}

/// Performs an action as if its key had been pressed.
pub fn perform(state: &mut UiState, scene: &Scene<'_>, action: Action) -> Vec<UiRequest> {
    let before = focused_program(state);
    let mut turn = UpdateContext::new(state, scene);
    turn.expire_state();
    turn.choose_what_is_shown();
    turn.act(action);
    turn.follow_selection();
    let mut requests = turn.requests;
    requests.extend(focus_reports(scene, before, focused_program(state)));
    requests
}

/// Returns the program that has the focus: the one with the keys, while the window itself has the focus.
fn focused_program(state: &UiState) -> Option<ScreenId> {
    match state.key_focus {
        KeyFocus::Terminal(id) | KeyFocus::Prefix { then: Some(id), .. } if !state.window_lost_focus => {
            Some(id)
        }
        _ => None,
    }
}

/// Returns the reports to programs that asked for them (mode 1004) when the focus goes from one to another.
fn focus_reports(
    scene: &Scene<'_>,
    before: Option<ScreenId>,
    after: Option<ScreenId>,
) -> impl Iterator<Item = UiRequest> {
    let changed = before != after;
    let left = before.filter(|id| changed && is_running(scene, *id));
    let entered = after.filter(|_| changed);
    let report = |id, focused| UiRequest::SendInput(id, ProgramInput::Focus(focused));
    let left = left.map(|id| report(id, false));
    left.into_iter().chain(entered.map(|id| report(id, true)))
}

/// Returns the requests of a client that has just connected: its shells.
pub fn initial_requests(state: &UiState) -> Vec<UiRequest> {
    state
        .unopened_shells()
        .into_iter()
        .map(UiRequest::OpenShell)
        .collect()
}

/// Returns the time at which the frame changes by time alone, at the latest a second from now: ages, toasts, the keys after the prefix.
pub fn next_redraw(state: &UiState, now: Timestamp) -> Timestamp {
    let mut next = now + Span(1000 - now.0 % 1000);
    if let KeyFocus::Prefix { since, .. } = state.key_focus {
        let shown = since + WHICH_KEY_DELAY;
        if shown > now {
            next = next.min(shown);
        }
    }
    if matches!(state.key_focus, KeyFocus::Opening(_)) {
        next = next.min(now + OPENING_LOOK);
    }
    next
}

/// The state, the scene and the requests collected while one input is handled.
struct UpdateContext<'a, 'b> {
    state: &'a mut UiState,
    scene: &'a Scene<'b>,
    requests: Vec<UiRequest>,
    named_task: Option<TaskId>,
    /// Layout of the screen: computed once for an input, and again after changes of the panes.
    layout: Rc<ScreenLayout>,
}

impl<'a, 'b> UpdateContext<'a, 'b> {
    fn new(state: &'a mut UiState, scene: &'a Scene<'b>) -> UpdateContext<'a, 'b> {
        let layout = Rc::new(whole_layout(state, scene));
        UpdateContext {
            state,
            scene,
            requests: Vec::new(),
            named_task: None,
            layout,
        }
    }

    /// Updates the state for changes that happened by themselves: a program with the keys has ended.
    fn expire_state(&mut self) {
        let now = self.scene.now;
        match self.state.key_focus {
            // The key after the prefix was never for the program: dropping waits until that key is there.
            KeyFocus::Terminal(id) if !is_running(self.scene, id) => self.drop_typeahead(),
            KeyFocus::DropUntil(until) if until <= now => self.state.key_focus = KeyFocus::Views,
            KeyFocus::Opening(pane) => self.expect_shell(pane),
            KeyFocus::Views | KeyFocus::Terminal(_) | KeyFocus::DropUntil(_) | KeyFocus::Prefix { .. } => {}
        }
        let gone =
            |copying: &CopyMode| self.state.pane(copying.pane).content.screen() != Some(copying.screen);
        if self.state.copy_mode.as_ref().is_some_and(gone) {
            self.state.copy_mode = None;
        }
        self.release_keys();
    }

    /// Notes that a shell was requested in that pane: once it runs it gets the keys typed meanwhile, unless the person went elsewhere.
    fn expect_shell(&mut self, pane: PaneId) {
        let screen = self.state.pane(pane).content.screen();
        if self.arranged().focus != pane {
            self.state.key_focus = KeyFocus::Views;
            self.state.held_keys.clear();
        } else if let Some(id) = screen.filter(|id| is_running(self.scene, *id)) {
            self.state.key_focus = KeyFocus::Terminal(id);
            for key in std::mem::take(&mut self.state.held_keys) {
                self.ask(UiRequest::SendInput(id, ProgramInput::Key(key)));
            }
        }
    }

    /// Drops the keys typed ahead for a program that has ended.
    fn drop_typeahead(&mut self) {
        let now = self.scene.now;
        self.state.key_focus = KeyFocus::DropUntil(now + TYPEAHEAD_GUARD);
        self.state
            .show_toast(now, NoticeLevel::Warning, "agent ended, typing off");
    }

    /// Takes the keys from a terminal that does not have the focus (any more): the word in the last row names the receiver.
    fn release_keys(&mut self) {
        let (KeyFocus::Terminal(id) | KeyFocus::Prefix { then: Some(id), .. }) = self.state.key_focus else {
            return;
        };
        let focus = self.arranged().focus;
        if self.state.pane(focus).content.screen() == Some(id) {
            return;
        }
        self.state.key_focus = match self.state.key_focus {
            KeyFocus::Prefix { since, .. } => KeyFocus::Prefix { since, then: None },
            _ => KeyFocus::Views,
        };
    }

    fn ask(&mut self, request: UiRequest) {
        self.requests.push(request);
    }

    fn arranged(&self) -> Rc<ScreenLayout> {
        debug_assert_eq!(
            *self.layout,
            whole_layout(self.state, self.scene),
            "relayout was forgotten"
        );
        Rc::clone(&self.layout)
    }

    /// Computes the layout again; called by everything that changes tabs, panes, their contents, or the agent shown.
    fn relayout(&mut self) {
        self.layout = Rc::new(whole_layout(self.state, self.scene));
    }

    /// Returns the target of an action: the task it was named for, else the current one.
    fn target(&self, layout: &ScreenLayout) -> ActionTarget<'a> {
        match &self.named_task {
            Some(id) => named_target(self.scene, id),
            None => target(self.state, self.scene, layout),
        }
    }

    fn mode(&self) -> InputMode {
        input_mode(self.state, self.scene, self.arranged().focus)
    }

    fn inform(&mut self, text: impl Into<String>) {
        self.state.show_feedback(self.scene.now, NoticeLevel::Info, text);
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.state
            .show_feedback(self.scene.now, NoticeLevel::Warning, text);
    }
}

fn whole_layout(state: &UiState, scene: &Scene<'_>) -> ScreenLayout {
    let (width, height) = state.size;
    screen_layout(state, scene, Rect::new(0, 0, width, height))
}
