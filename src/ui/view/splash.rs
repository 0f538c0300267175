//! The banner at the start: the name in large letters, and the facts found (P19). Part of the first frame, so nothing waits for it; gone
//! with the first key.

use super::FrameContext;
use crate::display::text::{clean, width};
use crate::ui::canvas::prelude::*;

/// The name, as wide on every row.
const NAME: [&str; 4] = [
    r"    _ _        ",
    r" __| | |__ ___ ",
    r"/ _` | '_ (_-< ",
    r"\__,_|_.__/__/ ",
];

/// Draws the banner in the middle, if it is to be shown.
pub(super) fn draw(frame: &FrameContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(lines) = frame.state.splash_lines(frame.scene.now) else {
        return;
    };
    let lines: Vec<_> = lines.iter().map(|line| clean(line)).collect();
    let name = NAME.iter().map(|row| width(row)).max().unwrap_or(0);
    let text = lines.iter().map(|line| width(line)).max().unwrap_or(0);
    let size = (
        cells(name + text + 6).min(area.width.saturating_sub(4)),
        cells(lines.len().max(NAME.len()) + 2),
    );
    let inside = canvas.dialog(centered_rect(area, size), "Welcome");
    for row in 0..usize::from(inside.height) {
        let name_row = NAME.get(row).copied().unwrap_or_default();
        let pieces = [
            piece(format!(" {name_row:name$} "), StyleRole::Key),
            piece(
                lines.get(row).map(AsRef::as_ref).unwrap_or_default(),
                if row == 0 {
                    StyleRole::Strong
                } else {
                    StyleRole::Text
                },
            ),
        ];
        canvas.line(row_of(inside, row), &pieces);
    }
}
