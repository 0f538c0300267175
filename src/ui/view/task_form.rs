//! The form for a new task, drawn.

use super::writing;
use crate::ui::canvas::prelude::*;
use crate::ui::state::{FormField, TaskForm};

/// Columns of the names of fields.
const NAMES: u16 = 11;

fn dialog(area: Rect) -> Rect {
    let wide = 76.min(area.width.saturating_sub(2));
    centered_rect(area, (wide, 9.min(area.height)))
}

fn field_line(area: Rect, field: FormField) -> Rect {
    let at = FormField::ALL.iter().position(|other| *other == field);
    let line = row_of(dialog(area), at.unwrap_or(0) + 1);
    skip_right(skip_left(line, NAMES + 2), 2)
}

/// Draws the form.
pub(super) fn draw(form: &TaskForm, area: Rect, canvas: &mut Canvas<'_>) {
    let inside = canvas.dialog(dialog(area), "New task");
    for field in FormField::ALL {
        let line = field_line(area, field);
        let name = Rect {
            x: inside.x,
            width: NAMES,
            ..line
        };
        let here = form.field == field;
        let mark = if here { ">" } else { " " };
        canvas.line(
            name,
            &[
                piece(format!("{mark} "), StyleRole::Key),
                piece(
                    field.name(),
                    if here { StyleRole::Strong } else { StyleRole::Dim },
                ),
            ],
        );
        match field {
            FormField::Title => {
                writing::draw(&form.title, line, canvas);
                canvas.caret = canvas.caret.filter(|_| here);
            }
            FormField::Body => {
                let rows = form.body.lines().count();
                let last = form.body.lines().last().unwrap_or_default();
                let text = match rows {
                    0 => "C-e open in your editor".to_owned(),
                    1 => last.to_owned(),
                    rows => format!("{rows} lines … {last}"),
                };
                let role = if rows == 0 {
                    StyleRole::Dim
                } else {
                    StyleRole::Text
                };
                canvas.line(line, &[piece(text, role)]);
            }
            other => {
                canvas.line(line, &[plain(form.value(other))]);
            }
        }
    }
    let foot = last_row(inside);
    canvas.line(
        foot,
        &[
            piece(" Enter", StyleRole::Key),
            dim(" create  "),
            piece("Tab", StyleRole::Key),
            dim(" next field  "),
            piece("Left Right", StyleRole::Key),
            dim(" change a value"),
        ],
    );
}
