//! Actions that can be undone for a while, and the ways to undo them. Data, and the inverse of each command; nothing is requested here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pane, Tab};
use crate::domain::command::TaskPatch;
use crate::domain::{Command, Span, Task, TaskId, Timestamp};
use crate::read_model::ReadModel;
use crate::ui::pane::PaneId;

/// Time for which an action can be undone.
pub(crate) const UNDO_FOR: Span = Span::seconds(10);

/// Maximum number of actions that are remembered; older ones are forgotten.
pub(crate) const MOST_UNDOABLE: usize = 20;

/// An entry of the undo list: the action, its time, and the way to undo it.
#[derive(Debug, Clone)]
pub(crate) struct UndoEntry {
    /// Description of the action, in a few words.
    pub(crate) title: String,
    pub(crate) at: Timestamp,
    pub(crate) method: UndoMethod,
}

/// The way in which an action is undone.
#[derive(Debug, Clone)]
pub(crate) enum UndoMethod {
    /// By asking the board for the inverse.
    Commands {
        done: Vec<Command>,
        inverse: Vec<Command>,
    },
    /// By showing the former panes.
    Panes(Box<PanesSnapshot>),
    Marks(BTreeSet<TaskId>),
    /// By giving the session its former name.
    Name(String),
    /// Not at all; the commands to the board, if there were any.
    Irreversible(Vec<Command>),
}

/// The tabs and panes of a client before a change, to return to on undo.
#[derive(Debug, Clone)]
pub(crate) struct PanesSnapshot {
    pub(crate) tabs: Vec<Tab>,
    pub(crate) tab: usize,
    pub(crate) panes: BTreeMap<PaneId, Pane>,
}

impl UndoEntry {
    /// Returns true if undo is offered for the action: it can be undone, and nothing more has happened to its tasks.
    pub(crate) fn is_shown(&self, now: Timestamp, model: &ReadModel) -> bool {
        let is_possible = match &self.method {
            UndoMethod::Irreversible(_) => false,
            UndoMethod::Commands { inverse, .. } => {
                let undoes = inverse.iter().filter_map(|command| match command {
                    Command::Undo(ids) => Some(ids),
                    _ => None,
                });
                undoes.flatten().all(|id| self.is_unchanged_since(id, model))
            }
            UndoMethod::Panes(_) | UndoMethod::Name(_) | UndoMethod::Marks(_) => true,
        };
        is_possible && self.is_fresh(now)
    }

    /// Returns true unless something happened to a task after the board had carried out the action.
    fn is_unchanged_since(&self, id: &TaskId, model: &ReadModel) -> bool {
        let before = model.tasks.get(id).and_then(|task| task.before.as_ref());
        let is_carried_out = before.is_some_and(|before| before.at >= self.at);
        !is_carried_out || model.undo_scope().is_as_left(id)
    }

    /// Returns the word for what undo does: the board has yet to carry out commands, and may refuse them.
    pub(crate) fn undoing(&self) -> &'static str {
        match self.method {
            UndoMethod::Commands { .. } => "undoing",
            _ => "undone",
        }
    }

    /// Returns true if the action is so recent that undo means it.
    pub(crate) fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.at + UNDO_FOR
    }
}

/// Returns the inverse of a command, in the state before it is requested; `None` if not everything would be as before.
pub(crate) fn inverse(command: &Command, model: &ReadModel) -> Option<Vec<Command>> {
    match command {
        Command::Skip(_)
        | Command::Park(..)
        | Command::Retry { .. }
        | Command::Release(_)
        | Command::Withdraw(_) => {
            let ids = model.undo_scope().restorable(command);
            (!ids.is_empty()).then(|| vec![Command::Undo(ids)])
        }
        Command::Update(id, patch) => {
            let back = unpatched(model.tasks.get(id)?, patch)?;
            Some(vec![Command::Update(id.clone(), back)])
        }
        // Working agents are stopped by it, and others would continue.
        Command::Pause => {
            let is_quiet = !model.attempts.values().any(|attempt| attempt.state.is_open());
            (is_quiet && model.pause.is_none()).then(|| vec![Command::Resume])
        }
        _ => None,
    }
}

/// Returns the command that retries a task in its stage.
pub(crate) fn retry(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
}

/// Returns the inverse of a change; `None` for a move, which stops work.
fn unpatched(task: &Task, patch: &TaskPatch) -> Option<TaskPatch> {
    let is_move = patch.stage.is_some() || patch.workflow.is_some();
    if is_move || patch.plan.is_some() && task.plan.is_none() {
        return None;
    }
    Some(TaskPatch {
        title: patch.title.as_ref().map(|_| task.title.clone()),
        body: patch.body.as_ref().map(|_| task.body.clone()),
        priority: patch.priority.map(|_| task.priority),
        add_tags: patch.remove_tags.intersection(&task.tags).cloned().collect(),
        remove_tags: patch.add_tags.difference(&task.tags).cloned().collect(),
        gates: patch.gates.as_ref().map(|_| task.gates.clone()),
        needs_approval: patch.needs_approval.map(|_| task.needs_approval),
        timeout: patch.timeout.map(|_| task.timeout.unwrap_or_default()),
        agent: patch.agent.as_ref().map(|_| Box::new(task.agent.clone())),
        begins_anew: patch.begins_anew.map(|_| task.begins_anew),
        plan: patch.plan.as_ref().and_then(|_| task.plan.clone()),
        stage: None,
        workflow: None,
    })
}
