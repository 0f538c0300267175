//! Actions that can be undone for a while, and how. Data, and which command is the inverse of which; nothing is requested here.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pane, Tab};
use crate::domain::command::TaskPatch;
use crate::domain::{Command, Skip, Span, Task, TaskId, TaskState, Timestamp};
use crate::read_model::ReadModel;
use crate::ui::pane::PaneId;

/// How long an action can be undone (A10).
pub(crate) const UNDO_FOR: Span = Span::seconds(10);

/// Actions that are remembered; older ones are forgotten.
pub(crate) const MOST_UNDOABLE: usize = 20;

/// An entry of the undo list: what was done, when, and how it is undone.
#[derive(Debug, Clone)]
pub(crate) struct UndoEntry {
    /// What was done, in a few words.
    pub(crate) title: String,
    pub(crate) at: Timestamp,
    pub(crate) method: UndoMethod,
}

/// The way in which an action is undone.
#[derive(Debug, Clone)]
pub(crate) enum UndoMethod {
    /// By asking the board for something else.
    Commands {
        done: Vec<Command>,
        inverse: Vec<Command>,
    },
    /// By showing what was shown before.
    Panes(Box<PanesSnapshot>),
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
    /// Whether undo is offered for it.
    pub(crate) fn is_shown(&self, now: Timestamp) -> bool {
        self.is_fresh(now) && !matches!(self.method, UndoMethod::Irreversible(_))
    }

    /// Whether it was done so lately that undo means it.
    pub(crate) fn is_fresh(&self, now: Timestamp) -> bool {
        now < self.at + UNDO_FOR
    }
}

/// The inverse of a command, as things are before it is requested; nothing when there is none.
pub(crate) fn inverse(command: &Command, model: &ReadModel) -> Option<Vec<Command>> {
    let task = |id: &TaskId| model.tasks.get(id).map(AsRef::as_ref);
    Some(match command {
        Command::Skip(id) => vec![back_from_aside(task(id)?)],
        Command::Park(id, _) => match &task(id)?.state {
            TaskState::Held(_) => return None,
            _ => vec![back_from_aside(task(id)?)],
        },
        Command::Retry { task: id, .. } => vec![back_from_retry(task(id)?)?],
        Command::Release(ids) => {
            let tasks = ids.iter().filter_map(task);
            let moved = |state: &TaskState| matches!(state, TaskState::Backlog | TaskState::Parked(_));
            tasks
                .filter(|task| moved(&task.state))
                .map(back_from_aside)
                .collect()
        }
        Command::Withdraw(id) => vec![back_from_backlog(task(id)?, model)?],
        Command::Update(id, patch) => vec![Command::Update(id.clone(), unpatched(task(id)?, patch)?)],
        Command::Pause => vec![Command::Resume],
        Command::Resume => vec![Command::Pause],
        _ => return None,
    })
}

/// How a task that is about to be parked or skipped comes back to where it is now.
fn back_from_aside(task: &Task) -> Command {
    match &task.state {
        TaskState::Backlog => Command::Withdraw(task.id.clone()),
        _ => parked_again(task).unwrap_or_else(|| retry(task.id.clone())),
    }
}

/// How a task that is about to go back to the backlog comes back; nothing where releasing it again would start more than it.
fn back_from_backlog(task: &Task, model: &ReadModel) -> Option<Command> {
    let batch = model.batches.get(&task.batch);
    let goes = batch.is_some_and(|batch| batch.go_ahead.is_some());
    match &task.state {
        TaskState::Parked(_) => parked_again(task),
        TaskState::Released if goes => Some(Command::Release(vec![task.id.clone()])),
        _ => None,
    }
}

fn back_from_retry(task: &Task) -> Option<Command> {
    match &task.state {
        TaskState::Skipped(Skip::Person { .. }) => Some(Command::Skip(task.id.clone())),
        _ => parked_again(task),
    }
}

/// How a task comes back that is parked, or stuck: what was stuck must not begin to work by undo.
fn parked_again(task: &Task) -> Option<Command> {
    let why = match &task.state {
        TaskState::Parked(why) => why.clone(),
        TaskState::Held(hold) => format!("held before: {hold}"),
        TaskState::Failed(why) => format!("failed before: {why}"),
        _ => return None,
    };
    Some(Command::Park(task.id.clone(), why))
}

/// The command that retries a task where it stands.
pub(crate) fn retry(task: TaskId) -> Command {
    Command::Retry {
        task,
        stage: None,
        note: None,
    }
}

/// The inverse of a change; nothing for a move, which stops work.
fn unpatched(task: &Task, patch: &TaskPatch) -> Option<TaskPatch> {
    if patch.stage.is_some() || patch.workflow.is_some() {
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
