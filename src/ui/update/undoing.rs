//! Asking the board for what can be taken back, and taking it back: `undo` and `redo`.

use super::{Request, Turn};
use crate::domain::{Command, Level};
use crate::ui::state::{MOST_UNDOABLE, Shown, Undo, Undoable, inverse};

impl Turn<'_, '_> {
    /// Asks the board for that, and remembers how it is taken back.
    pub(super) fn command(&mut self, title: impl Into<String>, command: Command) {
        self.commands(title, vec![command]);
    }

    /// The same for several at once: they are taken back together.
    pub(super) fn commands(&mut self, title: impl Into<String>, commands: Vec<Command>) {
        let model = self.scene.model;
        // All or nothing: half of an act must not be taken back.
        let back: Option<Vec<Vec<Command>>> =
            commands.iter().map(|command| inverse(command, model)).collect();
        let inverse: Vec<Command> = back.unwrap_or_default().concat();
        let done = commands.clone();
        let how = if inverse.is_empty() {
            Undo::Never(done)
        } else {
            Undo::Commands { done, inverse }
        };
        self.remember_act(title, how);
        self.requests.extend(commands.into_iter().map(Request::Command));
    }

    /// Remembers that something was done that cannot be taken back: whoever wants that is told so, and nothing older is instead.
    pub(super) fn final_act(&mut self, title: impl Into<String>) {
        self.remember_act(title, Undo::Never(Vec::new()));
    }

    /// Remembers what is shown, before it is changed.
    pub(super) fn remember_panes(&mut self, title: impl Into<String>) {
        let shown = self.shown();
        self.remember_act(title, Undo::Panes(Box::new(shown)));
    }

    pub(super) fn remember_act(&mut self, title: impl Into<String>, how: Undo) {
        self.state.redo.clear();
        self.state.undo.push(Undoable {
            title: title.into(),
            at: self.scene.now,
            how,
        });
        if self.state.undo.len() > MOST_UNDOABLE {
            self.state.undo.remove(0);
        }
    }

    fn shown(&self) -> Shown {
        Shown {
            tabs: self.state.tabs.clone(),
            tab: self.state.tab,
            panes: self.state.panes.clone(),
        }
    }

    pub(super) fn undo(&mut self) {
        let now = self.scene.now;
        match self.state.undo.pop().filter(|act| act.is_fresh(now)) {
            Some(act) if matches!(act.how, Undo::Never(_)) => {
                self.warn(format!("cannot be taken back: {}", act.title));
            }
            Some(act) => {
                self.state
                    .tell(now, Level::Info, format!("taken back: {}", act.title));
                let back = self.turned(act);
                self.state.redo.push(back);
            }
            None => {
                self.state.undo.clear();
                self.warn("there is nothing to take back: an act can be for 10 seconds");
            }
        }
    }

    pub(super) fn redo(&mut self) {
        let now = self.scene.now;
        if let Some(act) = self.state.redo.pop().filter(|act| act.is_fresh(now)) {
            self.state
                .tell(now, Level::Info, format!("done again: {}", act.title));
            let back = self.turned(act);
            self.state.undo.push(back);
        } else {
            self.state.redo.clear();
            self.warn("there is nothing to do again");
        }
    }

    /// Takes an act back; answers what takes that back.
    fn turned(&mut self, act: Undoable) -> Undoable {
        let how = match act.how {
            Undo::Commands { done, inverse } => {
                self.requests
                    .extend(inverse.iter().cloned().map(Request::Command));
                Undo::Commands {
                    done: inverse,
                    inverse: done,
                }
            }
            Undo::Panes(shown) => {
                let now = self.shown();
                self.state.tabs = shown.tabs;
                self.state.tab = shown.tab;
                self.state.panes = shown.panes;
                Undo::Panes(Box::new(now))
            }
            Undo::Name(name) => {
                self.ask(Request::NameSession(name));
                Undo::Name(self.scene.session.project.clone())
            }
            never @ Undo::Never(_) => never,
            Undo::Marks(marks) => Undo::Marks(std::mem::replace(&mut self.state.marks, marks)),
        };
        Undoable {
            title: act.title,
            at: self.scene.now,
            how,
        }
    }
}
