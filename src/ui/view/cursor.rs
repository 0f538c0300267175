//! Position of the outer cursor: in a prompt, in the terminal with the keys, else at the marked row.

use ratatui::layout::Position;

use super::{FrameContext, FrameCursor};
use crate::term::CursorShape;
use crate::ui::canvas::prelude::*;
use crate::ui::scene::ScreenRead;
use crate::ui::screen_layout::InputMode;
use crate::ui::state::Overlay;
use crate::ui::target::shown_agent;
use crate::ui::views::{ClickTarget, first_row_shown, target};

/// Returns the position of the outer cursor; `caret` is that of the line that is being written.
pub(super) fn outer_cursor(
    frame: &FrameContext<'_>,
    caret: Option<Position>,
    area: Rect,
) -> Option<FrameCursor> {
    // A prompt may have no room on a frame of a few cells.
    wished(frame, caret).filter(|at| area.contains((at.x, at.y).into()))
}

/// Returns the beginning of the marked row, if nothing is written: magnifiers and readers follow the cursor.
pub(super) fn row_cursor(frame: &FrameContext<'_>, canvas: &Canvas<'_>) -> Option<FrameCursor> {
    let focus = frame.layout.focus;
    let pane = frame.state.pane(focus);
    let about = target(frame.state, frame.scene, frame.layout);
    let task = about.task.map(|task| task.id.clone());
    let agent = shown_agent(frame.state, frame.scene, focus);
    let is_marked = |hit: &ClickTarget| match (&frame.state.overlay, hit) {
        (Some(Overlay::Menu(choose)), ClickTarget::MenuItem(at)) => choose.marked == *at,
        (Some(Overlay::Welcome(asked)), ClickTarget::MenuItem(at)) => asked.marked == *at,
        (Some(Overlay::Trust(review)), ClickTarget::MenuItem(at)) => review.marked == *at,
        (None, ClickTarget::Task(of, id)) => *of == focus && Some(id) == task.as_ref(),
        (None, ClickTarget::Agent(of, id)) => *of == focus && Some(*id) == agent,
        (None, ClickTarget::Row(of, mark)) => *of == focus && Some(*mark) == pane.mark,
        _ => false,
    };
    let (area, _) = canvas.hits.iter().find(|(_, hit)| is_marked(hit))?;
    (!area.is_empty()).then(|| bar_at(area.as_position()))
}

fn wished(frame: &FrameContext<'_>, caret: Option<Position>) -> Option<FrameCursor> {
    match (&frame.state.overlay, frame.mode) {
        (Some(_), _) => caret.map(bar_at),
        (None, InputMode::Type) => typed(frame),
        (None, InputMode::Copy) => held(frame),
        _ => None,
    }
}

fn bar_at(Position { x, y }: Position) -> FrameCursor {
    let shape = CursorShape::SteadyBar;
    FrameCursor { x, y, shape }
}

fn held(frame: &FrameContext<'_>) -> Option<FrameCursor> {
    let area = frame.layout.focused()?.inner;
    let copying = frame.state.copy_mode.as_ref()?;
    let row = u16::try_from(copying.cursor.0.checked_sub(copying.top)?).ok()?;
    let column = cells(copying.cursor.1).min(area.width.checked_sub(1)?);
    (row < area.height).then_some(FrameCursor {
        x: area.x + column,
        y: area.y + row,
        shape: CursorShape::SteadyBlock,
    })
}

fn typed(frame: &FrameContext<'_>) -> Option<FrameCursor> {
    let placed = frame.layout.focused()?;
    let mut found = None;
    frame.scene.screens.with(placed.content.screen()?, &mut |screen| {
        found = screen_cursor(screen, placed.inner);
    });
    found.filter(|_| frame.state.pane(placed.pane).scroll == 0)
}

/// Returns the position of a terminal's cursor when it is drawn there; `None` if its program hides it.
pub(crate) fn screen_cursor(screen: &dyn ScreenRead, area: Rect) -> Option<FrameCursor> {
    let top = first_row_shown(screen, area.height);
    let cursor = screen.cursor()?;
    let row = cursor.row.checked_sub(top).filter(|row| *row < area.height)?;
    (cursor.column < area.width).then_some(FrameCursor {
        x: area.x + cursor.column,
        y: area.y + row,
        shape: cursor.shape,
    })
}
