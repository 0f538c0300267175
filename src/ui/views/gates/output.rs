//! The output of the marked check, below the list of checks.

use super::super::{MoveOutcome, ViewContext, ViewMove, scrolled};
use super::{look_of, marked};
use crate::read_model::CheckRun;
use crate::ui::action::Action;
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::prelude::*;
use crate::ui::text::wrap;

/// The marked check in full: what was run on what, how it ended, its output from the end.
pub(super) fn draw(ctx: &ViewContext<'_>, check: &CheckRun, area: Rect, canvas: &mut Canvas<'_>) {
    let room = inset(area, 1);
    let head = head(ctx, check, room);
    for (at, pieces) in head.iter().enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
    let area = output_area(room, head.len());
    let (lines, note) = match output(ctx, check) {
        Some(CacheEntry::Text(lines)) if lines.is_empty() => (&[][..], "It printed nothing."),
        Some(CacheEntry::Text(lines)) => (lines.as_slice(), ""),
        Some(_) => (&[][..], "Its output is no longer kept."),
        None => (&[][..], "Reading its output."),
    };
    canvas.line(row_of(area, 0), &[dim(note)]);
    let height = usize::from(area.height);
    let most = lines.len().saturating_sub(height);
    let first = most.saturating_sub(ctx.pane.scroll.min(most));
    for (at, line) in lines.iter().skip(first).take(height).enumerate() {
        canvas.line(row_of(area, at), &[plain(line.replace('\t', "    "))]);
    }
}

fn output_area(room: Rect, head: usize) -> Rect {
    skip_top(room, cells(head))
}

fn output<'a>(ctx: &ViewContext<'a>, check: &CheckRun) -> Option<&'a CacheEntry> {
    ctx.scene.cache.get(&CacheKey::Output(check.attempt, check.index))
}

fn head(ctx: &ViewContext<'_>, check: &CheckRun, room: Rect) -> Vec<Vec<StyledText>> {
    let (_, role, word) = look_of(ctx, check);
    let counted = check.tests.map(|tests| format!(", tests: {tests}"));
    let commit: String = check.commit.chars().take(10).collect();
    let wide = usize::from(room.width).max(8);
    let command = wrap(&format!("$ {}", check.command), wide).into_iter().take(3);
    let mut head: Vec<Vec<StyledText>> = command.map(|line| vec![strong(line)]).collect();
    let retry = ctx.key_of(Action::Retry);
    let mut about = vec![
        piece(word + &counted.unwrap_or_default(), role),
        dim(format!(
            "  attempt {} of {}, commit {commit}",
            check.attempt, check.task
        )),
    ];
    let task = ctx.scene.model.tasks.get(&check.task);
    if task.is_some_and(|task| matches!(task.state, crate::domain::TaskState::Held(_))) {
        about.push(piece(format!("  {retry}"), StyleRole::Key));
        about.push(plain(" retry"));
    }
    head.push(about);
    if check.is_cut {
        head.push(vec![piece(
            "The beginning of the output was cut.",
            StyleRole::Retry,
        )]);
    }
    head
}

pub(super) fn scroll(ctx: &ViewContext<'_>, below: Rect, step: ViewMove) -> MoveOutcome {
    let Some(check) = marked(ctx) else {
        return MoveOutcome::Nowhere;
    };
    let room = inset(below, 1);
    let height = output_area(room, head(ctx, check, room).len()).height;
    let lines = match output(ctx, check) {
        Some(CacheEntry::Text(lines)) => lines.len(),
        _ => 0,
    };
    let most = lines.saturating_sub(usize::from(height));
    let rows = step.rows(height).unwrap_or(0);
    MoveOutcome::Scrolled(scrolled(ctx.pane.scroll.min(most), -rows, most))
}
