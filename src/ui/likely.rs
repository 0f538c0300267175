//! What a person is likeliest to do where the focus is: the hints of the last row, the first rows of palette and help.

use super::action::Action;
use super::arrange::{Arranged, Mode, mode_below};
use super::scene::Scene;
use super::state::State;
use super::still::Select;
use super::views::{LOG, METRICS, SESSIONS};

const NAV: [Action; 18] = [
    Action::NextPart,
    Action::Against,
    Action::Open,
    Action::Approve,
    Action::Reject,
    Action::Retry,
    Action::Release,
    Action::Answer,
    Action::Type,
    Action::Skip,
    Action::NewTask,
    Action::Find,
    Action::Palette,
    Action::StopAgent,
    Action::Pause,
    Action::NextPane,
    Action::Zoom,
    Action::Leave,
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
    Action::Leave,
];
const COPY: [Action; 9] = [
    Action::Yank,
    Action::Select(Select::Text),
    Action::Select(Select::Lines),
    Action::Select(Select::Block),
    Action::Find,
    Action::NextMatch,
    Action::PreviousMatch,
    Action::OtherEnd,
    Action::Back,
];
const TYPE: [Action; 5] = [
    Action::Look,
    Action::NeedsYou,
    Action::Board,
    Action::Leave,
    Action::Zoom,
];

/// What is possible almost everywhere: fills the palette up where a place suggests little.
pub(crate) const ANYWHERE: [Action; 12] = [
    Action::Help,
    Action::NewTask,
    Action::NeedsYou,
    Action::Board,
    Action::ListPanes,
    Action::FindEverywhere,
    Action::NewShell,
    Action::Show(SESSIONS),
    Action::Show(LOG),
    Action::Show(METRICS),
    Action::ChooseTheme,
    Action::Leave,
];

/// What a person is likeliest to do where the focus is, whatever lies over it.
pub(crate) fn likely(state: &State, scene: &Scene<'_>, arranged: &Arranged) -> Vec<Action> {
    match mode_below(state, scene, arranged.focus) {
        Mode::Nav | Mode::Find | Mode::Ask => NAV.to_vec(),
        Mode::Copy => COPY.to_vec(),
        Mode::Look => LOOK.to_vec(),
        Mode::Type => TYPE.to_vec(),
    }
}
