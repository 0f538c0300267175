//! A line that is being written, wherever it is drawn.

use ratatui::layout::Position;

use crate::display::text::{clean, prefix, width};
use crate::ui::canvas::prelude::*;
use crate::ui::line_editor::LineEditor;

/// Draws the mark before the first line of a dialog; returns the area behind it for the text.
pub(super) fn prompt_line(mark: &str, inside: Rect, canvas: &mut Canvas<'_>) -> Rect {
    let line = inset(row_of(inside, 0), 1);
    canvas.line(line, &[piece(format!("{mark} "), StyleRole::Key)]);
    skip_left(line, 2)
}

/// Draws a line that is being written, moved to the left so that its caret is visible, and sets the position of the caret.
pub(super) fn draw(line: &LineEditor, area: Rect, canvas: &mut Canvas<'_>) {
    let room = usize::from(area.width.saturating_sub(1));
    let caret = width(line.before_caret());
    let skip = caret.saturating_sub(room);
    let skipped = prefix(line.text(), skip).len();
    let text = line.text().get(skipped..).unwrap_or_default();
    canvas.line(area, &[plain(clean(text))]);
    let x = area.x + cells(caret.min(room));
    canvas.caret = (area.height > 0).then_some(Position { x, y: area.y });
}
