//! Requests of undoable actions to the board, and `undo` and `redo` themselves.

use std::collections::BTreeSet;

use super::{UiRequest, UpdateContext};
use crate::domain::Command;
use crate::ui::state::{MOST_UNDOABLE, PanesSnapshot, UndoEntry, UndoMethod, inverse};

impl UpdateContext<'_, '_> {
    /// Requests a command, and remembers its inverse.
    pub(super) fn command(&mut self, title: impl Into<String>, command: Command) {
        self.commands(title, vec![command]);
    }

    /// Requests several commands, which are undone together.
    pub(super) fn commands(&mut self, title: impl Into<String>, commands: Vec<Command>) {
        let model = self.scene.model;
        // All or nothing: half of an action must not be undone.
        let back: Option<Vec<Vec<Command>>> =
            commands.iter().map(|command| inverse(command, model)).collect();
        let inverse = back.map(|back| back.concat()).filter(|back| is_each_once(back));
        let inverse = inverse.unwrap_or_default();
        let done = commands.clone();
        let how = if inverse.is_empty() {
            UndoMethod::Irreversible(done)
        } else {
            UndoMethod::Commands { done, inverse }
        };
        self.record_undo(title, how);
        self.requests.extend(commands.into_iter().map(UiRequest::Command));
    }

    /// Remembers an action that cannot be undone, so that undo reports that instead of undoing something older.
    pub(super) fn record_irreversible(&mut self, title: impl Into<String>) {
        self.record_undo(title, UndoMethod::Irreversible(Vec::new()));
    }

    /// Remembers the panes, before they are changed.
    pub(super) fn record_panes(&mut self, title: impl Into<String>) {
        let shown = self.panes_snapshot();
        self.record_undo(title, UndoMethod::Panes(Box::new(shown)));
    }

    pub(super) fn record_undo(&mut self, title: impl Into<String>, how: UndoMethod) {
        self.state.redo_stack.clear();
        self.state.undo_stack.push(UndoEntry {
            title: title.into(),
            at: self.scene.now,
            method: how,
        });
        if self.state.undo_stack.len() > MOST_UNDOABLE {
            self.state.undo_stack.remove(0);
        }
    }

    fn panes_snapshot(&self) -> PanesSnapshot {
        PanesSnapshot {
            tabs: self.state.tabs.clone(),
            tab: self.state.tab,
            panes: self.state.panes.clone(),
        }
    }

    pub(super) fn undo(&mut self) {
        let now = self.scene.now;
        match self.state.undo_stack.pop().filter(|act| act.is_fresh(now)) {
            Some(act) if matches!(act.method, UndoMethod::Irreversible(_)) => {
                self.warn(format!("cannot be undone: {}", act.title));
            }
            Some(act) => {
                self.inform(format!("{}: {}", act.undoing(), act.title));
                let back = self.reverse(act);
                self.state.redo_stack.push(back);
            }
            None => {
                self.state.undo_stack.clear();
                self.warn("nothing to undo: an action can be undone for 10 seconds");
            }
        }
    }

    pub(super) fn redo(&mut self) {
        let now = self.scene.now;
        if let Some(act) = self.state.redo_stack.pop().filter(|act| act.is_fresh(now)) {
            self.inform(format!("redoing: {}", act.title));
            let back = self.reverse(act);
            self.state.undo_stack.push(back);
        } else {
            self.state.redo_stack.clear();
            self.warn("nothing to redo");
        }
    }

    /// Undoes an action; returns the action that undoes that.
    fn reverse(&mut self, act: UndoEntry) -> UndoEntry {
        let how = match act.method {
            UndoMethod::Commands { done, inverse } => {
                self.requests
                    .extend(inverse.iter().cloned().map(UiRequest::Command));
                UndoMethod::Commands {
                    done: inverse,
                    inverse: done,
                }
            }
            UndoMethod::Panes(shown) => {
                let now = self.panes_snapshot();
                self.state.tabs = shown.tabs;
                self.state.tab = shown.tab;
                self.state.panes = shown.panes;
                self.relayout();
                UndoMethod::Panes(Box::new(now))
            }
            UndoMethod::Name(name) => {
                self.ask(UiRequest::RenameSession(name));
                UndoMethod::Name(self.scene.session.project.clone())
            }
            never @ UndoMethod::Irreversible(_) => never,
            UndoMethod::Marks(marks) => {
                UndoMethod::Marks(std::mem::replace(&mut self.state.marked_tasks, marks))
            }
        };
        UndoEntry {
            title: act.title,
            at: self.scene.now,
            method: how,
        }
    }
}

/// Returns true if no task is restored twice: the board puts back what the last command about a task has changed.
fn is_each_once(commands: &[Command]) -> bool {
    let restored = commands.iter().filter_map(|command| match command {
        Command::Undo(ids) => Some(ids),
        _ => None,
    });
    let mut seen = BTreeSet::new();
    restored.flatten().all(|id| seen.insert(id))
}
