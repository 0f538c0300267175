//! The palette, drawn: the typed text, its completion, and the remaining rows.

use super::{FrameContext, writing};
use crate::display::text::width;
use crate::ui::canvas::prelude::*;
use crate::ui::palette::{MARKS, PaletteRow, completion_hint, rows};
use crate::ui::state::Picker;
use crate::ui::views::{ClickTarget, List};

/// Maximum number of rows that are drawn.
const MOST_ROWS: u16 = 14;
/// Maximum columns, enough for the longest description of an action.
const MOST_COLUMNS: u16 = 172;
/// Columns of the name, where the row has more than that.
const NAME_WIDTH: u16 = 26;

/// Returns the area of the palette: always the same place, however many rows are left.
fn dialog(area: Rect) -> Rect {
    let (wide, high) = (
        area.width.saturating_sub(4).min(MOST_COLUMNS),
        area.height.saturating_sub(3).min(MOST_ROWS + 4),
    );
    Rect {
        x: area.x + (area.width - wide) / 2,
        y: area.y + 2.min(area.height.saturating_sub(high)),
        width: wide,
        height: high,
    }
}

/// Draws the palette.
pub(super) fn draw(frame: &FrameContext<'_>, search: &Picker, area: Rect, canvas: &mut Canvas<'_>) {
    let inside = canvas.dialog(dialog(area), "Palette");
    let rows = rows(frame.state, frame.scene, frame.layout, search.line.text());
    let prompt = writing::prompt_line(":", inside, canvas);
    ghost(search, &rows, prompt, canvas);
    writing::draw(&search.line, prompt, canvas);
    let list = top_part(skip_top(inside, 1), inside.height.saturating_sub(2));
    if rows.is_empty() {
        let text = format!(" Nothing matches `{}`. Esc closes.", search.line.text());
        canvas.line(row_of(list, 0), &[dim(text)]);
    }
    let numbered: Vec<_> = rows.iter().enumerate().collect();
    let drawn = List::new(list, 1, &numbered, Some(search.marked), StyleRole::Selected);
    drawn.draw(canvas, |(at, row), line, canvas| {
        draw_row(row, line, canvas);
        Some(ClickTarget::MenuItem(*at))
    });
    foot(last_row(inside), canvas);
}

fn draw_row(row: &PaletteRow, line: Rect, canvas: &mut Canvas<'_>) {
    let key = [piece(format!(" {} ", row.key), StyleRole::Key)];
    let used = canvas.right(line, &key);
    let left = skip_right(line, used);
    let role = if row.possible {
        StyleRole::Text
    } else {
        StyleRole::Dim
    };
    let title = format!(" {}", row.title);
    let named = canvas.line(left, &[piece(&title, role)]);
    let begin = named.max(NAME_WIDTH.min(left.width / 2)).saturating_add(1);
    canvas.line(skip_left(left, begin), &[dim(&row.detail)]);
}

/// Draws the rest of the marked row behind the typed text, which Tab writes, and the argument that may follow.
fn ghost(search: &Picker, rows: &[PaletteRow], prompt: Rect, canvas: &mut Canvas<'_>) {
    let typed = search.line.text();
    if typed.is_empty() {
        let text = "an action, a task, a pane";
        canvas.line(prompt, &[dim(text)]);
        return;
    }
    let used = cells(width(typed));
    let rest = rows
        .get(search.marked)
        .and_then(|row| completion_hint(typed, row));
    if let Some(rest) = rest.filter(|_| used < prompt.width) {
        canvas.line(skip_left(prompt, used), &[dim(rest)]);
    }
}

fn foot(line: Rect, canvas: &mut Canvas<'_>) {
    let mut pieces = vec![dim(" ")];
    for (mark, what, _) in MARKS {
        pieces.push(piece(mark, StyleRole::Key));
        pieces.push(dim(format!(" {what}   ")));
    }
    canvas.line(line, &pieces);
}
