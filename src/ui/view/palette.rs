//! The palette, drawn: what is typed, how it could go on, and the rows it leaves.

use ratatui::layout::Rect;

use super::{FrameContext, writing};
use crate::ui::canvas::area::{inset, last_row, left_part, skip_left, skip_right, skip_top, top_part};
use crate::ui::canvas::{Canvas, dim, piece, row_of};
use crate::ui::palette::{MARKS, PaletteRow, completion_hint, rows};
use crate::ui::state::Picker;
use crate::ui::text::width;
use crate::ui::theme::StyleRole;
use crate::ui::views::{ClickMap, ClickTarget, List};

/// Most rows that are drawn.
const MOST_ROWS: u16 = 14;
/// Columns of the name, where the row says more than that.
const NAME_WIDTH: u16 = 26;

/// Where the palette is drawn: always the same place, however many rows are left.
fn dialog(area: Rect) -> Rect {
    let (wide, high) = (
        area.width.saturating_sub(4).min(96),
        area.height.saturating_sub(3).min(MOST_ROWS + 4),
    );
    Rect {
        x: area.x + (area.width - wide) / 2,
        y: area.y + 2.min(area.height.saturating_sub(high)),
        width: wide,
        height: high,
    }
}

/// Where what was typed is drawn.
pub(super) fn line_of(area: Rect) -> Rect {
    skip_right(skip_left(row_of(dialog(area), 1), 4), 2)
}

/// Draws the palette.
pub(super) fn draw(
    frame: &FrameContext<'_>,
    search: &Picker,
    area: Rect,
    canvas: &mut Canvas<'_>,
    hits: &mut ClickMap,
) {
    let inside = canvas.dialog(dialog(area), "Palette");
    let rows = rows(frame.state, frame.scene, frame.arranged, search.line.text());
    let prompt = line_of(area);
    canvas.line(
        left_part(row_of(inset(inside, 1), 0), 2),
        &[piece(": ", StyleRole::Key)],
    );
    ghost(search, &rows, prompt, canvas);
    writing::draw(&search.line, prompt, canvas);
    let list = top_part(skip_top(inside, 1), inside.height.saturating_sub(2));
    if rows.is_empty() {
        let text = format!(" Nothing matches `{}`. Esc closes.", search.line.text());
        canvas.line(row_of(list, 0), &[dim(text)]);
    }
    let numbered: Vec<_> = rows.iter().enumerate().collect();
    let drawn = List::new((list, 1), &numbered, Some(search.marked), StyleRole::Selected);
    drawn.draw(canvas, hits, |(at, row), line, canvas| {
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

/// How the marked row goes on from what was typed, which Tab writes, and what may follow.
fn ghost(search: &Picker, rows: &[PaletteRow], prompt: Rect, canvas: &mut Canvas<'_>) {
    let typed = search.line.text();
    if typed.is_empty() {
        let text = "an action, a task, a pane";
        canvas.line(prompt, &[dim(text)]);
        return;
    }
    let used = u16::try_from(width(typed)).unwrap_or(u16::MAX);
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
