//! Frames made from the frame before: while nothing but the output of terminals changed, only their changed rows are drawn.
//! Must give the same picture as drawing everything, and leaves alone what a program is in the middle of drawing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::scene::{Scene, ScreenId, ScreenRead};
use super::state::State;
use super::view::{Layouted, PaneArea, cursor_in, is_covered, view};
use super::views::redraw_row;
use crate::domain::Timestamp;

mod watching;

use watching::{Part, Seen, Watching};

/// What a client was shown last, and what of its terminals is in it.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// Where things are.
    pub layout: Layouted,
    /// The terminals that were looked at, as they were.
    seen: BTreeMap<ScreenId, Seen>,
    covered: bool,
    held: bool,
}

impl Frame {
    /// Draws everything. `shown` is what `before` looked like: a terminal in the middle of a frame of its own stays as it is there.
    #[must_use]
    pub fn whole(
        before: &Frame,
        shown: &Buffer,
        state: &State,
        scene: &Scene<'_>,
        buffer: &mut Buffer,
    ) -> Frame {
        let watching = Watching {
            screens: scene.screens,
            now: scene.now,
            seen: RefCell::default(),
        };
        let layout = view(
            state,
            &Scene {
                screens: &watching,
                ..*scene
            },
            buffer,
        );
        let mut frame = Frame {
            layout,
            seen: watching.seen.into_inner(),
            covered: is_covered(state, scene),
            held: false,
        };
        if !before.covered && !frame.covered && shown.area == buffer.area {
            frame.keep_held(before, shown, buffer);
        }
        frame
    }

    /// Draws what changed in the terminals, or in one `alone`; answers the rows of the frame that may differ, or nothing when
    /// everything must be drawn. `buffer` holds the frame as it was drawn last.
    pub fn patch(
        &mut self,
        state: &State,
        scene: &Scene<'_>,
        buffer: &mut Buffer,
        alone: Option<ScreenId>,
    ) -> Option<Vec<u16>> {
        if self.covered || is_covered(state, scene) {
            return None;
        }
        let mut canvas = Canvas {
            buffer,
            theme: scene.theme,
        };
        let mut rows = Vec::new();
        let mut stamps = BTreeMap::new();
        // What was not looked at may be held still.
        self.held &= alone.is_some();
        for pane in self.layout.panes.clone() {
            let Some(id) = pane.screen.filter(|id| alone.is_none_or(|alone| alone == *id)) else {
                continue;
            };
            let seen = self.seen.get(&id);
            let mut outcome = None;
            let there = scene.screens.with(id, &mut |screen| {
                let cursor = (self.layout.typing && pane.focus).then_some(&mut self.layout.cursor);
                outcome =
                    seen.and_then(|seen| patch_pane((screen, seen), &pane, scene.now, &mut canvas, cursor));
            });
            match outcome {
                None if there || seen.is_some() => return None,
                None => {}
                Some(Patched::Held) => self.held = true,
                Some(Patched::Drawn(_, ref drawn))
                    if !drawn.is_empty() && state.pane(pane.pane).scroll > 0 =>
                {
                    return None;
                }
                Some(Patched::Drawn(stamp, drawn)) => {
                    rows.extend(drawn);
                    stamps.insert(id, stamp);
                }
            }
        }
        if alone.is_none() && self.is_changed_elsewhere(scene) {
            return None;
        }
        for (id, stamp) in stamps {
            if let Some(seen) = self.seen.get_mut(&id) {
                seen.stamp = stamp;
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// The terminals whose output this frame shows.
    pub fn watched(&self) -> impl Iterator<Item = ScreenId> + '_ {
        self.seen
            .iter()
            .filter(|(_, seen)| seen.part == Part::Cells)
            .map(|(id, _)| *id)
    }

    /// Whether a program was in the middle of a frame, so that there is something to be drawn when it is through or took too long.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Terminals that are drawn, but not as a pane of their own.
    fn is_changed_elsewhere(&self, scene: &Scene<'_>) -> bool {
        let in_pane = |id: ScreenId| self.layout.panes.iter().any(|pane| pane.screen == Some(id));
        self.seen.iter().any(|(id, seen)| {
            let mut changed = false;
            if seen.part == Part::Cells && !in_pane(*id) {
                scene.screens.with(*id, &mut |screen| {
                    changed = !screen.changes_since(seen.stamp).1.is_empty();
                });
            }
            changed
        })
    }

    /// Puts back what was shown of terminals that are in the middle of a frame, where they were shown at the same place.
    fn keep_held(&mut self, before: &Frame, shown: &Buffer, buffer: &mut Buffer) {
        for pane in &self.layout.panes {
            let Some((id, seen)) = pane.screen.and_then(|id| Some((id, self.seen.get_mut(&id)?))) else {
                continue;
            };
            let same_place = |old: &&PaneArea| old.screen == Some(id) && old.area == pane.area;
            let Some(earlier) = before
                .seen
                .get(&id)
                .filter(|_| before.layout.panes.iter().any(|old| same_place(&old)))
            else {
                continue;
            };
            if seen.is_presentable || earlier.size != seen.size {
                continue;
            }
            self.held = true;
            seen.stamp = earlier.stamp;
            copy(shown, buffer, pane.area);
            if pane.focus && self.layout.typing && before.layout.typing {
                self.layout.cursor = before.layout.cursor;
            }
        }
    }
}

/// What became of one pane.
enum Patched {
    /// Its program is in the middle of a frame.
    Held,
    /// These rows of the frame were drawn, and this is seen now.
    Drawn(u64, Vec<u16>),
}

/// Draws the changed rows of one terminal; nothing when more than rows changed.
fn patch_pane(
    (screen, seen): (&mut dyn ScreenRead, &Seen),
    pane: &PaneArea,
    now: Timestamp,
    canvas: &mut Canvas<'_>,
    cursor: Option<&mut Option<super::CursorAt>>,
) -> Option<Patched> {
    if !seen.still_fits(screen, pane.area) {
        return None;
    }
    if !screen.is_presentable(now) {
        return Some(Patched::Held);
    }
    let (stamp, rows) = screen.changes_since(seen.stamp);
    let drawn = rows
        .into_iter()
        .filter_map(|row| redraw_row(screen, row, pane.area, canvas))
        .collect();
    if let Some(cursor) = cursor {
        *cursor = cursor_in(screen, pane.area);
    }
    Some(Patched::Drawn(stamp, drawn))
}

fn copy(from: &Buffer, to: &mut Buffer, area: Rect) {
    for position in area.positions() {
        if let (Some(old), Some(new)) = (from.cell(position), to.cell_mut(position)) {
            new.clone_from(old);
        }
    }
}
