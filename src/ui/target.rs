//! What an action is about: the selected task, the agent in hand. Derived from state and scene, never stored twice.

use super::fuzzy::{FuzzyMatcher, FuzzyQuery};
use super::list_filter::{ListFilter, checks, inbox, sessions};
use super::pane::PaneId;
use super::scene::{Scene, ScreenId};
use super::state::{FinishedTasks, Pane, UiState};
use crate::domain::{AskKind, AskRecord, Attempt, AttemptId, HoldReason, Task, TaskId, TaskState, Timestamp};
use crate::read_model::{AttentionItem, CheckRun, Column, ColumnKind, SessionRow, SessionState};

/// The task and the attempt an action applies to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ActionTarget<'a> {
    pub(crate) task: Option<&'a Task>,
    pub(crate) attempt: Option<&'a Attempt>,
    /// Whether the task was named, so that it is meant whatever has the focus.
    pub(crate) is_named: bool,
}

impl<'a> ActionTarget<'a> {
    /// The agent at work and what it wants to be allowed, if it does.
    pub(crate) fn wants_permission(&self, now: Timestamp) -> Option<(&'a Attempt, &'a AskRecord)> {
        let attempt = self.attempt?;
        let is_permission =
            |known: &&AskRecord| matches!(known.ask.kind, AskKind::Permission | AskKind::Plan);
        Some((attempt, attempt.open_asks(now).find(is_permission)?))
    }

    /// The agent at work and what it asks first, if that is of this kind.
    pub(crate) fn asks(&self, kind: AskKind, now: Timestamp) -> Option<(&'a Attempt, &'a AskRecord)> {
        let attempt = self.attempt?;
        let mut open = attempt.open_asks(now);
        Some((attempt, open.find(|known| known.ask.kind == kind)?))
    }

    /// The question with which an agent blocked the task, as long as it is held for that.
    pub(crate) fn blocking_question(&self) -> Option<&'a str> {
        self.task.and_then(blocking_question)
    }
}

/// The question with which an agent blocked a task, as long as the task is held for that.
pub(crate) fn blocking_question(task: &Task) -> Option<&str> {
    match &task.state {
        TaskState::Held(HoldReason::Blocked(question)) => Some(question),
        _ => None,
    }
}

/// That attempt, as long as it is open, and its task.
pub(crate) fn attempt_target<'a>(scene: &Scene<'a>, id: AttemptId) -> ActionTarget<'a> {
    let attempt = scene.model.attempts.get(&id).map(AsRef::as_ref);
    ActionTarget {
        task: attempt
            .and_then(|attempt: &Attempt| scene.model.tasks.get(&attempt.task))
            .map(AsRef::as_ref),
        attempt: attempt.filter(|attempt| attempt.state.is_open()),
        is_named: false,
    }
}

/// The selected task and whoever works on it.
pub(crate) fn selected_target<'a>(state: &UiState, scene: &Scene<'a>) -> ActionTarget<'a> {
    selected(state, scene).map_or_else(ActionTarget::default, |id| task_target(scene, &id))
}

/// That task and whoever works on it.
pub(crate) fn task_target<'a>(scene: &Scene<'a>, id: &TaskId) -> ActionTarget<'a> {
    let task = scene.model.tasks.get(id).map(AsRef::as_ref);
    ActionTarget {
        task,
        attempt: task.and_then(|task| scene.model.open_attempt(task)),
        is_named: false,
    }
}

/// The same for a task that a person has named.
pub(crate) fn named_target<'a>(scene: &Scene<'a>, id: &TaskId) -> ActionTarget<'a> {
    ActionTarget {
        is_named: true,
        ..task_target(scene, id)
    }
}

/// The selected task: the one chosen; while there is none, the one watched, else the first of the board.
pub(crate) fn selected(state: &UiState, scene: &Scene<'_>) -> Option<TaskId> {
    let exists = |id: &&TaskId| scene.model.tasks.contains_key(*id);
    let chosen = state.selected.as_ref().filter(exists);
    let chosen = chosen.or(state.watched.as_ref().map(|(task, _)| task).filter(exists));
    let columns = || {
        ordered_columns(scene)
            .into_iter()
            .filter(|column| shows_column(state, column))
    };
    let first = || columns().find_map(|column| column.cards.first());
    chosen.or_else(first).cloned()
}

/// What is marked among all that needs a person, and where it stands there: the selected task's, else the first.
pub(crate) fn marked_attention<'a>(
    state: &UiState,
    pane: &Pane,
    scene: &Scene<'a>,
) -> Option<(usize, &'a AttentionItem)> {
    let items = inbox(&ListFilter::for_pane(pane), scene);
    let chosen = items
        .iter()
        .position(|item| Some(&item.task) == state.selected.as_ref());
    let at = chosen.unwrap_or(0);
    items.get(at).map(|item| (at, *item))
}

/// The session marked: the one at that place, else the first that is not this one.
pub(crate) fn marked_session<'a>(pane: &Pane, scene: &Scene<'a>) -> Option<(usize, &'a SessionRow)> {
    let rows = sessions(&ListFilter::for_pane(pane), scene);
    let mark = pane.mark.and_then(|mark| usize::try_from(mark).ok());
    let chosen = rows.iter().find(|(at, _)| Some(*at) == mark);
    let other = || rows.iter().find(|(_, row)| row.state != SessionState::Here);
    chosen.or_else(other).or_else(|| rows.first()).copied()
}

/// The check marked among those of a task, or of all: the one of that number, else the worst.
pub(crate) fn marked_check<'a>(
    task: Option<&TaskId>,
    pane: &Pane,
    scene: &Scene<'a>,
) -> Option<&'a CheckRun> {
    let checks = checks(&ListFilter::for_pane(pane), task, scene);
    let chosen = checks.iter().find(|check| Some(check.key()) == pane.mark);
    chosen.or_else(|| checks.first()).copied()
}

/// The agent marked in the list of agents: the one chosen, also when it has ended, as long as its screen is kept; else the first.
pub(crate) fn shown_agent(state: &UiState, scene: &Scene<'_>, focus: PaneId) -> Option<AttemptId> {
    let open = |id: &AttemptId| {
        let is_kept = scene.screens.has(ScreenId::Attempt(*id));
        is_kept || scene.model.agents().any(|row| row.attempt.id == *id)
    };
    match focus {
        PaneId::Agent(id) => Some(id),
        PaneId::Fixed(_) => {
            let chosen = state.agent.filter(open);
            chosen.or_else(|| scene.model.agents().next().map(|row| row.attempt.id))
        }
    }
}

/// Columns in the order of lists: the stages, the backlog, what is done (K80).
pub(crate) fn ordered_columns<'a>(scene: &Scene<'a>) -> Vec<&'a Column> {
    let of = |wanted: fn(&ColumnKind) -> bool| {
        scene
            .model
            .columns
            .iter()
            .filter(move |column| wanted(&column.kind))
    };
    let mut columns: Vec<_> = of(|kind| matches!(kind, ColumnKind::Stage(..))).collect();
    columns.extend(of(|kind| *kind == ColumnKind::Backlog));
    columns.extend(of(|kind| *kind == ColumnKind::Done));
    columns
}

/// Whether lists show that column, or only how many it holds.
pub(crate) fn shows_column(state: &UiState, column: &Column) -> bool {
    column.kind != ColumnKind::Done || state.finished == FinishedTasks::Shown
}

/// Tells of one task after the other whether it matches what a list is filtered by.
pub(crate) fn task_filter<'a>(
    needle: &'a FuzzyQuery,
    scene: &'a Scene<'_>,
) -> impl FnMut(&TaskId) -> bool + 'a {
    let mut matcher = FuzzyMatcher::new(needle);
    move |id| {
        if needle.is_empty() {
            return true;
        }
        let title = scene.model.tasks.get(id).map(|task| task.title.as_str());
        matcher.fits(&[id.as_str(), " ", title.unwrap_or_default()])
    }
}

/// The cards of a column that lists show; what is looked for is looked for among the finished, too.
pub(crate) fn shown_cards<'a>(
    state: &UiState,
    scene: &Scene<'_>,
    filter: &ListFilter,
    column: &'a Column,
) -> Vec<&'a TaskId> {
    if filter.needle.is_empty() && !shows_column(state, column) {
        return Vec::new();
    }
    let mut is_match = task_filter(&filter.needle, scene);
    let mut cards: Vec<&TaskId> = column.cards.iter().filter(|id| is_match(id)).collect();
    sort_tasks(filter, scene, &mut cards);
    cards
}

/// Puts tasks in the order a person wished.
pub(crate) fn sort_tasks<T: std::borrow::Borrow<TaskId>>(
    filter: &ListFilter,
    scene: &Scene<'_>,
    tasks: &mut [T],
) {
    let task = |id: &T| scene.model.tasks.get(id.borrow());
    filter.sort(
        tasks,
        |id| task(id).map_or(Timestamp::default(), |task| task.since),
        |id| task(id).map_or_else(String::new, |task| task.title.to_lowercase()),
    );
}

/// All tasks that lists show, in order.
pub(crate) fn listed_tasks<'a>(state: &UiState, scene: &Scene<'a>, filter: &ListFilter) -> Vec<&'a TaskId> {
    let columns = ordered_columns(scene).into_iter();
    columns
        .flat_map(|column| shown_cards(state, scene, filter, column))
        .collect()
}
