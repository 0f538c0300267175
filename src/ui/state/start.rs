//! The state of a client that has just connected, from the layout files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{FinishedTasks, KeyFocus, Pane, PaneArrangement, PaneContent, Tab, UiState};
use crate::ui::keymap::{Keymap, KeymapError};
use crate::ui::layout::{BUILTIN, LayoutError, LayoutKind, TabLayout};
use crate::ui::pane::{PaneId, PaneTree, next_free_id};

/// The error for a client state that could not be made from its key and layout files.
#[derive(Debug, thiserror::Error)]
pub enum UiStateError {
    #[error(transparent)]
    Keys(KeymapError),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A layout names a view that does not exist.
    #[error("show `{0}`: there is no such view; there are {names}", names = PaneContent::names())]
    UnknownView(String),
}

pub(super) fn state(size: (u16, u16), keymap: Arc<Keymap>) -> Result<UiState, UiStateError> {
    let mut state = UiState {
        size,
        keymap,
        tabs: Vec::new(),
        tab: 0,
        panes: BTreeMap::new(),
        key_focus: KeyFocus::Views,
        overlay: None,
        count: None,
        copy_mode: None,
        mouse_press: None,
        last_click: None,
        mouse_grab: None,
        dragged_split: None,
        clipboard: String::new(),
        selected: None,
        agent: None,
        back_stack: Vec::new(),
        toasts: Vec::new(),
        unlogged: Vec::new(),
        undo_stack: Vec::new(),
        redo_stack: Vec::new(),
        marked_tasks: BTreeSet::new(),
        editing: None,
        recent_actions: Vec::new(),
        finished: FinishedTasks::Counted,
        layouts: BTreeSet::new(),
        location: super::ClientLocation::Local,
        pastes: super::PastePreview::Shown,
        mouse: super::MouseCapture::All,
        prefix_hint_shown: false,
        away_since: None,
        splash: None,
        theme: None,
        requested_theme: None,
        themes: Vec::new(),
    };
    for text in BUILTIN {
        add(&mut state, TabLayout::parse(text)?)?;
    }
    Ok(state)
}

pub(super) fn add(state: &mut UiState, layout: TabLayout) -> Result<(), UiStateError> {
    let mut ids = Vec::new();
    for view in &layout.views {
        let content = PaneContent::named(view).ok_or_else(|| UiStateError::UnknownView(view.clone()))?;
        ids.push(new_pane(state, content));
    }
    let (shape, focus) = match layout.plan {
        LayoutKind::Agents => {
            let list = new_pane(state, PaneContent::Agents);
            (PaneArrangement::Agents { list }, list)
        }
        LayoutKind::Trees { wide, medium } => {
            let focus = ids.get(layout.focus).copied().unwrap_or(PaneId::Fixed(0));
            let shape = PaneArrangement::Saved {
                wide: renumbered(wide, &ids),
                medium: renumbered(medium, &ids),
            };
            (shape, focus)
        }
    };
    state.layouts.insert(layout.title.clone());
    state.tabs.push(Tab::new(layout.title, shape, focus));
    Ok(())
}

fn new_pane(state: &mut UiState, content: PaneContent) -> PaneId {
    let used: BTreeSet<PaneId> = state.panes.keys().copied().collect();
    let id = next_free_id(&used);
    state.panes.insert(id, Pane::new(content));
    id
}

/// The same tree with the panes of the state instead of the file's numbers.
fn renumbered(node: PaneTree, ids: &[PaneId]) -> PaneTree {
    match node {
        PaneTree::Leaf(PaneId::Fixed(number)) => {
            let id = usize::try_from(number).ok().and_then(|at| ids.get(at));
            PaneTree::Leaf(id.copied().unwrap_or(PaneId::Fixed(number)))
        }
        PaneTree::Leaf(PaneId::Agent(attempt)) => PaneTree::Leaf(PaneId::Agent(attempt)),
        PaneTree::Split(split) => {
            let (first, second) = (renumbered(split.first, ids), renumbered(split.second, ids));
            PaneTree::split(split.axis, split.share, first, second)
        }
    }
}
