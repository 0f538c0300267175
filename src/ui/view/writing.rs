//! A line that is being written, wherever it is drawn.

use ratatui::layout::Rect;

use crate::ui::canvas::{Canvas, plain};
use crate::ui::line_editor::LineEditor;
use crate::ui::text::{clean, prefix, width};

/// Draws a line that is being written, moved to the left so that its caret is in it.
pub(super) fn draw(line: &LineEditor, area: Rect, canvas: &mut Canvas<'_>) {
    let room = usize::from(area.width.saturating_sub(1));
    let skip = width(line.before_caret()).saturating_sub(room);
    let skipped = prefix(line.text(), skip).len();
    let text = line.text().get(skipped..).unwrap_or_default();
    canvas.line(area, &[plain(clean(text))]);
}
