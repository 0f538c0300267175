//! A tab of a client. Data only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::PaneArrangement;
use crate::ui::pane::PaneId;

/// A tab: its title, its panes and their arrangement, focus and zoom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tab {
    pub(crate) title: String,
    #[serde(rename = "shape")]
    pub(crate) arrangement: PaneArrangement,
    pub(crate) focus: PaneId,
    #[serde(skip)]
    pub(crate) last_focus: Option<PaneId>,
    pub(crate) zoom: Zoom,
    #[serde(skip)]
    pub(crate) next_arrangement: u8,
}

impl Tab {
    /// A tab with all its panes shown.
    pub(crate) fn new(title: String, arrangement: PaneArrangement, focus: PaneId) -> Tab {
        Tab {
            title,
            arrangement,
            focus,
            last_focus: None,
            zoom: Zoom::Out,
            next_arrangement: 0,
        }
    }

    /// Gives its panes other ids; those that are not named keep theirs.
    pub(super) fn rename_panes(&mut self, names: &BTreeMap<PaneId, PaneId>) {
        self.arrangement.rename(names);
        self.focus = names.get(&self.focus).copied().unwrap_or(self.focus);
    }
}

/// Zoom of a tab: in when the focused pane hides the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Zoom {
    Out,
    /// Only the pane with the focus is shown.
    In,
}
