//! Keys that a view offers for the marked row, each with a word, on as many lines as they need; a click does the same.

use super::{ClickTarget, ViewContext};
use crate::keymap::Action;
use crate::ui::canvas::prelude::*;

/// Columns between two buttons.
const BETWEEN: u16 = 3;

/// An action with its key and the word for its effect.
pub(super) type ActionButton = (Action, [StyledText; 2]);

/// Returns the offers that have a key, in lines of at most `room` columns; at least one line.
pub(super) fn lines(ctx: &ViewContext<'_>, offers: &[(Action, &str)], room: usize) -> Vec<Vec<ActionButton>> {
    let mut lines: Vec<Vec<ActionButton>> = vec![Vec::new()];
    let mut used = 0;
    for (action, title) in offers {
        let Some(pieces) = ctx.offer(*action, title) else {
            continue;
        };
        let wide = pieces_width(&pieces);
        if used > 0 && used + wide > room {
            lines.push(Vec::new());
            used = 0;
        }
        used += wide + usize::from(BETWEEN);
        if let Some(line) = lines.last_mut() {
            line.push((*action, pieces));
        }
    }
    lines
}

/// Draws the lines from that row of an area on.
pub(super) fn draw(lines: &[Vec<ActionButton>], area: Rect, row: usize, canvas: &mut Canvas<'_>) {
    for (at, line) in lines.iter().enumerate() {
        let mut room = row_of(area, row + at);
        for (action, pieces) in line {
            let wide = cells(pieces_width(pieces));
            canvas.line(room, pieces);
            let target = ClickTarget::Action(*action);
            canvas.hits.push((left_part(room, wide), target));
            room = skip_left(room, wide.saturating_add(BETWEEN));
        }
    }
}
