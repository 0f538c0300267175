//! Copy mode, drawn: the lines of the frozen terminal, the selection, and the matches of a search.

use super::ViewContext;
use crate::display::text::clean;
use crate::ui::canvas::prelude::*;
use crate::ui::scrollback::{Scrollback, ScrollbackLine};
use crate::ui::state::CopyMode;

/// Returns the frozen terminal in that pane.
pub(super) fn focused_copy_mode<'a>(ctx: &ViewContext<'a>) -> Option<&'a CopyMode> {
    let copying = ctx.state.copy_mode.as_ref();
    copying.filter(|copying| copying.pane == ctx.id)
}

/// Draws the frozen terminal.
pub(super) fn draw(copying: &CopyMode, area: Rect, canvas: &mut Canvas<'_>) {
    let height = usize::from(area.height);
    let top = copying.top.min(copying.scrollback.last_line());
    canvas.reset_area(area);
    for row in 0..height {
        if let Some(line) = copying.scrollback.line(top + row) {
            draw_line(line, row_of(area, row), canvas);
            tint(copying, top + row, row_of(area, row), canvas);
        }
    }
}

fn draw_line(line: &ScrollbackLine, area: Rect, canvas: &mut Canvas<'_>) {
    for (column, grapheme) in line.graphemes() {
        let left = cells(column).min(area.width);
        canvas.program_cell(area, left, 0, &clean(grapheme), line.style_at(column));
    }
}

fn tint(copying: &CopyMode, line: usize, area: Rect, canvas: &mut Canvas<'_>) {
    let words = &copying.search.0;
    let found = copying
        .scrollback
        .line(line)
        .map(|line| line.occurrences(&folded(words)));
    for (from, to) in found.unwrap_or_default() {
        canvas.apply_columns(area, from, to, StyleRole::Found);
    }
    let Some((select, from)) = copying.anchor else {
        return;
    };
    for x in 0..area.width {
        if Scrollback::is_selected(select, from, copying.cursor, (line, usize::from(x))) {
            canvas.apply_role(left_part(skip_left(area, x), 1), StyleRole::Selected);
        }
    }
}

/// Folds words without capitals, which match both cases.
fn folded(words: &str) -> String {
    if words.chars().any(char::is_uppercase) {
        words.to_owned()
    } else {
        words.to_lowercase()
    }
}
