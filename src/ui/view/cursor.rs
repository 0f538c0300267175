//! Where the outer cursor belongs: in a prompt, in the terminal that is typed into, else at the marked row.

use ratatui::layout::Rect;

use super::{FrameContext, FrameCursor, help, hints, palette, prompt_lines, task_form, welcome};
use crate::term::CursorShape;
use crate::ui::line_editor::LineEditor;
use crate::ui::scene::ScreenRead;
use crate::ui::screen_layout::InputMode;
use crate::ui::state::{FormField, Overlay, WelcomeStep};
use crate::ui::target::shown_agent;
use crate::ui::text::width;
use crate::ui::views::{ClickMap, ClickTarget, first_row_shown, target};

/// Where the cursor belongs.
pub(super) fn outer_cursor(frame: &FrameContext<'_>, area: Rect) -> Option<FrameCursor> {
    // A prompt may have no room on a frame of a few cells.
    wished(frame, area).filter(|at| area.contains((at.x, at.y).into()))
}

/// At the beginning of the marked row, where nothing is written: magnifiers and readers follow the cursor (A13).
pub(super) fn row_cursor(frame: &FrameContext<'_>, hits: &ClickMap) -> Option<FrameCursor> {
    let focus = frame.arranged.focus;
    let pane = frame.state.pane(focus);
    let about = target(frame.state, frame.scene, frame.arranged);
    let task = about.task.map(|task| task.id.clone());
    let agent = shown_agent(frame.state, frame.scene, focus);
    let is_marked = |hit: &ClickTarget| match (&frame.state.overlay, hit) {
        (Some(Overlay::Menu(choose)), ClickTarget::MenuItem(at)) => choose.marked == *at,
        (Some(Overlay::Welcome(asked)), ClickTarget::MenuItem(at)) => asked.marked == *at,
        (None, ClickTarget::Task(of, id)) => *of == focus && Some(id) == task.as_ref(),
        (None, ClickTarget::Agent(of, id)) => *of == focus && Some(*id) == agent,
        (None, ClickTarget::Row(of, mark)) => *of == focus && Some(*mark) == pane.mark,
        _ => false,
    };
    let (area, _) = hits.iter().find(|(_, hit)| is_marked(hit))?;
    (area.width > 0 && area.height > 0).then_some(FrameCursor {
        x: area.x,
        y: area.y,
        shape: CursorShape::SteadyBar,
    })
}

fn wished(frame: &FrameContext<'_>, area: Rect) -> Option<FrameCursor> {
    match (&frame.state.overlay, frame.mode) {
        (Some(Overlay::Prompt(ask)), _) => at_caret(&ask.line, prompt_lines::ask_line(ask, area)),
        (Some(Overlay::Form(form)), _) => (form.field == FormField::Title)
            .then(|| at_caret(&form.title, task_form::line_of(area)))
            .flatten(),
        (Some(Overlay::Welcome(asked)), _) => match &asked.step {
            WelcomeStep::Command(line) => at_caret(line, welcome::line_of(frame, asked, area)),
            _ => None,
        },
        (Some(Overlay::Palette(search)), _) => at_caret(&search.line, palette::line_of(area)),
        (Some(Overlay::Help(search)), _) => at_caret(&search.line, help::line_of(area)),
        (Some(Overlay::Search(finding)), _) => {
            at_caret(&finding.line, hints::find_line(frame.arranged.status))
        }
        (None, InputMode::Type) => typed(frame),
        (None, InputMode::Copy) => held(frame),
        _ => None,
    }
}

fn held(frame: &FrameContext<'_>) -> Option<FrameCursor> {
    let area = frame.arranged.focused()?.inner;
    let copying = frame.state.copy_mode.as_ref()?;
    let row = u16::try_from(copying.cursor.0.checked_sub(copying.top)?).ok()?;
    let column = u16::try_from(copying.cursor.1)
        .unwrap_or(u16::MAX)
        .min(area.width.checked_sub(1)?);
    (row < area.height).then_some(FrameCursor {
        x: area.x + column,
        y: area.y + row,
        shape: CursorShape::SteadyBlock,
    })
}

fn at_caret(line: &LineEditor, area: Rect) -> Option<FrameCursor> {
    let room = usize::from(area.width.saturating_sub(1));
    let column = u16::try_from(width(line.before_caret()).min(room)).unwrap_or(0);
    (area.height > 0).then_some(FrameCursor {
        x: area.x + column,
        y: area.y,
        shape: CursorShape::SteadyBar,
    })
}

fn typed(frame: &FrameContext<'_>) -> Option<FrameCursor> {
    let placed = frame.arranged.focused()?;
    let mut found = None;
    frame.scene.screens.with(placed.content.screen()?, &mut |screen| {
        found = screen_cursor(screen, placed.inner);
    });
    found.filter(|_| frame.state.pane(placed.pane).scroll == 0)
}

/// Where the cursor of a terminal is when it is drawn there; nowhere when its program hides it.
pub(super) fn screen_cursor(screen: &dyn ScreenRead, area: Rect) -> Option<FrameCursor> {
    let top = first_row_shown(screen, area.height);
    let cursor = screen.cursor()?;
    let row = cursor.row.checked_sub(top).filter(|row| *row < area.height)?;
    (cursor.column < area.width).then_some(FrameCursor {
        x: area.x + cursor.column,
        y: area.y + row,
        shape: cursor.shape,
    })
}
