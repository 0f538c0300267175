//! Targets of actions: the selected task, the current agent. Derived from state and scene, never stored twice.

use super::fuzzy::{FuzzyMatcher, FuzzyQuery};
use super::list_filter::{ListFilter, checks, inbox, sessions};
use super::pane::PaneId;
use super::scene::{Scene, ScreenId};
use super::state::{FinishedTasks, Pane, PaneContent, UiState};
use crate::domain::{AskKind, AskRecord, Attempt, AttemptId, HoldReason, Task, TaskId, TaskState, Timestamp};
use crate::read_model::{AttentionItem, CheckRun, Column, ColumnKind, SessionRow, SessionState};

/// The task and the attempt an action applies to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ActionTarget<'a> {
    pub(crate) task: Option<&'a Task>,
    pub(crate) attempt: Option<&'a Attempt>,
    /// True if the task was named, so that it is meant regardless of the focus.
    pub(crate) is_named: bool,
}

impl<'a> ActionTarget<'a> {
    /// Returns the agent at work and its request for permission, if there is one.
    pub(crate) fn wants_permission(&self, now: Timestamp) -> Option<(&'a Attempt, &'a AskRecord)> {
        let attempt = self.attempt?;
        let is_permission =
            |known: &&AskRecord| matches!(known.ask.kind, AskKind::Permission | AskKind::Plan);
        Some((attempt, attempt.open_asks(now).find(is_permission)?))
    }

    /// Returns the agent at work and what it asks that takes a no: a permission, or a question that can be declined.
    pub(crate) fn takes_no(&self, now: Timestamp) -> Option<(&'a Attempt, &'a AskRecord)> {
        let attempt = self.attempt?;
        let mut open = attempt.open_asks(now);
        let declined = open
            .find(|known| known.ask.takes_no())
            .map(|known| (attempt, known));
        self.wants_permission(now).or(declined)
    }

    /// Returns the agent at work and its first request, if that is of this kind.
    pub(crate) fn asks(&self, kind: AskKind, now: Timestamp) -> Option<(&'a Attempt, &'a AskRecord)> {
        let attempt = self.attempt?;
        let mut open = attempt.open_asks(now);
        Some((attempt, open.find(|known| known.ask.kind == kind)?))
    }

    /// Returns the question with which an agent blocked the task, as long as it is held for that.
    pub(crate) fn blocking_question(&self) -> Option<&'a str> {
        self.task.and_then(blocking_question)
    }
}

/// Returns the question with which an agent blocked a task, as long as the task is held for that.
pub(crate) fn blocking_question(task: &Task) -> Option<&str> {
    match &task.state {
        TaskState::Held(HoldReason::Blocked(question)) => Some(question),
        _ => None,
    }
}

/// Returns that attempt, as long as it is open, and its task.
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

/// Returns the selected task and its open attempt.
pub(crate) fn selected_target<'a>(state: &UiState, scene: &Scene<'a>) -> ActionTarget<'a> {
    selected(state, scene).map_or_else(ActionTarget::default, |id| task_target(scene, &id))
}

/// Returns that task and its open attempt.
pub(crate) fn task_target<'a>(scene: &Scene<'a>, id: &TaskId) -> ActionTarget<'a> {
    let task = scene.model.tasks.get(id).map(AsRef::as_ref);
    ActionTarget {
        task,
        attempt: task.and_then(|task| scene.model.open_attempt(task)),
        is_named: false,
    }
}

/// Returns the same for a task that a person has named.
pub(crate) fn named_target<'a>(scene: &Scene<'a>, id: &TaskId) -> ActionTarget<'a> {
    ActionTarget {
        is_named: true,
        ..task_target(scene, id)
    }
}

/// Returns the selected task: the one chosen; while there is none, the one watched, else the first of the board. Where the tab lists the
/// items of plans alone, another task is not on the screen: the first of them is selected then.
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
    let chosen = chosen.or_else(first);
    if !lists_plans_alone(state) || chosen.is_some_and(|id| is_planned(scene, id)) {
        return chosen.cloned();
    }
    scene.model.first_planned().cloned()
}

/// Returns true if the tab shown lists the items of plans and no other tasks.
fn lists_plans_alone(state: &UiState) -> bool {
    let Some(tab) = state.current_tab() else {
        return false;
    };
    let panes = tab.arrangement.panes();
    let shows = |content: &PaneContent| {
        let mut shown = panes.iter().filter_map(|id| state.panes.get(id));
        shown.any(|pane| pane.content == *content)
    };
    PaneContent::named("plan").is_some_and(|plan| shows(&plan)) && !shows(&PaneContent::Board)
}

fn is_planned(scene: &Scene<'_>, id: &TaskId) -> bool {
    scene.model.tasks.get(id).is_some_and(|task| task.plan.is_some())
}

/// Returns the marked item of the inbox with its index: that of the selected task, else the first.
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

/// Returns the marked session: the one at that place, else the first that is not this one.
pub(crate) fn marked_session<'a>(pane: &Pane, scene: &Scene<'a>) -> Option<(usize, &'a SessionRow)> {
    let rows = sessions(&ListFilter::for_pane(pane), scene);
    let mark = pane.mark.and_then(|mark| usize::try_from(mark).ok());
    let chosen = rows.iter().find(|(at, _)| Some(*at) == mark);
    let other = || rows.iter().find(|(_, row)| row.state != SessionState::Here);
    chosen.or_else(other).or_else(|| rows.first()).copied()
}

/// Returns the marked check among those of a task, or of all: the one of that number, else the worst.
pub(crate) fn marked_check<'a>(
    task: Option<&TaskId>,
    pane: &Pane,
    scene: &Scene<'a>,
) -> Option<&'a CheckRun> {
    let checks = checks(&ListFilter::for_pane(pane), task, scene);
    let chosen = checks.iter().find(|check| Some(check.key()) == pane.mark);
    chosen.or_else(|| checks.first()).copied()
}

/// Returns the marked agent in the list of agents: the one chosen, also when it has ended, as long as its screen is kept; else the first.
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

/// Returns the columns in the order of lists: the stages, the backlog, the finished tasks (K80).
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

/// Returns true if lists show the cards of that column, not only their number.
pub(crate) fn shows_column(state: &UiState, column: &Column) -> bool {
    column.kind != ColumnKind::Done || state.finished == FinishedTasks::Shown
}

/// Returns a predicate that tells if a task matches the filter of a list.
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

/// Returns the cards of a column that lists show; a search includes the finished ones, too.
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

/// Sorts tasks in the order a person wished.
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

/// Returns all tasks that lists show, in order.
pub(crate) fn listed_tasks<'a>(state: &UiState, scene: &Scene<'a>, filter: &ListFilter) -> Vec<&'a TaskId> {
    let columns = ordered_columns(scene).into_iter();
    columns
        .flat_map(|column| shown_cards(state, scene, filter, column))
        .collect()
}
