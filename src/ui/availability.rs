//! Whether an action is possible now, and if not, why: one sentence for people. Hints, help and keys ask here.

use super::action::{Action, Availability};
use super::pane::PaneId;
use super::scene::Scene;
use super::screen_layout::{ScreenLayout, is_running};
use super::state::{PaneContent, UiState};
use super::target::ActionTarget;
use super::views::{target, view_of};
use crate::domain::task::{HoldReason, WaitReason};
use crate::domain::workflow::RejectTo;
use crate::domain::{Task, TaskState};

/// Why an action is not possible now; nothing when it is.
pub(crate) fn unavailable_reason(
    action: Action,
    state: &UiState,
    scene: &Scene<'_>,
    arranged: &ScreenLayout,
) -> Option<String> {
    unavailable_reason_for(action, &target(state, scene, arranged), state, scene, arranged)
}

/// The same for an action on something that was named.
pub(crate) fn unavailable_reason_for(
    action: Action,
    about: &ActionTarget<'_>,
    state: &UiState,
    scene: &Scene<'_>,
    arranged: &ScreenLayout,
) -> Option<String> {
    match action
        .entry()
        .map_or(Availability::Always, |entry| entry.availability)
    {
        Availability::Always => None,
        Availability::Terminal => terminal(about, state, scene, arranged),
        Availability::CopyMode => none_if(state.copy_mode.is_some(), || {
            "no terminal is held still; copy mode does that".to_owned()
        }),
        Availability::Matches => none_if(
            state.copy_mode.is_some() || !state.pane(arranged.focus).filter.is_empty(),
            || "nothing was looked for".to_owned(),
        ),
        Availability::TerminalFocus => screen(state, scene, arranged),
        Availability::Attention => none_if(!scene.model.attention.is_empty(), || {
            "nothing needs you".to_owned()
        }),
        Availability::Trouble => none_if(scene.model.delayed().next().is_some(), || {
            "nothing waits because of something outside".to_owned()
        }),
        Availability::Panes => none_if(arranged.order.len() > 1, || {
            "this tab has one pane only".to_owned()
        }),
        Availability::Diff => none_if(
            matches!(state.pane(arranged.focus).content, PaneContent::Diff(..)),
            || "this pane shows no differences".to_owned(),
        ),
        Availability::Parts => none_if(view_of(&state.pane(arranged.focus).content).has_parts(), || {
            "this pane shows no files or checks".to_owned()
        }),
        Availability::Tabs => none_if(state.tabs.len() > 1, || "there is one tab only".to_owned()),
        Availability::Agent => agent(about),
        Availability::Workplace => none_if(
            about.attempt.is_some_and(|attempt| attempt.workplace.is_some()),
            || "nobody works on it, so there is no folder".to_owned(),
        ),
        Availability::Approval if about.wants_permission().is_some() => None,
        of_task => match about.task {
            None => Some("no task is selected".to_owned()),
            Some(task) => task_refuses(of_task, task).or_else(|| stage_refuses(of_task, task, scene)),
        },
    }
}

/// Whether the pane shows something that was opened out of something else, so that one can go back there.
pub(crate) fn can_go_back(state: &UiState, pane: PaneId) -> bool {
    state
        .panes
        .get(&pane)
        .is_some_and(|pane| !pane.back_stack.is_empty())
}

fn none_if(possible: bool, why: impl FnOnce() -> String) -> Option<String> {
    if possible { None } else { Some(why()) }
}

fn screen(state: &UiState, scene: &Scene<'_>, arranged: &ScreenLayout) -> Option<String> {
    let screen = state.pane(arranged.focus).content.screen();
    let there = screen.is_some_and(|id| scene.screens.has(id));
    none_if(there, || "there is no terminal here".to_owned())
}

/// Typing needs a program that runs where the focus is, or an agent at work whose terminal one can go to.
fn terminal(
    about: &ActionTarget<'_>,
    state: &UiState,
    scene: &Scene<'_>,
    arranged: &ScreenLayout,
) -> Option<String> {
    let here = state.pane(arranged.focus).content.screen();
    match here.filter(|_| !about.is_named) {
        Some(id) if is_running(scene, id) => None,
        Some(_) => Some("its program does not run (any more)".to_owned()),
        None => agent(about),
    }
}

fn agent(about: &ActionTarget<'_>) -> Option<String> {
    none_if(about.attempt.is_some(), || match about.task {
        Some(task) => format!("no agent works on {}", task.id),
        None => "no task is selected".to_owned(),
    })
}

/// Why nothing is sent back from where the task stands: its stage leads nowhere back, or is not known.
fn stage_refuses(when: Availability, task: &Task, scene: &Scene<'_>) -> Option<String> {
    if when != Availability::Rejectable {
        return None;
    }
    let flow = scene.model.workflows.get(&task.workflow);
    let stage = flow.and_then(|flow| flow.stage(&task.stage));
    let leads_back = stage.is_some_and(|stage| stage.reject != RejectTo::Never);
    let name = stage.map_or(task.stage.as_str(), |stage| &stage.label);
    none_if(leads_back, || {
        format!(
            "{name} leads nowhere back; move {0}, park it or close it",
            task.id
        )
    })
}

fn task_refuses(when: Availability, task: &Task) -> Option<String> {
    let word = task.state.word();
    let possible = match (when, &task.state) {
        (Availability::Approval, state) => *state == TaskState::Held(HoldReason::Approval),
        (Availability::Rejectable, state) => matches!(
            state,
            TaskState::Held(_) | TaskState::Active | TaskState::Verifying | TaskState::Released
        ),
        (Availability::Retryable, TaskState::Held(hold)) => *hold != HoldReason::Approval,
        (Availability::Retryable, TaskState::Released) => task.not_before.is_some(),
        (Availability::Retryable, state) => {
            matches!(
                state,
                TaskState::Parked(_) | TaskState::Failed(_) | TaskState::Skipped(_)
            )
        }
        // Taken up again before its batch had a go-ahead, it waits for nothing but that.
        (Availability::Backlog, TaskState::Released) => task.why_not == Some(WaitReason::NoGoAhead),
        (Availability::Backlog, state) => matches!(state, TaskState::Backlog | TaskState::Parked(_)),
        (Availability::Unfinished, state) => !state.is_terminal(),
        (
            Availability::Always
            | Availability::Task
            | Availability::Agent
            | Availability::Workplace
            | Availability::Terminal
            | Availability::TerminalFocus
            | Availability::CopyMode
            | Availability::Matches
            | Availability::Attention
            | Availability::Trouble
            | Availability::Panes
            | Availability::Diff
            | Availability::Parts
            | Availability::Tabs,
            _,
        ) => true,
    };
    none_if(possible, || match when {
        Availability::Approval => format!("{} does not wait for approval: {word}", task.id),
        Availability::Backlog => format!("{} is not in the backlog: {word}", task.id),
        Availability::Unfinished => format!("{} is over: {word}", task.id),
        Availability::Retryable => format!("{} is not held, parked, failed or skipped: {word}", task.id),
        _ => format!("{} is not under way: {word}", task.id),
    })
}
