//! Where the outer cursor belongs: in a prompt, in the terminal that is typed into, else at the marked row.

use ratatui::layout::Rect;

use super::{CursorAt, FrameOf, form, help, hints, lines, palette, welcome};
use crate::term::CursorShape;
use crate::ui::arrange::Mode;
use crate::ui::line::Line;
use crate::ui::scene::ScreenRead;
use crate::ui::state::{Field, Overlay, Step};
use crate::ui::target::shown_agent;
use crate::ui::text::width;
use crate::ui::views::{Hit, Hits, first_shown, target};

/// Where the cursor belongs.
pub(super) fn of(frame: &FrameOf<'_>, area: Rect) -> Option<CursorAt> {
    // A prompt may have no room on a frame of a few cells.
    wished(frame, area).filter(|at| area.contains((at.x, at.y).into()))
}

/// At the beginning of the marked row, where nothing is written: magnifiers and readers follow the cursor (A13).
pub(super) fn parked(frame: &FrameOf<'_>, hits: &Hits) -> Option<CursorAt> {
    let focus = frame.arranged.focus;
    let pane = frame.state.pane(focus);
    let about = target(frame.state, frame.scene, frame.arranged);
    let task = about.task.map(|task| task.id.clone());
    let agent = shown_agent(frame.state, frame.scene, focus);
    let is_marked = |hit: &Hit| match (&frame.state.overlay, hit) {
        (Some(Overlay::Choose(choose)), Hit::Choice(at)) => choose.at == *at,
        (Some(Overlay::Welcome(asked)), Hit::Choice(at)) => asked.at == *at,
        (None, Hit::Task(of, id)) => *of == focus && Some(id) == task.as_ref(),
        (None, Hit::Agent(of, id)) => *of == focus && Some(*id) == agent,
        (None, Hit::Mark(of, mark)) => *of == focus && Some(*mark) == pane.mark,
        _ => false,
    };
    let (area, _) = hits.iter().find(|(_, hit)| is_marked(hit))?;
    (area.width > 0 && area.height > 0).then_some(CursorAt {
        x: area.x,
        y: area.y,
        shape: CursorShape::SteadyBar,
    })
}

fn wished(frame: &FrameOf<'_>, area: Rect) -> Option<CursorAt> {
    match (&frame.state.overlay, frame.mode) {
        (Some(Overlay::Ask(ask)), _) => at_caret(&ask.line, lines::ask_line(ask, area)),
        (Some(Overlay::Form(form)), _) => (form.field == Field::Title)
            .then(|| at_caret(&form.title, form::line_of(area)))
            .flatten(),
        (Some(Overlay::Welcome(asked)), _) => match &asked.step {
            Step::Command(line) => at_caret(line, welcome::line_of(frame, asked, area)),
            _ => None,
        },
        (Some(Overlay::Palette(search)), _) => at_caret(&search.line, palette::line_of(area)),
        (Some(Overlay::Help(search)), _) => at_caret(&search.line, help::line_of(area)),
        (Some(Overlay::Find(finding)), _) => at_caret(&finding.line, hints::find_line(frame.arranged.status)),
        (None, Mode::Type) => typed(frame),
        (None, Mode::Copy) => held(frame),
        _ => None,
    }
}

fn held(frame: &FrameOf<'_>) -> Option<CursorAt> {
    let area = frame.arranged.focused()?.inner;
    let copying = frame.state.copying.as_ref()?;
    let row = u16::try_from(copying.at.0.checked_sub(copying.top)?).ok()?;
    let column = u16::try_from(copying.at.1)
        .unwrap_or(u16::MAX)
        .min(area.width.checked_sub(1)?);
    (row < area.height).then_some(CursorAt {
        x: area.x + column,
        y: area.y + row,
        shape: CursorShape::SteadyBlock,
    })
}

fn at_caret(line: &Line, area: Rect) -> Option<CursorAt> {
    let room = usize::from(area.width.saturating_sub(1));
    let column = u16::try_from(width(line.before()).min(room)).unwrap_or(0);
    (area.height > 0).then_some(CursorAt {
        x: area.x + column,
        y: area.y,
        shape: CursorShape::SteadyBar,
    })
}

fn typed(frame: &FrameOf<'_>) -> Option<CursorAt> {
    let placed = frame.arranged.focused()?;
    let mut found = None;
    frame.scene.screens.with(placed.content.screen()?, &mut |screen| {
        found = within(screen, placed.inner);
    });
    found.filter(|_| frame.state.pane(placed.pane).scroll == 0)
}

/// Where the cursor of a terminal is when it is drawn there; nowhere when its program hides it.
pub(super) fn within(screen: &dyn ScreenRead, area: Rect) -> Option<CursorAt> {
    let top = first_shown(screen, area.height);
    let cursor = screen.cursor()?;
    let row = cursor.row.checked_sub(top).filter(|row| *row < area.height)?;
    (cursor.column < area.width).then_some(CursorAt {
        x: area.x + cursor.column,
        y: area.y + row,
        shape: cursor.shape,
    })
}
