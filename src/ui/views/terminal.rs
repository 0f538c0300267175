//! A live terminal: an agent's, a shell's, the conductor's. Copies visible cells while the lock is held, and nothing else;
//! never draws outside its area.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::held;
use super::{Hits, Look, Moved, Step, View, scrolled};
use crate::domain::AttemptId;
use crate::ui::arrange::Mode;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::marker::of_attempt;
use crate::ui::pane::PaneId;
use crate::ui::scene::{Scene, ScreenId, ScreenRead};
use crate::ui::state::{Content, Pane, State};
use crate::ui::target::{self, Target};
use crate::ui::text::{clean, grapheme_width, wrap};
use crate::ui::theme::Role;

/// A live terminal.
pub(super) struct TerminalView;

impl View for TerminalView {
    fn about(&self) -> &'static str {
        "A terminal of a program that runs by itself. Closing the pane never stops it."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        match &look.pane.content {
            Content::Attempt(id) => agent_title(look, *id),
            Content::Shell(_) => named(look, "Shell"),
            Content::Conductor => named(look, "Conductor"),
            _ => Vec::new(),
        }
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        match pane.content {
            Content::Attempt(id) => target::of_attempt(scene, id),
            _ => target::of_selected(state, scene),
        }
    }

    fn note(&self, look: &Look<'_>) -> Option<Piece> {
        let id = look.pane.content.screen()?;
        let mut ended = false;
        let there = look.scene.screens.with(id, &mut |screen| ended = !screen.alive());
        let back = look.pane.scroll;
        if let Some(copying) = held::held(look) {
            let text = format!("{}/{}", copying.at.0 + 1, copying.still.lines.len());
            return Some(piece(text, Role::ModeCopy));
        }
        match (there, ended, look.mode) {
            (false, ..) => None,
            (_, true, _) => Some(piece("ended", Role::Dim)),
            _ if back > 0 => Some(piece(format!("{back} lines back"), Role::Retry)),
            (_, _, Mode::Type) if look.focused => Some(piece("TYPING", Role::ModeType)),
            (_, _, Mode::Look) if look.focused => Some(piece("LOOKING", Role::ModeLook)),
            _ => None,
        }
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, _hits: &mut Hits) {
        if let Some(copying) = held::held(look) {
            return held::draw(copying, area, canvas);
        }
        if !draw_screen(look, area, canvas) {
            absent(look, area, canvas);
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let (Some(id), Some(rows)) = (look.pane.content.screen(), step.rows(area.height)) else {
            return Moved::Out;
        };
        let mut history = 0;
        look.scene
            .screens
            .with(id, &mut |screen| history = screen.history());
        Moved::Scrolled(scrolled(look.pane.scroll.min(history), -rows, history))
    }
}

fn named(look: &Look<'_>, name: &str) -> Vec<Piece> {
    let mut title = String::new();
    if let Some(id) = look.pane.content.screen() {
        look.scene.screens.with(id, &mut |screen| title = screen.title());
    }
    let mut pieces = vec![piece(name, Role::Title)];
    if !title.is_empty() {
        pieces.push(piece(format!("  {title}"), Role::Dim));
    }
    pieces
}

/// Marker, task, agent, what it does, since when.
fn agent_title(look: &Look<'_>, id: AttemptId) -> Vec<Piece> {
    let Some(attempt) = look.scene.model.attempts.get(&id) else {
        return vec![piece(format!("attempt {id}"), Role::Title)];
    };
    let marker = of_attempt(attempt);
    let task = look.scene.model.tasks.get(&attempt.task);
    let title = task.map(|task| task.title.as_str()).unwrap_or_default();
    let age = look.scene.now.since(marker.since);
    vec![
        piece(
            format!("{} ", marker.mark.glyph(look.scene.theme.glyphs)),
            marker.role,
        ),
        piece(format!("{} ", attempt.task), Role::Title),
        piece(format!("{}  ", attempt.worker.name()), Role::Title),
        piece(format!("{} {age}  ", marker.word), marker.role),
        piece(title, Role::Dim),
    ]
}

/// Draws the pane's terminal; answers whether there is one.
fn draw_screen(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) -> bool {
    let Some(id) = look.pane.content.screen() else {
        return false;
    };
    peek(look, (id, look.pane.scroll), area, canvas)
}

/// Draws a terminal scrolled back by so many lines, cut to the area so that the cursor's row is in it.
pub(super) fn peek(
    look: &Look<'_>,
    (id, back): (ScreenId, usize),
    area: Rect,
    canvas: &mut Canvas<'_>,
) -> bool {
    look.scene.screens.with(id, &mut |screen| {
        let top = first_shown(screen, area.height);
        let back = back.min(screen.history());
        canvas.bare(area);
        screen.cells(back, &mut |column, row, grapheme, style| {
            if let Some(row) = row.checked_sub(top) {
                put(canvas, area, (column, row), (grapheme, style));
            }
        });
    })
}

/// Draws one row of a terminal anew; answers the row of the frame, if it is in the area.
pub(crate) fn redraw_row(
    screen: &mut dyn ScreenRead,
    row: u16,
    area: Rect,
    canvas: &mut Canvas<'_>,
) -> Option<u16> {
    let top = first_shown(screen, area.height);
    let place = row.checked_sub(top).filter(|place| *place < area.height)?;
    canvas.bare(row_of(area, usize::from(place)));
    screen.row(row, &mut |column, _, grapheme, style| {
        put(canvas, area, (column, place), (grapheme, style));
    });
    Some(area.y + place)
}

/// One cell of a terminal, if it is inside the area.
pub(super) fn put(
    canvas: &mut Canvas<'_>,
    area: Rect,
    (column, row): (u16, u16),
    (grapheme, style): (&str, Style),
) {
    let wide = u16::try_from(grapheme_width(grapheme)).unwrap_or(0).max(1);
    if row < area.height && column + wide <= area.width {
        let style = canvas.theme.shown(style);
        canvas.cell((area.x + column, area.y + row), shown(grapheme), style, wide);
    }
}

fn shown(grapheme: &str) -> &str {
    if grapheme_width(grapheme) == 0 {
        " "
    } else {
        grapheme
    }
}

/// The first row of a terminal to draw when it is taller than its pane.
pub(crate) fn first_shown(screen: &dyn ScreenRead, height: u16) -> u16 {
    let (_, rows) = screen.size();
    let most = rows.saturating_sub(height);
    (screen.writes_at() + 1).saturating_sub(height).min(most)
}

/// Says why there is no terminal, and what to do.
fn absent(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let text = match &look.pane.content {
        Content::Shell(_) => "The shell is being opened.".to_owned(),
        Content::Attempt(id) => {
            let attempt = look.scene.model.attempts.get(id);
            if attempt.is_some_and(|attempt| attempt.state.is_open()) {
                "Its terminal is being opened.".to_owned()
            } else {
                format!("The terminal of attempt {id} is no longer here.")
            }
        }
        _ => String::new(),
    };
    let room = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    for (at, line) in wrap(&text, usize::from(room.width)).iter().enumerate() {
        let role = if at == 0 { Role::Text } else { Role::Dim };
        canvas.line(row_of(room, at + 1), &[piece(clean(line), role)]);
    }
}
