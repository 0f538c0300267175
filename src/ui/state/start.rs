//! The state of a client that has just connected, from the layout files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Pane, PaneContent, Tab, UiState};
use crate::keymap::{Keymap, KeymapError};
use crate::ui::layout::{BUILTIN, LayoutError, TabLayout};
use crate::ui::pane::PaneId;

/// The error for a client state that could not be made from its key and layout files.
#[derive(Debug, thiserror::Error)]
pub enum UiStateError {
    #[error(transparent)]
    Keys(#[from] KeymapError),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// Layout that names a view which does not exist.
    #[error("show `{0}`: there is no such view; there are {names}", names = PaneContent::names())]
    UnknownView(String),
}

pub(super) fn state(size: (u16, u16), keymap: Arc<Keymap>) -> Result<UiState, UiStateError> {
    let mut state = UiState {
        size,
        keymap,
        ..UiState::default()
    };
    for text in BUILTIN {
        add(&mut state, TabLayout::parse(text)?)?;
    }
    Ok(state)
}

pub(super) fn add(state: &mut UiState, layout: TabLayout) -> Result<(), UiStateError> {
    let contents = layout
        .views
        .iter()
        .map(|view| PaneContent::named(view).ok_or_else(|| UiStateError::UnknownView(view.clone())));
    let contents: Vec<PaneContent> = contents.collect::<Result<_, _>>()?;
    let panes = contents
        .into_iter()
        .map(|content| state.add_pane(Pane::new(content)));
    let names: BTreeMap<PaneId, PaneId> = (0..).map(PaneId::Fixed).zip(panes).collect();
    let mut tab = Tab::new(layout.title, layout.arrangement, layout.focus);
    tab.rename_panes(&names);
    state.layouts.insert(tab.title.clone());
    state.tabs.push(tab);
    Ok(())
}
