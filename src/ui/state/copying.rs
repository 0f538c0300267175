//! A terminal that is held still to take text from it. Data, and the small questions about it.

use std::sync::Arc;

use crate::ui::pane::PaneId;
use crate::ui::scene::ScreenId;
use crate::ui::still::{Select, Spot, Still};

/// A terminal held still.
#[derive(Debug, Clone)]
pub(crate) struct Copying {
    /// The pane it is held still in.
    pub(crate) pane: PaneId,
    /// The terminal.
    pub(crate) screen: ScreenId,
    /// What it had shown when it was held still.
    pub(crate) still: Arc<Still>,
    /// Where the cursor is.
    pub(crate) at: Spot,
    /// Where the selection began, and what it takes.
    pub(crate) anchor: Option<(Select, Spot)>,
    /// The first line that is drawn.
    pub(crate) top: usize,
    /// What was last looked for, and whether downward.
    pub(crate) sought: (String, bool),
    /// To whom the keys go afterwards.
    pub(crate) then: Option<ScreenId>,
    /// Whether lines from before those in memory were asked for.
    pub(crate) older: Older,
}

/// Lines from before those in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Older {
    /// They were not asked for.
    #[default]
    Unasked,
    /// They are being read.
    Asked,
    /// There are no others.
    Here,
}

impl Copying {
    /// Moves what is drawn so that the cursor is in it.
    pub(crate) fn reveal(&mut self, height: usize) {
        let most = self.still.lines.len().saturating_sub(height);
        let least = (self.at.0 + 1).saturating_sub(height);
        self.top = self.top.max(least).min(self.at.0).min(most);
    }

    /// What is selected; the line of the cursor when nothing is.
    pub(crate) fn text(&self) -> String {
        let (select, from) = self.anchor.unwrap_or((Select::Lines, self.at));
        self.still.text(select, from, self.at)
    }
}
