//! The sizes of the terminals that a client shows.

use ratatui::layout::Rect;

use crate::ports::holders::{HolderId, PaneSize};
use crate::server::attached_client::AttachedClient;
use crate::server::screens::holder_of;
use crate::term::Size;
use crate::ui::{self, ScreenId};

/// An agent's terminal is never narrower: its own interface would fall apart.
const MIN_AGENT_COLUMNS: u16 = 60;

impl AttachedClient {
    /// Gives the terminals that this client shows their sizes, as far as it is the one that decides.
    pub(super) fn fit_terminals(&self) {
        let shown = self.frame.layout().panes.iter().filter_map(|pane| {
            let id = pane.screen?;
            Some((holder_of(id), size_for(id, pane.area)))
        });
        let shown: Vec<(HolderId, PaneSize)> = shown.collect();
        self.services.clients.shows(self.number, &shown);
    }

    /// The size of the terminal a pane would have.
    pub(super) fn size_of(&self, pane: ui::PaneId) -> PaneSize {
        let area = self
            .frame
            .layout()
            .panes
            .iter()
            .find(|area| area.pane == pane)
            .map(|area| area.area);
        area.map_or(PaneSize::cells(80, 24), |area| size_for(ScreenId::Shell(0), area))
    }
}

/// The size a terminal gets in a pane: what its program can live with, and its emulator.
fn size_for(id: ScreenId, area: Rect) -> PaneSize {
    let least = match id {
        ScreenId::Attempt(_) => MIN_AGENT_COLUMNS,
        ScreenId::Shell(_) | ScreenId::Conductor => Size::MIN,
    };
    let size = Size::new(area.width.max(least), area.height);
    PaneSize::cells(size.cols, size.rows)
}
