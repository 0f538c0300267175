//! A row with the latest throughput, for a wide board with room to spare. Counts only facts that the board itself knows; data that must be
//! fetched or measured belongs to the figures.

use super::ViewContext;
use super::metrics::sparkline;
use crate::domain::{Span, TaskState};
use crate::read_model::per_span;
use crate::ui::canvas::prelude::*;

/// Height from which the area below the columns spares two rows.
const SPARES: u16 = 26;

/// Divides the area below the columns: the rest, and the row, if there is one.
pub(super) fn divide(below: Rect) -> (Rect, Option<Rect>) {
    if below.height < SPARES {
        return (below, None);
    }
    let left = Rect {
        height: below.height - 2,
        ..below
    };
    (left, Some(last_row(below)))
}

/// Draws the row, and the line above it.
pub(super) fn draw(ctx: &ViewContext<'_>, row: Rect, canvas: &mut Canvas<'_>) {
    canvas.horizontal_line(row.y.saturating_sub(1), row);
    let mut pieces = vec![strong(" Throughput")];
    pieces.extend(curve(ctx, "last hour", Span::minutes(2), 30));
    pieces.extend(curve(ctx, "last day", Span::minutes(60), 24));
    canvas.line(row, &pieces);
}

/// Returns the tasks done in the last spans of that length.
fn curve(ctx: &ViewContext<'_>, name: &str, span: Span, many: usize) -> [StyledText; 3] {
    let tasks = ctx.scene.model.tasks.values();
    let done = tasks.filter(|task| task.state == TaskState::Done);
    let counts = per_span(done.map(|task| task.since), span, ctx.scene.now, many);
    let all: u64 = counts.iter().sum();
    [
        dim(format!("   {name} ")),
        plain(format!("{all} done ")),
        piece(sparkline(&counts, ctx.scene.theme.glyphs), StyleRole::Running),
    ]
}
