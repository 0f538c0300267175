//! Availability of actions: tells if an action is possible now, and if not, the reason in one sentence for people. Used by hints, help and
//! keys.

use super::pane::PaneId;
use super::scene::Scene;
use super::screen_layout::{ScreenLayout, is_running};
use super::state::{PaneContent, UiState};
use super::target::ActionTarget;
use super::views::{target, view_of};
use crate::domain::WaitReason;
use crate::domain::task::HoldReason;
use crate::domain::workflow::RejectTo;
use crate::domain::{AskKind, Task, TaskState};
use crate::keymap::{Action, Availability};

/// Returns the reason why an action is not possible now; `None` if it is possible.
pub(crate) fn unavailable_reason(
    action: Action,
    state: &UiState,
    scene: &Scene<'_>,
    layout: &ScreenLayout,
) -> Option<String> {
    unavailable_reason_for(action, &target(state, scene, layout), state, scene, layout)
}

/// Returns the same for an action on a given target.
pub(crate) fn unavailable_reason_for(
    action: Action,
    target: &ActionTarget<'_>,
    state: &UiState,
    scene: &Scene<'_>,
    layout: &ScreenLayout,
) -> Option<String> {
    let availability = action
        .entry()
        .map_or(Availability::Always, |entry| entry.availability);
    match availability {
        Availability::Always | Availability::Workplace => None,
        Availability::Task => task_refuses(target, |_| true, ""),
        Availability::Approval | Availability::Permission if target.wants_permission(scene.now).is_some() => {
            None
        }
        Availability::Permission if action == Action::Deny && target.takes_no(scene.now).is_some() => None,
        Availability::Approval => approval(target, state, scene),
        Availability::Permission => Some("no agent asks for a permission here".to_owned()),
        Availability::Rejectable => task_refuses(target, is_under_way, "is not under way")
            .or_else(|| stage_refuses(target.task?, scene)),
        // For a leftover workspace of a task, the only choice is to try to remove it again; a note would have no reader.
        Availability::Retryable if action == Action::Retry && has_left_workspace(target, scene) => None,
        Availability::Retryable => {
            task_refuses(target, can_be_retried, "is not held, parked, failed or skipped")
        }
        Availability::Unfinished => task_refuses(target, |task| !task.state.is_terminal(), "is over"),
        Availability::Skippable => task_refuses(target, |task| task.state.can_be_skipped(), "is over"),
        Availability::Backlog => task_refuses(target, is_in_backlog, "is not in the backlog"),
        Availability::Agent => agent(target),
        Availability::Terminal => terminal(target, state, scene, layout),
        Availability::TerminalFocus => {
            let screen = state.pane(layout.focus).content.screen();
            let is_there = screen.is_some_and(|id| scene.screens.has(id));
            unless(is_there, "there is no terminal here")
        }
        Availability::CopyMode => unless(state.copy_mode.is_some(), "not in copy mode"),
        Availability::Matches => unless(
            state.copy_mode.is_some() || !state.pane(layout.focus).filter.is_empty(),
            "nothing was searched for",
        ),
        Availability::Trouble => unless(
            scene.model.delayed().next().is_some(),
            "nothing waits because of something outside",
        ),
        Availability::Panes => unless(layout.order.len() > 1, "this tab has one pane only"),
        Availability::Tabs => unless(state.tabs.len() > 1, "there is one tab only"),
        Availability::Diff => unless(
            matches!(state.pane(layout.focus).content, PaneContent::Diff(..)),
            "this pane shows no differences",
        ),
        Availability::Parts => unless(
            view_of(&state.pane(layout.focus).content).has_parts(),
            "this pane shows no files or checks",
        ),
    }
}

/// Returns true if the pane shows something that was opened out of something else, so that going back is possible.
pub(crate) fn can_go_back(state: &UiState, pane: PaneId) -> bool {
    state
        .panes
        .get(&pane)
        .is_some_and(|pane| !pane.back_stack.is_empty())
}

fn unless(possible: bool, why: &str) -> Option<String> {
    (!possible).then(|| why.to_owned())
}

/// Checks that there is something to approve: a dialog that accepts a yes, or a task that waits for a yes.
fn approval(target: &ActionTarget<'_>, state: &UiState, scene: &Scene<'_>) -> Option<String> {
    match target.asks(AskKind::Dialog, scene.now) {
        Some((_, known)) if known.ask.only_yes().is_some() => None,
        Some(_) => {
            let key = state.keymap.hint(Action::Type).unwrap_or_default();
            Some(format!("a dialog of its tool is answered in its terminal: {key}"))
        }
        None => task_refuses(target, awaits_approval, "does not wait for approval"),
    }
}

/// Checks that typing is possible: it needs a running program where the focus is, or an agent at work with a terminal to go to.
fn terminal(
    target: &ActionTarget<'_>,
    state: &UiState,
    scene: &Scene<'_>,
    layout: &ScreenLayout,
) -> Option<String> {
    let here = state.pane(layout.focus).content.screen();
    match here.filter(|_| !target.is_named) {
        Some(id) => unless(is_running(scene, id), "its program does not run (any more)"),
        None => agent(target),
    }
}

fn agent(target: &ActionTarget<'_>) -> Option<String> {
    match (target.attempt, target.task) {
        (Some(_), _) => None,
        (None, Some(task)) => Some(format!("no agent works on {}", task.id)),
        (None, None) => Some("no task is selected".to_owned()),
    }
}

/// Returns the reason why the current task is not a wanted one: no task is selected, or it `is_not` one of them.
fn task_refuses(target: &ActionTarget<'_>, wanted: fn(&Task) -> bool, is_not: &str) -> Option<String> {
    match target.task {
        None => Some("no task is selected".to_owned()),
        Some(task) if wanted(task) => None,
        Some(task) => Some(format!("{} {is_not}: {}", task.id, task.state.word())),
    }
}

fn awaits_approval(task: &Task) -> bool {
    task.state.awaits_approval()
}

fn is_under_way(task: &Task) -> bool {
    matches!(
        task.state,
        TaskState::Held(_) | TaskState::Active | TaskState::Verifying | TaskState::Released
    )
}

fn can_be_retried(task: &Task) -> bool {
    match &task.state {
        TaskState::Held(hold) => *hold != HoldReason::Approval,
        TaskState::Released => task.not_before.is_some(),
        state => matches!(
            state,
            TaskState::Parked(_) | TaskState::Failed(_) | TaskState::Skipped(_)
        ),
    }
}

/// Returns true if a workspace of the task still exists because it could not be removed; retrying the task tries that again, whatever state
/// the task is in.
fn has_left_workspace(target: &ActionTarget<'_>, scene: &Scene<'_>) -> bool {
    let mut attempts = scene.model.attempts.values();
    target.task.is_some_and(|task| {
        attempts.any(|attempt| attempt.task == task.id && attempt.unremovable().is_some())
    })
}

fn is_in_backlog(task: &Task) -> bool {
    match &task.state {
        // A task that was retried before its batch had a go-ahead waits for nothing else.
        TaskState::Released => task.why_not == Some(WaitReason::NoGoAhead),
        state => matches!(state, TaskState::Backlog | TaskState::Parked(_)),
    }
}

/// Returns the reason why the task cannot be sent back from its stage: the stage sends nothing back, or is not known.
fn stage_refuses(task: &Task, scene: &Scene<'_>) -> Option<String> {
    let flow = scene.model.workflows.get(&task.workflow);
    let stage = flow.and_then(|flow| flow.stage(&task.stage));
    let is_decided_here = matches!(task.state, TaskState::Held(HoldReason::Findings(_)));
    if is_decided_here || stage.is_some_and(|stage| stage.reject != RejectTo::Never) {
        return None;
    }
    let name = stage.map_or(task.stage.as_str(), |stage| &stage.label);
    Some(format!(
        "{name} sends nothing back; move {0}, park it or close it",
        task.id
    ))
}
