//! What a key, a click or a paste does: a new state, and requests to whoever owns the board and the terminals. Does nothing
//! itself; the same state, scene and input give the same answer.

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::action::Action;
use super::arrange::{Arranged, Mode, alive, arrange, mode};
use super::pane::PaneId;
use super::possible::why_not_about;
use super::scene::{Scene, ScreenId};
use super::state::{COUNT_WAITS, Copying, Counted, Hands, KEYS_SHOWN_AFTER, State};
use super::target::{Target, of_named};
use super::views::target;
use crate::domain::task::TaskKind;
use crate::domain::{AttemptId, Command, Level, Span, TaskId, Timestamp, WorkflowId};
use crate::term::keys::{KeyInput, MouseInput};

mod approving;
mod copying;
mod dressing;
mod finding;
mod forming;
mod jumping;
mod keys;
mod linking;
mod mouse;
mod moving;
mod naming;
mod offering;
mod panes;
mod prompts;
mod searching;
mod tasks;
mod undoing;
mod victims;
mod visiting;
mod welcoming;

pub use approving::Consent;

/// Something that happened at a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// The person's editor was closed; what it wrote, or nothing when it failed.
    Edited(Option<String>),
    /// A bracketed paste.
    Paste(String),
    /// The client's terminal has another size: columns, rows.
    Resize(u16, u16),
    /// The client's terminal got or lost the focus.
    Focus(bool),
    /// The board or a terminal changed, or time has passed.
    Tick,
}

/// Something to be done by whoever owns the board and the terminals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Ask the board for that; the answer comes back through [`State::tell`].
    Command(Command),
    /// Make a task; its identity is chosen by the server.
    NewTask(Box<NewTask>),
    /// Open that text in the person's editor and bring what becomes of it with [`Input::Edited`].
    Edit(String),
    /// Input for the program in a terminal.
    TypeInto(ScreenId, Typed),
    /// Say that to an attempt that wants to be allowed that, if it still does and nobody has answered it; how it went is told
    /// through [`State::tell`].
    Consent(AttemptId, String, Consent),
    /// Go on in the project with that root.
    Switch(String),
    /// Open a shell for that pane (or give it one that nobody shows) and say so with [`State::shell_opened`].
    OpenShell(PaneId),
    /// Open a shell for that pane where that attempt works, and say so likewise.
    OpenShellAt(PaneId, AttemptId),
    /// Open a shell for that pane that runs that: where that attempt works, else in the project's folder.
    RunInShell(PaneId, Option<AttemptId>, String),
    /// Close that shell.
    CloseShell(u64),
    /// Read what a terminal showed before what is in memory, at that many columns, and bring it with [`State::older`].
    Older(ScreenId, u16),
    /// Open that link of the web where the person sits.
    OpenLink(String),
    /// Put that into the person's clipboard.
    Copy(String),
    /// Leave for the demo, and come back afterwards.
    Demo,
    /// Keep these settings, by key and value, as a person's own.
    Answered(Vec<(String, String)>),
    /// Call the session that from now on.
    NameSession(String),
    /// Take up the theme that [`State::theme`] names now.
    Dress,
    /// Draw everything anew.
    Redraw,
    /// Let this client go.
    Detach,
    /// Stop the server; agents go on.
    StopServer,
}

/// A task that a person has written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewTask {
    /// One line.
    pub title: String,
    /// Everything else.
    pub body: String,
    /// Kind of work.
    pub kind: TaskKind,
    /// The workflow; the usual one without.
    pub workflow: Option<WorkflowId>,
    /// 0 to 4.
    pub priority: u8,
    /// Whether it is released at once.
    pub release: bool,
}

/// Input for a program in a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// A key.
    Key(KeyInput),
    /// A paste.
    Paste(String),
    /// The mouse, relative to the pane.
    Mouse(MouseInput),
    /// The focus came or went.
    Focus(bool),
}

/// How long keys typed ahead are dropped after the program they were meant for has ended.
const GUARD: Span = Span::seconds(1);

/// Takes in what happened at a client.
pub fn update(state: &mut State, scene: &Scene<'_>, input: Input) -> Vec<Request> {
    let mut turn = Turn {
        state,
        scene,
        requests: Vec::new(),
        named: None,
    };
    turn.settle();
    match input {
        Input::Key(key) => {
            turn.state.look_here();
            turn.state.clicked = None;
            turn.key(&key);
        }
        Input::Mouse(event) => {
            if matches!(event.kind, MouseEventKind::Down(_)) {
                turn.state.look_here();
                // A click is not what the digits were typed for; left waiting, they would lead away from it.
                turn.state.counted = None;
            }
            turn.mouse(event);
        }
        Input::Paste(text) => turn.paste(text),
        Input::Edited(text) => turn.edited(text),
        Input::Resize(columns, rows) => turn.state.size = (columns, rows),
        Input::Focus(focused) => {
            if let Hands::Typing(id) = turn.state.hands {
                turn.ask(Request::TypeInto(id, Typed::Focus(focused)));
            }
        }
        Input::Tick => {}
    }
    turn.requests
}

/// Does an action as if its key had been pressed.
pub fn perform(state: &mut State, scene: &Scene<'_>, action: Action) -> Vec<Request> {
    let mut turn = Turn {
        state,
        scene,
        requests: Vec::new(),
        named: None,
    };
    turn.settle();
    turn.act(action);
    turn.requests
}

/// Requests of a client that has just connected: its shells.
pub fn begin(state: &State) -> Vec<Request> {
    state
        .shells_wanted()
        .into_iter()
        .map(Request::OpenShell)
        .collect()
}

/// When the picture changes by time alone, at the latest a second from now: ages, toasts, the keys after the prefix.
pub fn next_change(state: &State, now: Timestamp) -> Timestamp {
    let mut next = now + Span(1000 - now.0 % 1000);
    if let Hands::Prefix { since, .. } = state.hands {
        let shown = since + KEYS_SHOWN_AFTER;
        if shown > now {
            next = next.min(shown);
        }
    }
    if let Some(counted) = state.counted {
        next = next.min(counted.since + COUNT_WAITS).max(now + Span(1));
    }
    next
}

/// One input being taken in.
struct Turn<'a, 'b> {
    state: &'a mut State,
    scene: &'a Scene<'b>,
    requests: Vec<Request>,
    /// The task an action was named for.
    named: Option<TaskId>,
}

impl<'a> Turn<'a, '_> {
    /// Notices what changed by itself: a program that was typed to has ended.
    fn settle(&mut self) {
        let now = self.scene.now;
        match self.state.hands {
            // What comes after the prefix was never for the program: that waits until the key is there.
            Hands::Typing(id) if !alive(self.scene, id) => self.guard(),
            Hands::Guarded(until) if until <= now => self.state.hands = Hands::Ours,
            Hands::Ours | Hands::Typing(_) | Hands::Guarded(_) | Hands::Prefix { .. } => {}
        }
        let waited = |counted: &Counted| now >= counted.since + COUNT_WAITS;
        if self.state.counted.as_ref().is_some_and(waited) {
            let counted = self.state.counted.take();
            self.visit_counted(counted);
        }
        let gone = |copying: &Copying| self.state.pane(copying.pane).content.screen() != Some(copying.screen);
        if self.state.copying.as_ref().is_some_and(gone) {
            self.state.copying = None;
        }
        self.keep_keys();
    }

    /// The program that was typed to has ended: what was typed ahead for it is dropped.
    fn guard(&mut self) {
        let now = self.scene.now;
        self.state.hands = Hands::Guarded(now + GUARD);
        self.state
            .tell(now, Level::Warning, "its program has ended; keys are ours again");
    }

    /// A terminal that has not the focus (any more) gets no keys: the word in the last row says whose they are.
    fn keep_keys(&mut self) {
        let (Hands::Typing(id) | Hands::Prefix { then: Some(id), .. }) = self.state.hands else {
            return;
        };
        let focus = self.arranged().focus;
        if self.state.pane(focus).content.screen() == Some(id) {
            return;
        }
        self.state.hands = match self.state.hands {
            Hands::Prefix { since, .. } => Hands::Prefix { since, then: None },
            _ => Hands::Ours,
        };
    }

    fn ask(&mut self, request: Request) {
        self.requests.push(request);
    }

    fn arranged(&self) -> Arranged {
        let (width, height) = self.state.size;
        arrange(self.state, self.scene, Rect::new(0, 0, width, height))
    }

    /// What an action is about: the task it was named for, else what is at hand.
    fn target(&self, arranged: &Arranged) -> Target<'a> {
        match &self.named {
            Some(id) => of_named(self.scene, id),
            None => target(self.state, self.scene, arranged),
        }
    }

    fn mode(&self) -> Mode {
        mode(self.state, self.scene, self.arranged().focus)
    }

    fn warn(&mut self, text: impl Into<String>) {
        self.state.tell(self.scene.now, Level::Warning, text);
    }

    /// Does an action, or says why it is not possible.
    fn act(&mut self, action: Action) {
        let arranged = self.arranged();
        let about = self.target(&arranged);
        if let Some(why) = why_not_about(action, &about, self.state, self.scene, &arranged) {
            let title = action.entry().map_or("that", |entry| entry.title);
            return self.warn(format!("{title}: {why}"));
        }
        let done = self.on_still(action, &arranged)
            || self.move_about(action, &arranged)
            || self.change_panes(action, &arranged);
        if !done {
            self.on_task(action, &arranged);
        }
    }
}
