//! The output of the marked check, below the list of checks.

use super::super::{MoveOutcome, ViewContext, ViewMove, scrolled};
use super::{look_of, marked};
use crate::display::text::{clean, prefix, width, wrap};
use crate::domain::cut::cut_chars;
use crate::keymap::Action;
use crate::read_model::CheckRun;
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::prelude::*;

/// Draws the marked check in full: the command and its commit, the result, its output from the end.
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
    let most = count_rows(lines, area.width).saturating_sub(height);
    let first = most.saturating_sub(ctx.pane.scroll.min(most));
    for (at, row) in rows(lines, area.width, first, height).into_iter().enumerate() {
        canvas.line(row_of(area, at), &[plain(row)]);
    }
}

/// Returns a line of output as it is drawn.
fn drawn(line: &str) -> String {
    clean(&line.replace('\t', "    ")).into_owned()
}

/// Returns the number of rows of a line that is broken at the edge.
fn rows_of(line: &str, room: u16) -> usize {
    width(&drawn(line)).div_ceil(usize::from(room).max(1)).max(1)
}

fn count_rows(lines: &[String], room: u16) -> usize {
    lines.iter().map(|line| rows_of(line, room)).sum()
}

/// Returns at most `height` rows of the output from row `first` on; long lines are broken at the edge.
fn rows(lines: &[String], room: u16, first: usize, height: usize) -> Vec<String> {
    let (mut passed, mut found) = (0, Vec::new());
    for line in lines {
        let many = rows_of(line, room);
        if passed + many > first {
            let text = drawn(line);
            let mut rest = text.as_str();
            for row in passed..passed + many {
                let part = prefix(rest, usize::from(room).max(1));
                rest = rest.get(part.len()..).unwrap_or_default();
                if row >= first {
                    found.push(part.to_owned());
                }
            }
        }
        passed += many;
        if found.len() >= height {
            break;
        }
    }
    found.truncate(height);
    found
}

fn output_area(room: Rect, head: usize) -> Rect {
    skip_top(room, cells(head))
}

fn output<'a>(ctx: &ViewContext<'a>, check: &CheckRun) -> Option<&'a CacheEntry> {
    ctx.scene.cache.get(&CacheKey::output(check))
}

fn head(ctx: &ViewContext<'_>, check: &CheckRun, room: Rect) -> Vec<Vec<StyledText>> {
    let (_, role, word) = look_of(ctx, check);
    let counted = check.tests.map(|tests| format!(", tests: {tests}"));
    let commit = cut_chars(&check.commit, 10);
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
    if !check.hidden.is_empty() {
        let hidden = wrap(&format!("It does not get {}", check.hidden.join(", ")), wide);
        head.extend(hidden.into_iter().take(2).map(|line| vec![dim(line)]));
    }
    if check.is_cut {
        head.push(vec![piece(
            "The beginning of the output was cut.",
            StyleRole::Retry,
        )]);
    }
    head
}

pub(super) fn scroll(ctx: &ViewContext<'_>, below: Rect, movement: ViewMove) -> MoveOutcome {
    let Some(check) = marked(ctx) else {
        return MoveOutcome::Nowhere;
    };
    let room = inset(below, 1);
    let height = output_area(room, head(ctx, check, room).len()).height;
    let lines = match output(ctx, check) {
        Some(CacheEntry::Text(lines)) => count_rows(lines, room.width),
        _ => 0,
    };
    let most = lines.saturating_sub(usize::from(height));
    let rows = movement.rows(height).unwrap_or(0);
    MoveOutcome::Scrolled(scrolled(ctx.pane.scroll.min(most), -rows, most))
}
