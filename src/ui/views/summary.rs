//! The board when all is over: how it went, and what to look at. Drawn where cards would be; not a view of its own.

use ratatui::layout::Rect;

use super::{LOG, Look, METRICS};
use crate::domain::{Task, TaskState, counted};
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, middle, piece, pieces_width, row_of};
use crate::ui::theme::Role;

/// Tasks that are named as worth a look.
const NAMED: usize = 5;

/// Whether there are tasks, and nothing more happens to any of them by itself.
pub(super) fn is_due(look: &Look<'_>) -> bool {
    let tasks = &look.scene.model.tasks;
    !tasks.is_empty() && tasks.values().all(|task| task.state.is_terminal())
}

/// Draws the card in the middle of an area.
pub(super) fn draw(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let lines = lines(look);
    let wide = lines.iter().map(|line| pieces_width(line)).max().unwrap_or(0) + 4;
    let size = (
        u16::try_from(wide).unwrap_or(u16::MAX).max(30),
        u16::try_from(lines.len() + 2).unwrap_or(u16::MAX),
    );
    let inside = canvas.dialog(middle(area, size), "All is over");
    for (at, pieces) in lines.iter().enumerate() {
        canvas.line(row_of(inside, at), pieces);
    }
}

fn lines(look: &Look<'_>) -> Vec<Vec<Piece>> {
    let tasks: Vec<&Task> = look.scene.model.tasks.values().map(AsRef::as_ref).collect();
    let many = |wanted: fn(&TaskState) -> bool| tasks.iter().filter(|task| wanted(&task.state)).count();
    let failed = |state: &TaskState| matches!(state, TaskState::Failed(_));
    let mut outcome = vec![piece(
        format!(
            " {} of {} done",
            many(|state| *state == TaskState::Done),
            tasks.len()
        ),
        Role::Done,
    )];
    for (count, word, role) in [
        (many(failed), "failed", Role::Failed),
        (
            many(|state| matches!(state, TaskState::Skipped(_))),
            "skipped",
            Role::Pending,
        ),
        (
            many(|state| *state == TaskState::Cancelled),
            "cancelled",
            Role::Pending,
        ),
    ] {
        if count > 0 {
            outcome.push(piece(format!(", {count} {word}"), role));
        }
    }
    let begun = tasks.iter().map(|task| task.created_at).min().unwrap_or_default();
    let ended = tasks.iter().map(|task| task.since).max().unwrap_or_default();
    let attempts: u32 = tasks.iter().map(|task| task.spawns).sum();
    let rejected: u32 = tasks.iter().map(|task| task.rejections).sum();
    let merged = tasks.iter().filter(|task| task.merged.is_some()).count();
    let text = |text: String| vec![piece(text, Role::Text)];
    let mut lines = vec![
        outcome,
        text(format!(
            " in {}, with {}, {rejected} sent back",
            ended.since(begun),
            counted(attempts, "attempt")
        )),
    ];
    if merged > 0 {
        let base = look.scene.model.base.as_deref().unwrap_or("the base branch");
        lines.push(text(format!(" {merged} merged into {base}")));
    }
    for task in tasks.iter().filter(|task| failed(&task.state)).take(NAMED) {
        lines.push(vec![
            piece(format!(" look at {}", task.id), Role::Failed),
            piece(format!("  {}", task.title), Role::Text),
        ]);
    }
    lines.push(Vec::new());
    lines.push(keys(look));
    lines
}

/// What may be done now.
fn keys(look: &Look<'_>) -> Vec<Piece> {
    let mut keys = Vec::new();
    for (action, title) in [
        (Action::Show(METRICS), "figures"),
        (Action::Show(LOG), "log"),
        (Action::NewTask, "new task"),
        (Action::Finished, "show them"),
    ] {
        let key = look.state.keymap.hint(action).unwrap_or_default();
        keys.push(piece(format!(" {key}"), Role::Key));
        keys.push(piece(format!(" {title}  "), Role::Text));
    }
    keys
}
