//! The summary for a person who comes back: tasks that were done, failed or sent back while they were away. Closed by the first key, which
//! it does not consume.

use super::FrameContext;
use crate::domain::{Task, TaskState, Timestamp};
use crate::keymap::Action;
use crate::ui::canvas::prelude::*;
use crate::ui::status::DisplayStatus;

/// Columns of the card.
const WIDE: u16 = 64;
/// Maximum number of tasks that are named in a line; the others are counted.
const NAMED: usize = 6;

/// Draws the card.
pub(super) fn draw(frame: &FrameContext<'_>, left: Timestamp, area: Rect, canvas: &mut Canvas<'_>) {
    let lines = lines(frame, left);
    let height = cells(lines.len() + 2);
    let size = (WIDE.min(area.width.saturating_sub(2)), height);
    let title = format!("While you were away, {}", frame.scene.now.since(left));
    let inside = canvas.dialog(centered_rect(area, size), &title);
    canvas.lines(inside, &lines);
}

fn lines(frame: &FrameContext<'_>, left: Timestamp) -> Vec<Vec<StyledText>> {
    let model = frame.scene.model;
    let since = |task: &&Task| task.since > left;
    let of = |wanted: fn(&TaskState) -> bool| -> Vec<&str> {
        let tasks = model.tasks.values().map(AsRef::as_ref).filter(since);
        let found = tasks.filter(|task: &&Task| wanted(&task.state));
        found.map(|task| task.id.as_str()).collect()
    };
    let done = of(|state| *state == TaskState::Done);
    let failed = of(|state| matches!(state, TaskState::Failed(_) | TaskState::Held(_)));
    let mut rejected: Vec<&str> = frame
        .scene
        .log
        .iter()
        .filter(|line| line.at > left && line.notice.kind == "reject")
        .filter_map(|line| line.notice.task.as_ref().map(crate::domain::TaskId::as_str))
        .collect();
    rejected.sort_unstable();
    rejected.dedup();
    let glyphs = frame.scene.theme.glyphs;
    let mut lines = Vec::new();
    let mut add_line = |mark: DisplayStatus, role: StyleRole, word: &str, ids: &[&str]| {
        if ids.is_empty() {
            return;
        }
        let mut named = ids.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        if ids.len() > NAMED {
            named.push_str(" and more");
        }
        lines.push(vec![
            piece(format!(" {} {} {word}", mark.glyph(glyphs), ids.len()), role),
            plain(format!("  {named}")),
        ]);
    };
    add_line(DisplayStatus::Done, StyleRole::Done, "done", &done);
    add_line(
        DisplayStatus::Failed,
        StyleRole::Failed,
        "failed or held",
        &failed,
    );
    add_line(DisplayStatus::Retry, StyleRole::Retry, "sent back", &rejected);
    if lines.is_empty() {
        lines.push(vec![plain(" Nothing was finished, nothing failed.")]);
    }
    let key = frame.key_of(Action::GoToAttention);
    lines.push(match model.attention.len() {
        0 => vec![dim(" Nothing needs you.")],
        many => vec![
            piece(
                format!(" {} {many} need you  ", DisplayStatus::NeedsYou.glyph(glyphs)),
                StyleRole::Human,
            ),
            piece(key, StyleRole::Key),
            plain(" go there"),
        ],
    });
    lines
}
