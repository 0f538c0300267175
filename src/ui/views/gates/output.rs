//! The output of the marked check, below the list of checks.

use ratatui::layout::Rect;

use super::super::{MoveOutcome, ViewContext, ViewMove, scrolled};
use super::{look_of, marked};
use crate::read_model::CheckRun;
use crate::ui::action::Action;
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::{Canvas, StyledText, piece, row_of};
use crate::ui::text::wrap;
use crate::ui::theme::StyleRole;

/// The marked check in full: what was run on what, how it ended, its output from the end.
pub(super) fn draw(look: &ViewContext<'_>, check: &CheckRun, area: Rect, canvas: &mut Canvas<'_>) {
    let room = inside(area);
    let head = head(look, check, room);
    for (at, pieces) in head.iter().enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
    let area = output_area(room, head.len());
    let (lines, note) = match output(look, check) {
        Some(CacheEntry::Text(lines)) if lines.is_empty() => (&[][..], "It wrote nothing."),
        Some(CacheEntry::Text(lines)) => (lines.as_slice(), ""),
        Some(_) => (&[][..], "Its output is not here (any more)."),
        None => (&[][..], "Reading its output."),
    };
    canvas.line(row_of(area, 0), &[piece(note, StyleRole::Dim)]);
    let height = usize::from(area.height);
    let most = lines.len().saturating_sub(height);
    let first = most.saturating_sub(look.pane.scroll.min(most));
    for (at, line) in lines.iter().skip(first).take(height).enumerate() {
        canvas.line(
            row_of(area, at),
            &[piece(line.replace('\t', "    "), StyleRole::Text)],
        );
    }
}

pub(super) fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    }
}

fn output_area(room: Rect, head: usize) -> Rect {
    let used = u16::try_from(head).unwrap_or(room.height).min(room.height);
    Rect {
        y: room.y + used,
        height: room.height - used,
        ..room
    }
}

fn output<'a>(look: &ViewContext<'a>, check: &CheckRun) -> Option<&'a CacheEntry> {
    look.scene
        .cache
        .get(&CacheKey::Output(check.attempt, check.index))
}

fn head(look: &ViewContext<'_>, check: &CheckRun, room: Rect) -> Vec<Vec<StyledText>> {
    let (_, role, word) = look_of(check);
    let commit: String = check.commit.chars().take(10).collect();
    let wide = usize::from(room.width).max(8);
    let told = wrap(&format!("$ {}", check.command), wide).into_iter().take(3);
    let mut head: Vec<Vec<StyledText>> = told.map(|line| vec![piece(line, StyleRole::Strong)]).collect();
    let retry = look.state.keymap.hint(Action::Retry).unwrap_or_default();
    let mut about = vec![
        piece(word, role),
        piece(
            format!("  attempt {} of {}, commit {commit}", check.attempt, check.task),
            StyleRole::Dim,
        ),
    ];
    let task = look.scene.model.tasks.get(&check.task);
    if task.is_some_and(|task| matches!(task.state, crate::domain::TaskState::Held(_))) {
        about.push(piece(format!("  {retry}"), StyleRole::Key));
        about.push(piece(" retry runs it again", StyleRole::Text));
    }
    head.push(about);
    if check.is_cut {
        head.push(vec![piece(
            "Its output was longer than what is kept.",
            StyleRole::Retry,
        )]);
    }
    head
}

pub(super) fn scroll(look: &ViewContext<'_>, below: Rect, step: ViewMove) -> MoveOutcome {
    let Some(check) = marked(look) else {
        return MoveOutcome::Nowhere;
    };
    let room = inside(below);
    let height = output_area(room, head(look, check, room).len()).height;
    let lines = match output(look, check) {
        Some(CacheEntry::Text(lines)) => lines.len(),
        _ => 0,
    };
    let most = lines.saturating_sub(usize::from(height));
    let rows = step.rows(height).unwrap_or(0);
    MoveOutcome::Scrolled(scrolled(look.pane.scroll.min(most), -rows, most))
}
