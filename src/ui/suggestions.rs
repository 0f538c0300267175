//! Suggested actions for the place with the focus: the hints of the last row, the first rows of palette and help.

use super::scene::Scene;
use super::screen_layout::{InputMode, ScreenLayout, mode_under_overlay};
use super::state::{PaneContent, UiState};
use super::views::{LOG, METRICS, SESSIONS, target};
use crate::domain::AskKind;
use crate::keymap::Action;
use crate::keymap::SelectionMode;

const NAV: [Action; 19] = [
    Action::NextPart,
    Action::ToggleDiffBase,
    Action::Open,
    Action::Approve,
    Action::Deny,
    Action::Reject,
    Action::Retry,
    Action::Release,
    Action::Answer,
    Action::Type,
    Action::StopAgent,
    Action::Skip,
    Action::NewTask,
    Action::Find,
    Action::Palette,
    Action::TogglePause,
    Action::NextPane,
    Action::Zoom,
    Action::Detach,
];
const LOOK: [Action; 10] = [
    Action::Type,
    Action::Back,
    Action::Find,
    Action::CopyMode,
    Action::Answer,
    Action::StopAgent,
    Action::NextPane,
    Action::Zoom,
    Action::Last,
    Action::Detach,
];
const COPY: [Action; 9] = [
    Action::CopySelection,
    Action::Select(SelectionMode::Text),
    Action::Select(SelectionMode::Lines),
    Action::Select(SelectionMode::Block),
    Action::Find,
    Action::NextMatch,
    Action::PreviousMatch,
    Action::OtherEnd,
    Action::Back,
];
const TYPE: [Action; 5] = [
    Action::StopTyping,
    Action::GoToAttention,
    Action::ShowBoard,
    Action::Detach,
    Action::Zoom,
];

/// Actions that are possible almost everywhere: they fill the palette up where a place suggests few.
pub(crate) const ANYWHERE: [Action; 12] = [
    Action::Help,
    Action::NewTask,
    Action::GoToAttention,
    Action::ShowBoard,
    Action::ListPanes,
    Action::FindEverywhere,
    Action::NewShell,
    Action::Show(SESSIONS),
    Action::Show(LOG),
    Action::Show(METRICS),
    Action::ChooseTheme,
    Action::Detach,
];

/// Actions that are likely only where something waits for a person's word.
const WORDS: [Action; 2] = [Action::Reject, Action::Answer];

/// Returns the likeliest actions for the place with the focus, regardless of any overlay.
pub(crate) fn suggested_actions(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout) -> Vec<Action> {
    match mode_under_overlay(state, scene, layout.focus) {
        InputMode::Nav | InputMode::Find | InputMode::Ask => in_nav(state, scene, layout),
        InputMode::Copy => COPY.to_vec(),
        InputMode::Look => in_look(state, scene, layout),
        InputMode::Type => TYPE.to_vec(),
    }
}

/// Returns the suggestions for a terminal: the keys that answer an agent's question come first.
fn in_look(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout) -> Vec<Action> {
    let about = target(state, scene, layout);
    let answers: &[Action] = if about.asks(AskKind::Question, scene.now).is_some() {
        &[Action::Answer]
    } else {
        &[Action::Approve, Action::Deny]
    };
    // A text to an agent that asks for a permission is a no, which has a key of its own.
    let is_permission = about.wants_permission(scene.now).is_some();
    let rest = LOOK
        .into_iter()
        .filter(|action| !(answers.contains(action) || is_permission && *action == Action::Answer));
    answers.iter().copied().chain(rest).collect()
}

/// Returns the suggestions for our views: if nothing waits for a person's word, giving one comes last; where a list of tasks is empty,
/// nothing is opened.
fn in_nav(state: &UiState, scene: &Scene<'_>, layout: &ScreenLayout) -> Vec<Action> {
    let about = target(state, scene, layout);
    let task = about.task.map(|task| &task.id);
    let asked = scene
        .model
        .attention
        .iter()
        .any(|waits| Some(&waits.task) == task);
    let lists_tasks = match &state.pane(layout.focus).content {
        PaneContent::Board | PaneContent::Agents => true,
        PaneContent::Page(page) => page.name() == "inbox",
        _ => false,
    };
    let is_empty = lists_tasks && about.task.is_none() && about.attempt.is_none();
    let is_permission = about.wants_permission(scene.now).is_some();
    let offered = NAV.into_iter().filter(|action| match action {
        Action::Open => !is_empty,
        Action::Answer => !is_permission,
        // A question can be declined, too; the help says so.
        Action::Deny => is_permission,
        _ => true,
    });
    let (words, mut rest): (Vec<Action>, Vec<Action>) =
        offered.partition(|action| !asked && WORDS.contains(action));
    let retry = rest.iter().position(|action| *action == Action::Retry);
    if let (Some(at), Some(_)) = (retry, about.blocking_question()) {
        rest.insert(at, Action::RetryWithNote);
    }
    rest.into_iter().chain(words).collect()
}
