//! Keys that a view offers for what is marked, each with a word, on as many lines as they need; a click does the same.

use ratatui::layout::Rect;

use super::{ClickMap, ClickTarget, ViewContext};
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, StyledText, piece, pieces_width, plain, row_of};
use crate::ui::theme::StyleRole;

/// Columns between two of them.
const BETWEEN: u16 = 3;

/// A key with the word for what it does, which can also be clicked.
pub(super) struct ActionButton {
    action: Action,
    pieces: [StyledText; 2],
}

/// The offers that have a key, in lines of at most so many columns; one line at least.
pub(super) fn lines(ctx: &ViewContext<'_>, offers: &[(Action, &str)], room: usize) -> Vec<Vec<ActionButton>> {
    let mut lines: Vec<Vec<ActionButton>> = vec![Vec::new()];
    let mut used = 0;
    for (action, title) in offers {
        let Some(key) = ctx.state.keymap.hint(*action) else {
            continue;
        };
        let pieces = [piece(key, StyleRole::Key), plain(format!(" {title}"))];
        let wide = pieces_width(&pieces);
        if used > 0 && used + wide > room {
            lines.push(Vec::new());
            used = 0;
        }
        used += wide + usize::from(BETWEEN);
        if let Some(line) = lines.last_mut() {
            line.push(ActionButton {
                action: *action,
                pieces,
            });
        }
    }
    lines
}

/// Draws them from that row of an area on.
pub(super) fn draw(
    lines: &[Vec<ActionButton>],
    (area, row): (Rect, usize),
    canvas: &mut Canvas<'_>,
    hits: &mut ClickMap,
) {
    for (at, line) in lines.iter().enumerate() {
        let mut room = row_of(area, row + at);
        for offer in line {
            let wide = u16::try_from(pieces_width(&offer.pieces)).unwrap_or(u16::MAX);
            canvas.line(room, &offer.pieces);
            let place = Rect {
                width: wide.min(room.width),
                ..room
            };
            hits.push((place, ClickTarget::Action(offer.action)));
            let past = wide.saturating_add(BETWEEN).min(room.width);
            room.x += past;
            room.width -= past;
        }
    }
}
