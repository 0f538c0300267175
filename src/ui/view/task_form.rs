//! The form for a new task, drawn.

use super::writing;
use crate::display::text::clean;
use crate::read_model::ReadModel;
use crate::ui::canvas::prelude::*;
use crate::ui::line_editor::LineEditor;
use crate::ui::state::{FormField, TaskForm};
use strum::VariantArray as _;

/// Columns of the names of fields.
const NAMES: u16 = 11;
/// Maximum number of words offered at a time.
const MOST_OFFERED: usize = 8;

fn dialog(area: Rect) -> Rect {
    let wide = 76.min(area.width.saturating_sub(2));
    let high = cells(FormField::VARIANTS.len() + 3);
    centered_rect(area, (wide, high.min(area.height)))
}

fn field_line(area: Rect, field: FormField) -> Rect {
    let at = FormField::VARIANTS.iter().position(|other| *other == field);
    let line = row_of(dialog(area), at.unwrap_or(0) + 1);
    skip_right(skip_left(line, NAMES + 2), 2)
}

/// Returns the line in which a field is written.
fn written(form: &TaskForm, field: FormField) -> &LineEditor {
    match field {
        FormField::Tags => &form.tags,
        FormField::Dependencies => &form.deps,
        _ => &form.title,
    }
}

/// Returns the words that the field with the keys offers, and the key that takes the first.
fn offers(model: &ReadModel, form: &TaskForm) -> Option<Vec<StyledText>> {
    let found = form.offered(model);
    let mut pieces = vec![piece(" Right", StyleRole::Key), dim(" take  ")];
    for (word, about) in found.iter().take(MOST_OFFERED) {
        pieces.push(plain(clean(word)));
        pieces.push(dim(format!(" {}  ", clean(about))));
    }
    (!found.is_empty()).then_some(pieces)
}

/// Returns the last line of a body and the number of lines, or a hint on writing one.
fn body(text: &str) -> StyledText {
    let last = text.rsplit('\n').next().unwrap_or_default();
    match text.split('\n').count() {
        _ if text.is_empty() => dim("C-e open in your editor"),
        1 => plain(last),
        rows => plain(format!("{rows} lines … {last}")),
    }
}

/// Draws the form.
pub(super) fn draw(model: &ReadModel, form: &TaskForm, area: Rect, canvas: &mut Canvas<'_>) {
    let inside = canvas.dialog(dialog(area), "New task");
    for &field in FormField::VARIANTS {
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
            FormField::Title | FormField::Tags | FormField::Dependencies => {
                let (text, caret) = (written(form, field), canvas.caret);
                writing::draw(text, line, canvas);
                if !here {
                    canvas.caret = caret;
                }
            }
            FormField::Body => {
                canvas.line(line, &[body(&form.body)]);
            }
            other => {
                canvas.line(line, &[plain(form.value(other))]);
            }
        }
    }
    let foot = last_row(inside);
    if let Some(pieces) = offers(model, form) {
        canvas.line(foot, &pieces);
        return;
    }
    let create = if form.field == FormField::Body {
        " C-s"
    } else {
        " Enter"
    };
    canvas.line(
        foot,
        &[
            piece(create, StyleRole::Key),
            dim(" create  "),
            piece("Tab", StyleRole::Key),
            dim(" next field  "),
            piece("Left Right", StyleRole::Key),
            dim(" change a value"),
        ],
    );
}
