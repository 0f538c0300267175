//! Frames made from the frame before: while nothing but the output of terminals changed, only their changed rows are drawn. The result must
//! be the same frame as after drawing everything, and leaves alone the frames that programs are in the middle of drawing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::scene::{Scene, ScreenId, ScreenRead};
use super::state::UiState;
use super::view::{PaneArea, RenderedLayout, has_overlay, screen_cursor, view};
use super::views::redraw_row;
use crate::domain::Timestamp;

mod tracker;

use tracker::{ScreenStamp, ScreenUse, TrackedScreens};

/// The frame a client was shown last, with the state of each terminal in it.
#[derive(Debug, Clone, Default)]
pub struct RenderedFrame {
    pub layout: RenderedLayout,
    /// The terminals that were read, as they were.
    stamps: BTreeMap<ScreenId, ScreenStamp>,
    has_overlay: bool,
    deferred: bool,
}

impl RenderedFrame {
    /// Draws everything. `shown` is the look of `before`: a terminal in the middle of a frame of its own stays as it is there.
    #[must_use]
    pub fn draw_all(
        before: &RenderedFrame,
        shown: &Buffer,
        state: &UiState,
        scene: &Scene<'_>,
        buffer: &mut Buffer,
    ) -> RenderedFrame {
        let watching = TrackedScreens {
            screens: scene.screens,
            now: scene.now,
            stamps: RefCell::default(),
        };
        let layout = view(
            state,
            &Scene {
                screens: &watching,
                ..*scene
            },
            buffer,
        );
        let mut frame = RenderedFrame {
            layout,
            stamps: watching.stamps.into_inner(),
            has_overlay: has_overlay(state, scene),
            deferred: false,
        };
        if !before.has_overlay && !frame.has_overlay && shown.area == buffer.area {
            frame.keep_deferred(before, shown, buffer);
        }
        frame
    }

    /// Draws the changes in the terminals, or in one `alone`; returns the rows of the frame that may differ, or nothing when everything
    /// must be drawn. `buffer` holds the frame as it was drawn last.
    pub fn draw_changes(
        &mut self,
        state: &UiState,
        scene: &Scene<'_>,
        buffer: &mut Buffer,
        alone: Option<ScreenId>,
    ) -> Option<Vec<u16>> {
        if self.has_overlay || has_overlay(state, scene) {
            return None;
        }
        let mut canvas = Canvas::new(buffer, scene.theme);
        let mut rows = Vec::new();
        let mut stamps = BTreeMap::new();
        // A terminal that was not read may be in the middle of a frame.
        self.deferred &= alone.is_some();
        for pane in self.layout.panes.clone() {
            let Some(id) = pane.screen.filter(|id| alone.is_none_or(|alone| alone == *id)) else {
                continue;
            };
            let seen = self.stamps.get(&id);
            let mut outcome = None;
            let there = scene.screens.with(id, &mut |screen| {
                let cursor = (self.layout.typing && pane.focus).then_some(&mut self.layout.cursor);
                outcome =
                    seen.and_then(|seen| patch_pane(screen, seen, &pane, scene.now, &mut canvas, cursor));
            });
            match outcome {
                None if there || seen.is_some() => return None,
                None => {}
                Some(PaneUpdate::Deferred) => self.deferred = true,
                Some(PaneUpdate::Drawn(_, ref drawn))
                    if !drawn.is_empty() && state.pane(pane.pane).scroll > 0 =>
                {
                    return None;
                }
                Some(PaneUpdate::Drawn(stamp, drawn)) => {
                    rows.extend(drawn);
                    stamps.insert(id, stamp);
                }
            }
        }
        if alone.is_none() && self.is_changed_elsewhere(scene) {
            return None;
        }
        for (id, stamp) in stamps {
            if let Some(seen) = self.stamps.get_mut(&id) {
                seen.stamp = stamp;
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// The terminals whose output this frame shows.
    pub fn drawn_screens(&self) -> impl Iterator<Item = ScreenId> + '_ {
        self.stamps
            .iter()
            .filter(|(_, seen)| seen.screen_use == ScreenUse::Cells)
            .map(|(id, _)| *id)
    }

    /// Returns true if a program was in the middle of a frame, so that there is something to draw when it is through or took too long.
    pub fn is_deferred(&self) -> bool {
        self.deferred
    }

    /// Returns true if a terminal changed that is drawn, but not as a pane of its own.
    fn is_changed_elsewhere(&self, scene: &Scene<'_>) -> bool {
        let in_pane = |id: ScreenId| self.layout.panes.iter().any(|pane| pane.screen == Some(id));
        let mut elsewhere = self
            .stamps
            .iter()
            .filter(|(id, seen)| seen.screen_use == ScreenUse::Cells && !in_pane(**id));
        elsewhere.any(|(id, seen)| {
            let changes = scene
                .screens
                .read(*id, |screen| screen.changes_since(seen.stamp).1);
            changes.is_some_and(|rows| !rows.is_empty())
        })
    }

    /// Restores the shown cells of terminals that are in the middle of a frame, if they were shown at the same place.
    fn keep_deferred(&mut self, before: &RenderedFrame, shown: &Buffer, buffer: &mut Buffer) {
        for pane in &self.layout.panes {
            let Some((id, seen)) = pane.screen.and_then(|id| Some((id, self.stamps.get_mut(&id)?))) else {
                continue;
            };
            let same_place = |old: &&PaneArea| old.screen == Some(id) && old.area == pane.area;
            let Some(earlier) = before
                .stamps
                .get(&id)
                .filter(|_| before.layout.panes.iter().any(|old| same_place(&old)))
            else {
                continue;
            };
            if seen.is_presentable || earlier.size != seen.size {
                continue;
            }
            self.deferred = true;
            seen.keep_rows_of(earlier);
            copy(shown, buffer, pane.area);
            if pane.focus && self.layout.typing && before.layout.typing {
                self.layout.cursor = before.layout.cursor;
            }
        }
    }
}

/// The result of redrawing the changed rows of one pane.
enum PaneUpdate {
    /// Nothing drawn, as the program is in the middle of a frame.
    Deferred,
    /// The number to pass to the next `changes_since`, and the rows of the frame that were drawn.
    Drawn(u64, Vec<u16>),
}

/// Draws the changed rows of one terminal; `None` if more than rows changed.
fn patch_pane(
    screen: &mut dyn ScreenRead,
    seen: &ScreenStamp,
    pane: &PaneArea,
    now: Timestamp,
    canvas: &mut Canvas<'_>,
    cursor: Option<&mut Option<super::FrameCursor>>,
) -> Option<PaneUpdate> {
    if !seen.is_unchanged(screen, pane.area) {
        return None;
    }
    if !screen.is_frame_complete(now) {
        return Some(PaneUpdate::Deferred);
    }
    let (stamp, rows) = screen.changes_since(seen.stamp);
    let drawn = rows
        .into_iter()
        .filter_map(|row| redraw_row(screen, row, pane.area, canvas))
        .collect();
    if let Some(cursor) = cursor {
        *cursor = screen_cursor(screen, pane.area);
    }
    Some(PaneUpdate::Drawn(stamp, drawn))
}

fn copy(from: &Buffer, to: &mut Buffer, area: Rect) {
    for position in area.positions() {
        if let (Some(old), Some(new)) = (from.cell(position), to.cell_mut(position)) {
            new.clone_from(old);
        }
    }
}
