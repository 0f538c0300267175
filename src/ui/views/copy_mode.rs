//! A terminal that is held still, drawn: its lines, what is selected, where the words that were looked for occur.

use ratatui::layout::Rect;

use super::ViewContext;
use crate::ui::canvas::area::{left_part, skip_left};
use crate::ui::canvas::{Canvas, row_of};
use crate::ui::scrollback::{Scrollback, ScrollbackLine};
use crate::ui::state::CopyMode;
use crate::ui::text::{clean, grapheme_width};
use crate::ui::theme::StyleRole;

/// The terminal held still in that pane.
pub(super) fn focused_copy_mode<'a>(ctx: &ViewContext<'a>) -> Option<&'a CopyMode> {
    let copying = ctx.state.copy_mode.as_ref();
    copying.filter(|copying| copying.pane == ctx.id)
}

/// Draws it.
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

fn draw_line(line: &ScrollbackLine, place: Rect, canvas: &mut Canvas<'_>) {
    for (column, grapheme) in line.graphemes() {
        let wide = u16::try_from(grapheme_width(grapheme)).unwrap_or(1).max(1);
        let Ok(column) = u16::try_from(column) else { break };
        if column.saturating_add(wide) > place.width {
            break;
        }
        let style = canvas.theme.fit_style(line.style_at(usize::from(column)));
        let shown = clean(grapheme);
        let shown = if grapheme_width(&shown) == 0 { " " } else { &shown };
        canvas.cell((place.x + column, place.y), shown, style, wide);
    }
}

fn tint(copying: &CopyMode, line: usize, place: Rect, canvas: &mut Canvas<'_>) {
    let column = |at: usize| u16::try_from(at).unwrap_or(u16::MAX).min(place.width);
    let words = &copying.search.0;
    let found = copying
        .scrollback
        .line(line)
        .map(|line| line.occurrences(&folded(words)));
    for (from, to) in found.unwrap_or_default() {
        let (from, to) = (column(from), column(to));
        let area = left_part(skip_left(place, from), to.saturating_sub(from));
        canvas.apply_role(area, StyleRole::Found);
    }
    let Some((select, from)) = copying.anchor else {
        return;
    };
    for x in 0..place.width {
        if Scrollback::is_selected(select, (from, copying.cursor), (line, usize::from(x))) {
            canvas.apply_role(left_part(skip_left(place, x), 1), StyleRole::Selected);
        }
    }
}

/// Words without capitals are looked for in both.
fn folded(words: &str) -> String {
    if words.chars().any(char::is_uppercase) {
        words.to_owned()
    } else {
        words.to_lowercase()
    }
}
