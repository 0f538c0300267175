//! One frame: bars, panes, and what lies over them. Takes shared references only; what it learned (where things are, where
//! the cursor belongs) goes out as a [`Layouted`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::arrange::{Arranged, Framing, LEAST, Mode, Placed, arrange, mode};
use super::canvas::lines::{Lines, Weight};
use super::canvas::{Canvas, Piece, piece, row_of};
use super::names::pane_name;
use super::pane::PaneId;
use super::scene::{Scene, ScreenId, ScreenRead};
use super::shelf::Want;
use super::state::{Order, Overlay, State};
use super::theme::Role;
use super::views::{Hit, Hits, Look, view_of};
use crate::term::CursorShape;

mod away;
mod banners;
mod bars;
mod cursor;
mod form;
mod greeting;
mod help;
mod hints;
pub(super) mod lines;
mod machine;
mod overlays;
mod palette;
mod switcher;
mod welcome;
mod writing;

/// What drawing a frame taught.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layouted {
    /// Everything that can be clicked, later ones above earlier ones.
    pub hits: Vec<(Rect, Hit)>,
    /// Panes that are drawn; the server gives terminals these sizes.
    pub panes: Vec<PaneArea>,
    /// Where the outer cursor belongs; hidden when nowhere.
    pub cursor: Option<CursorAt>,
    /// What must be fetched for what is shown.
    pub wants: Vec<Want>,
    /// Whether keys go to the program in the pane with the focus, so that the cursor is its own.
    pub typing: bool,
}

/// One pane that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneArea {
    /// Which.
    pub pane: PaneId,
    /// Its inside.
    pub area: Rect,
    /// The terminal it shows, if it is one (whether or not it exists yet).
    pub screen: Option<ScreenId>,
    /// Whether it has the focus.
    pub focus: bool,
}

/// Where the outer cursor belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorAt {
    /// Column of the frame.
    pub x: u16,
    /// Row of the frame.
    pub y: u16,
    /// Its look.
    pub shape: CursorShape,
}

/// Draws one frame over the whole buffer.
pub fn view(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) -> Layouted {
    let arranged = arrange(state, scene, buffer.area);
    let mode = mode(state, scene, arranged.focus);
    let mut canvas = Canvas {
        buffer,
        theme: scene.theme,
    };
    let area = canvas.buffer.area;
    canvas.clear(area);
    let frame = FrameOf {
        state,
        scene,
        arranged: &arranged,
        mode,
    };
    let (mut hits, mut offered) = (Hits::new(), Hits::new());
    match arranged.framing {
        Framing::TooSmall => too_small(&frame, area, &mut canvas),
        Framing::Bare | Framing::Boxed => {
            frame.bars(&mut canvas, &mut hits, &mut offered);
            frame.panes(&mut canvas, &mut hits);
        }
    }
    overlays::draw(&frame, area, &mut canvas, &mut hits);
    // The last row tells of what lies over the panes, and is not covered by it.
    hits.extend(offered);
    let cursor = cursor::of(&frame, area).or_else(|| cursor::parked(&frame, &hits));
    Layouted {
        hits,
        panes: arranged
            .placed
            .iter()
            .map(|placed| pane_area(placed, arranged.focus))
            .collect(),
        cursor,
        wants: frame.wants(),
        typing: mode == Mode::Type,
    }
}

/// Whether something lies over the panes.
pub(crate) fn is_covered(state: &State, scene: &Scene<'_>) -> bool {
    overlays::any(state, scene)
}

/// Where the cursor of a terminal is when it is drawn there.
pub(crate) fn cursor_in(screen: &dyn ScreenRead, area: Rect) -> Option<CursorAt> {
    cursor::within(screen, area)
}

fn pane_area(placed: &Placed, focus: PaneId) -> PaneArea {
    PaneArea {
        pane: placed.pane,
        area: placed.inner,
        screen: placed.content.screen(),
        focus: placed.pane == focus,
    }
}

/// Everything the parts of a frame are drawn from.
struct FrameOf<'a> {
    state: &'a State,
    scene: &'a Scene<'a>,
    arranged: &'a Arranged,
    mode: Mode,
}

impl FrameOf<'_> {
    fn bars(&self, canvas: &mut Canvas<'_>, hits: &mut Hits, offered: &mut Hits) {
        bars::top(self, canvas, hits);
        if self.arranged.framing == Framing::Boxed {
            bars::strip(self, canvas, hits);
        }
        hints::status(self, canvas, offered);
    }

    fn panes(&self, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        if self.arranged.framing == Framing::Boxed {
            self.lines(canvas);
        }
        for placed in &self.arranged.placed {
            hits.push((placed.outer, Hit::Pane(placed.pane)));
            let before = hits.len();
            // What one pane breaks is its own; the others are drawn.
            let drawn = catch_unwind(AssertUnwindSafe(|| self.one_pane(placed, canvas, hits)));
            if let Err(panic) = drawn {
                hits.truncate(before);
                broken(placed, &*panic, canvas);
            }
        }
        if self.arranged.framing == Framing::Boxed {
            switcher::draw(self, canvas, hits);
        }
    }

    fn one_pane(&self, placed: &Placed, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let pane = self.state.pane(placed.pane);
        let look = self.look(placed.pane, &pane);
        if self.arranged.framing == Framing::Boxed {
            Self::title(placed, &look, canvas);
        }
        view_of(&placed.content).draw(&look, placed.inner, canvas, hits);
        nothing_found(placed, &look, canvas);
    }

    fn wants(&self) -> Vec<Want> {
        let of_pane = |placed: &Placed| {
            let pane = self.state.pane(placed.pane);
            view_of(&placed.content).papers(&self.look(placed.pane, &pane))
        };
        // A pane that breaks has said so on the screen and wants nothing.
        let wanted = |placed| catch_unwind(AssertUnwindSafe(|| of_pane(placed))).unwrap_or_default();
        let of_panes = self.arranged.placed.iter().flat_map(wanted);
        of_panes.chain(machine::want(self)).collect()
    }

    fn look<'a>(&'a self, id: PaneId, pane: &'a super::state::Pane) -> Look<'a> {
        Look {
            state: self.state,
            scene: self.scene,
            id,
            pane,
            focused: id == self.arranged.focus,
            mode: self.mode,
        }
    }

    fn lines(&self, canvas: &mut Canvas<'_>) {
        let mut lines = Lines::new(self.arranged.body);
        for placed in &self.arranged.placed {
            lines.add(placed.outer, Weight::Light);
        }
        let focused = self.arranged.focused().map(|placed| placed.outer);
        let (weight, role) = match self.mode {
            Mode::Type => (Weight::Heavy, Role::BorderType),
            Mode::Nav | Mode::Look | Mode::Copy | Mode::Find | Mode::Ask => {
                (Weight::Light, Role::BorderFocus)
            }
        };
        if let Some(area) = focused {
            lines.add(area, weight);
        }
        lines.draw(canvas, |(x, y)| match focused {
            Some(area) if on_edge(area, x, y) => role,
            _ => Role::Border,
        });
    }

    fn title(placed: &Placed, look: &Look<'_>, canvas: &mut Canvas<'_>) {
        let view = view_of(&placed.content);
        let mut room = Rect {
            x: placed.outer.x + 2,
            width: placed.outer.width.saturating_sub(4),
            height: 1,
            ..placed.outer
        };
        if let Some(note) = view.note(look) {
            let pieces = [piece(" ", Role::Text), note, piece(" ", Role::Text)];
            room.width -= canvas.right(room, &pieces);
        }
        let mut pieces = vec![piece(" ", Role::Text)];
        pieces.extend(view.title(look).into_iter().map(|piece| Piece {
            role: match (piece.role, look.focused) {
                (Role::Title, true) => Role::TitleFocus,
                (role, _) => role,
            },
            ..piece
        }));
        pieces.extend(chip(placed, look));
        pieces.push(piece(" ", Role::Text));
        canvas.line(room, &pieces);
    }

    /// How many rows of the list with the focus match, of how many.
    fn found(&self) -> Option<(usize, usize)> {
        let placed = self.arranged.focused()?;
        let pane = self.state.pane(placed.pane);
        view_of(&placed.content).found(&self.look(placed.pane, &pane))
    }

    /// One or two words for a pane.
    fn name(&self, id: PaneId) -> String {
        pane_name(self.state, self.scene, id)
    }
}

/// Shown in a pane that could not be drawn.
fn broken(placed: &Placed, panic: &dyn Any, canvas: &mut Canvas<'_>) {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    canvas.clear(placed.inner);
    let lines = [
        "This pane broke; everything else goes on.",
        what.unwrap_or_default(),
        "The report is in .debussy/logs. Another view or tab still works.",
    ];
    let top = usize::from(placed.inner.height).saturating_sub(lines.len()) / 2;
    for (at, line) in lines.iter().enumerate() {
        let role = if at == 0 { Role::Failed } else { Role::Dim };
        if top + at < usize::from(placed.inner.height) {
            canvas.centre(row_of(placed.inner, top + at), line, role);
        }
    }
}

/// Says so when nothing matches.
fn nothing_found(placed: &Placed, look: &Look<'_>, canvas: &mut Canvas<'_>) {
    let filter = &look.pane.filter;
    if filter.is_empty() {
        return;
    }
    if let Some((0, all)) = view_of(&placed.content).found(look) {
        let text = format!("0 of {all} match `{filter}`. Esc clears.");
        let row = usize::from(placed.inner.height) / 3;
        canvas.centre(row_of(placed.inner, row), &text, Role::Dim);
    }
}

/// How a list is sorted, what it is filtered by, and how much of it is left.
fn chip(placed: &Placed, look: &Look<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if look.pane.order != Order::Usual {
        pieces.push(piece(format!("  {}", look.pane.order.word()), Role::Key));
    }
    let filter = &look.pane.filter;
    if filter.is_empty() {
        return pieces;
    }
    pieces.push(piece(format!("  /{filter}"), Role::Key));
    if let Some((shown, all)) = view_of(&placed.content).found(look) {
        pieces.push(piece(format!(" {shown} of {all}"), Role::Dim));
    }
    pieces
}

fn on_edge(area: Rect, x: u16, y: u16) -> bool {
    let inside = area.contains((x, y).into());
    inside && (x == area.x || y == area.y || x + 1 == area.right() || y + 1 == area.bottom())
}

/// Shown when there is no room for anything: how much is needed, and what goes on.
fn too_small(frame: &FrameOf<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let counts = bars::counts(frame);
    let running = frame.scene.model.agents().count();
    let needs = frame.scene.model.attention.len();
    let lines = [
        format!(
            "need {}x{}, have {}x{}",
            LEAST.0, LEAST.1, area.width, area.height
        ),
        format!("{running} running, {needs} need you"),
        counts
            .iter()
            .map(|(_, piece)| piece.text.as_str())
            .collect::<String>(),
    ];
    let top = usize::from(area.height).saturating_sub(lines.len()) / 2;
    for (at, line) in lines.iter().enumerate() {
        let role = if at == 1 && needs > 0 {
            Role::Human
        } else {
            Role::Text
        };
        canvas.centre(row_of(area, top + at), line.trim(), role);
    }
    if let Some(Overlay::Ask(_) | Overlay::Confirm(_)) = frame.state.overlay {
        canvas.centre(
            row_of(area, top + lines.len()),
            "Esc closes the prompt",
            Role::Dim,
        );
    }
}
