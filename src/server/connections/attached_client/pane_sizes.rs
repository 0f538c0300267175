//! The sizes of the terminals that a client shows.

use ratatui::layout::Rect;

use crate::ports::holders::{HolderId, PaneSize};
use crate::server::services::Services;
use crate::server::terminals::screens::holder_of;
use crate::term::Size;
use crate::ui::{PaneId, RenderedLayout, ScreenId};

/// Minimum columns of an agent's terminal: in fewer its own interface would fall apart.
const MIN_AGENT_COLUMNS: u16 = 60;

/// Minimum rows of an agent's terminal, which a question with its answers needs. A lower pane shows the rows around the cursor.
const MIN_AGENT_ROWS: u16 = 12;

/// Sets the sizes of the terminals that a client shows, as far as this client decides them.
pub(super) fn fit_terminals(services: &Services, client: u64, layout: &RenderedLayout) {
    services.clients.shows(client, &terminal_sizes(layout));
}

/// Returns the terminals of a layout with the sizes they would have there.
fn terminal_sizes(layout: &RenderedLayout) -> Vec<(HolderId, PaneSize)> {
    let shown = layout.panes.iter().filter_map(|pane| {
        let id = pane.screen?;
        Some((holder_of(id), size_for(id, pane.area)))
    });
    shown.collect()
}

/// Returns the size a shell would have in a pane.
pub(super) fn shell_size(layout: &RenderedLayout, pane: PaneId) -> PaneSize {
    let found = layout.panes.iter().find(|area| area.pane == pane);
    found.map_or(PaneSize::cells(80, 24), |pane| {
        size_for(ScreenId::Shell(0), pane.area)
    })
}

/// Returns the size of a terminal in a pane: one that its program and its emulator can work with.
fn size_for(id: ScreenId, area: Rect) -> PaneSize {
    let least = match id {
        ScreenId::Attempt(_) => (MIN_AGENT_COLUMNS, MIN_AGENT_ROWS),
        ScreenId::Shell(_) => (Size::MIN, Size::MIN),
    };
    let size = Size::new(area.width.max(least.0), area.height.max(least.1));
    PaneSize::cells(size.cols, size.rows)
}
