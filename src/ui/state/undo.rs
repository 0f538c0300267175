//! Acts that can be taken back for a while, and how. Data, and what takes back what; nothing is asked here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pane, Tab};
use crate::domain::command::TaskPatch;
use crate::domain::{Command, Span, Task, TaskId, TaskState, Timestamp};
use crate::read_model::ReadModel;
use crate::ui::pane::PaneId;

/// How long an act can be taken back (A10).
pub(crate) const UNDO_FOR: Span = Span::seconds(10);

/// Acts that are remembered; older ones are forgotten.
pub(crate) const MOST_UNDOABLE: usize = 20;

/// An entry of the undo list: what was done, when, and how it is taken back.
#[derive(Debug, Clone)]
pub(crate) struct UndoEntry {
    /// What was done, in a few words.
    pub(crate) title: String,
    /// When.
    pub(crate) at: Timestamp,
    /// How it is taken back.
    pub(crate) method: UndoMethod,
}

/// How an act is taken back.
#[derive(Debug, Clone)]
pub(crate) enum UndoMethod {
    /// By asking the board for something else.
    Commands {
        /// What was asked.
        done: Vec<Command>,
        /// What takes it back.
        inverse: Vec<Command>,
    },
    /// By showing what was shown before.
    Panes(Box<PanesSnapshot>),
    /// By marking what was marked before.
    Marks(BTreeSet<TaskId>),
    /// By giving the session the name it had before.
    Name(String),
    /// Not at all; what the board was asked, if it was.
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
    /// Whether it is to be offered that it is taken back.
    pub(crate) fn is_shown(&self, now: Timestamp) -> bool {
        self.is_fresh(now) && !matches!(self.method, UndoMethod::Irreversible(_))
    }

    /// Whether it was done so lately that it is what a person means who wants to take something back.
    pub(crate) fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.at + UNDO_FOR
    }
}

/// What takes a command back, as things are before it is asked; nothing when nothing does.
pub(crate) fn inverse(command: &Command, model: &ReadModel) -> Option<Vec<Command>> {
    let task = |id: &TaskId| model.tasks.get(id).map(AsRef::as_ref);
    Some(match command {
        Command::Skip(id) => back_from_aside(task(id)?),
        Command::Park(id, _) => match &task(id)?.state {
            TaskState::Held(_) => return None,
            _ => back_from_aside(task(id)?),
        },
        Command::Retry { task: id, .. } => back_from_retry(task(id)?)?,
        Command::Release(ids) => {
            let back = ids.iter().filter_map(|id| match &task(id)?.state {
                TaskState::Backlog => Some(Command::Withdraw(id.clone())),
                TaskState::Parked(why) => Some(Command::Park(id.clone(), why.clone())),
                _ => None,
            });
            back.collect()
        }
        Command::Withdraw(id) => back_from_backlog(task(id)?, model)?,
        Command::Update(id, patch) => vec![Command::Update(id.clone(), unpatched(task(id)?, patch)?)],
        Command::Pause => vec![Command::Resume],
        Command::Resume => vec![Command::Pause],
        _ => return None,
    })
}

/// A task that is about to be set aside or left out: how it comes back to where it is now.
fn back_from_aside(task: &Task) -> Vec<Command> {
    let id = task.id.clone();
    vec![match &task.state {
        TaskState::Backlog => Command::Withdraw(id),
        TaskState::Parked(why) => Command::Park(id, why.clone()),
        // What was stuck must not begin to work by being taken back.
        TaskState::Held(hold) => Command::Park(id, format!("held before: {hold}")),
        TaskState::Failed(why) => Command::Park(id, format!("failed before: {why}")),
        _ => again(id),
    }]
}

/// A task that is about to be taken back into the backlog; nothing where handing it over again would start more than it.
fn back_from_backlog(task: &Task, model: &ReadModel) -> Option<Vec<Command>> {
    let id = task.id.clone();
    let goes = model
        .batches
        .get(&task.batch)
        .is_some_and(|batch| batch.go_ahead.is_some());
    match &task.state {
        TaskState::Parked(why) => Some(vec![Command::Park(id, why.clone())]),
        TaskState::Released if goes => Some(vec![Command::Release(vec![id])]),
        _ => None,
    }
}

fn back_from_retry(task: &Task) -> Option<Vec<Command>> {
    let id = task.id.clone();
    Some(vec![match &task.state {
        TaskState::Parked(why) => Command::Park(id, why.clone()),
        TaskState::Skipped(root) if *root == id => Command::Skip(id),
        TaskState::Held(hold) => Command::Park(id, format!("held before: {hold}")),
        TaskState::Failed(why) => Command::Park(id, format!("failed before: {why}")),
        _ => return None,
    }])
}

fn again(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
}

/// The change that makes a change undone; nothing for a move, which stops work.
fn unpatched(task: &Task, patch: &TaskPatch) -> Option<TaskPatch> {
    if patch.stage.is_some() {
        return None;
    }
    Some(TaskPatch {
        title: patch.title.as_ref().map(|_| task.title.clone()),
        body: patch.body.as_ref().map(|_| task.body.clone()),
        priority: patch.priority.map(|_| task.priority),
        add_tags: patch.remove_tags.intersection(&task.tags).cloned().collect(),
        remove_tags: patch.add_tags.difference(&task.tags).cloned().collect(),
        stage: None,
    })
}
