//! Names of the panes of a tab that shows one of them, in its lower line. Where there is no room for all, those around the shown one are
//! listed, with the number of others at either side.

use std::ops::Range;

use super::FrameContext;
use crate::ui::canvas::prelude::*;
use crate::ui::pane::PaneId;
use crate::ui::pane_names::pane_name;
use crate::ui::screen_layout::SEVERAL;
use crate::ui::views::ClickTarget;

/// Columns of ` +12 `, the mark for panes without room.
const MORE: usize = 5;

/// Draws the names, when only one pane of several is drawn.
pub(super) fn draw(frame: &FrameContext<'_>, canvas: &mut Canvas<'_>) {
    let layout = frame.layout;
    let hidden = layout.body.width < SEVERAL || frame.state.is_zoomed();
    let ([only], true) = (layout.panes.as_slice(), layout.order.len() > 1 && hidden) else {
        return;
    };
    let names: Vec<(PaneId, String)> = layout
        .order
        .iter()
        .map(|id| match pane_name(frame.state, frame.scene, *id) {
            name if *id == only.pane => (*id, format!("[{name}]")),
            name => (*id, format!(" {name} ")),
        })
        .collect();
    let line = inset(last_row(only.outer), 2);
    let widths: Vec<usize> = names.iter().map(|(_, name)| pieces_width(&[dim(name)])).collect();
    let at = names.iter().position(|(id, _)| *id == only.pane).unwrap_or(0);
    let shown = around(&widths, at, usize::from(line.width));
    let before = shown.start.checked_sub(1).and_then(|last| names.get(last));
    let after = names.get(shown.end);
    let more = |many: usize| format!(" +{many} ");
    let before = before.map(|(id, _)| (*id, more(shown.start), StyleRole::Key));
    let after = after.map(|(id, _)| (*id, more(names.len() - shown.end), StyleRole::Key));
    let here = names.get(shown).unwrap_or_default().iter().map(|(id, name)| {
        let role = if *id == only.pane {
            StyleRole::TabHere
        } else {
            StyleRole::Dim
        };
        (*id, name.clone(), role)
    });
    let mut room = line;
    for (id, text, role) in before.into_iter().chain(here).chain(after) {
        let used = canvas.line(room, &[piece(text, role)]);
        canvas
            .hits
            .push((Rect { width: used, ..room }, ClickTarget::Pane(id)));
        room = skip_left(room, used);
    }
}

/// Returns the range of widths around `at` that have room beside each other.
fn around(widths: &[usize], at: usize, room: usize) -> Range<usize> {
    let fits = |from: usize, to: usize| {
        let names: usize = widths.iter().take(to).skip(from).sum();
        let marks = usize::from(from > 0) + usize::from(to < widths.len());
        names + marks * MORE <= room
    };
    let from = (0..=at).find(|from| fits(*from, at + 1)).unwrap_or(at);
    let to = (at + 1..=widths.len()).rev().find(|to| fits(from, *to));
    from..to.unwrap_or(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_shown_where_they_have_room_else_those_around_the_one_that_is_shown() {
        let widths = [10; 6];
        assert_eq!(around(&widths, 0, 60), 0..6);
        assert_eq!(around(&widths, 0, 59), 0..5);
        assert_eq!(around(&widths, 5, 59), 1..6);
        assert_eq!(around(&widths, 3, 40), 1..4);
        assert_eq!(around(&widths, 3, 5), 3..4);
        assert_eq!(around(&[], 0, 5), 0..1);
    }
}
