//! The drawing of a frame: bars, panes, and overlays. Takes shared references only; the facts found while drawing (positions, the cursor)
//! are returned as a [`RenderedLayout`].

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ratatui::buffer::Buffer;
use ratatui::widgets::BorderType;

pub(crate) use self::cursor::screen_cursor;
pub(crate) use self::overlays::has_overlay;
use super::cache::CacheRequest;
use super::canvas::borders::BorderGrid;
use super::canvas::prelude::*;
use super::pane::PaneId;
use super::scene::{Scene, ScreenId};
use super::screen_layout::{
    BorderMode, InputMode, LEAST, PlacedPane, ScreenLayout, input_mode, screen_layout,
};
use super::state::{Overlay, SortOrder, UiState};
use super::status::DisplayStatus;
use super::views::{ClickTarget, ViewContext, view_of};
use crate::display::text::{clean, cut};
use crate::keymap::Action;
use crate::term::CursorShape;

mod away_summary;
mod banners;
mod bars;
mod cursor;
mod help;
mod hints;
mod machine;
mod overlays;
mod palette;
pub(super) mod prompt_lines;
mod splash;
mod switcher;
mod task_form;
mod trust;
mod welcome;
mod writing;

/// Result of drawing a frame besides cells: click targets, pane areas, cursor and cache requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenderedLayout {
    /// Everything that can be clicked, later ones above earlier ones.
    pub hits: Vec<(Rect, ClickTarget)>,
    /// Panes that are drawn; the server gives terminals these sizes.
    pub panes: Vec<PaneArea>,
    /// Position of the outer cursor; hidden when there is none.
    pub cursor: Option<FrameCursor>,
    /// Data that must be fetched for the shown views.
    pub cache_requests: Vec<CacheRequest>,
    /// True if keys go to the program in the pane with the focus, so that the cursor is its own.
    pub typing: bool,
}

/// The area of a drawn pane and the terminal it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneArea {
    pub pane: PaneId,
    pub area: Rect,
    /// The terminal it shows, if it is one (whether or not it exists yet).
    pub screen: Option<ScreenId>,
    pub focus: bool,
}

/// The position and shape of the client's own terminal cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameCursor {
    pub x: u16,
    pub y: u16,
    pub shape: CursorShape,
}

/// Draws one frame over the whole buffer.
pub fn view(state: &UiState, scene: &Scene<'_>, buffer: &mut Buffer) -> RenderedLayout {
    let layout = screen_layout(state, scene, buffer.area);
    let mode = input_mode(state, scene, layout.focus);
    let mut canvas = Canvas::new(buffer, scene.theme);
    let area = canvas.buffer.area;
    canvas.clear(area);
    let frame = FrameContext {
        state,
        scene,
        layout: &layout,
        mode,
    };
    let mut offered = Vec::new();
    match layout.framing {
        BorderMode::TooSmall => too_small(&frame, area, &mut canvas),
        BorderMode::Borderless | BorderMode::Bordered => {
            hints::status_row(&frame, &mut canvas);
            offered = std::mem::take(&mut canvas.hits);
            frame.bars(&mut canvas);
            frame.panes(&mut canvas);
        }
    }
    overlays::draw(&frame, area, &mut canvas);
    // The last row describes the overlay, and is not covered by it.
    canvas.hits.extend(offered);
    let cursor =
        cursor::outer_cursor(&frame, canvas.caret, area).or_else(|| cursor::row_cursor(&frame, &canvas));
    RenderedLayout {
        hits: canvas.hits,
        panes: layout
            .panes
            .iter()
            .map(|placed| pane_area(placed, layout.focus))
            .collect(),
        cursor,
        cache_requests: frame.wants(),
        typing: mode == InputMode::Type,
    }
}

fn pane_area(placed: &PlacedPane, focus: PaneId) -> PaneArea {
    PaneArea {
        pane: placed.pane,
        area: placed.inner,
        screen: placed.content.screen(),
        focus: placed.pane == focus,
    }
}

/// The state, scene and layout from which the parts of a frame are drawn.
struct FrameContext<'a> {
    state: &'a UiState,
    scene: &'a Scene<'a>,
    layout: &'a ScreenLayout,
    mode: InputMode,
}

impl FrameContext<'_> {
    fn bars(&self, canvas: &mut Canvas<'_>) {
        bars::top_bar(self, canvas);
        if self.layout.framing == BorderMode::Bordered {
            bars::attention_bar(self, canvas);
        }
    }

    fn panes(&self, canvas: &mut Canvas<'_>) {
        if self.layout.framing == BorderMode::Bordered {
            self.lines(canvas);
        }
        for placed in &self.layout.panes {
            canvas.hits.push((placed.outer, ClickTarget::Pane(placed.pane)));
            let before = canvas.hits.len();
            // A failure stays in its pane; the others are drawn.
            let drawn = catch_unwind(AssertUnwindSafe(|| self.one_pane(placed, canvas)));
            if let Err(panic) = drawn {
                canvas.hits.truncate(before);
                broken(placed, &*panic, canvas);
            }
        }
        if self.layout.framing == BorderMode::Bordered {
            switcher::draw(self, canvas);
        }
    }

    fn one_pane(&self, placed: &PlacedPane, canvas: &mut Canvas<'_>) {
        let pane = self.state.pane(placed.pane);
        let ctx = self.ctx(placed.pane, &pane);
        if self.layout.framing == BorderMode::Bordered {
            Self::title(placed, &ctx, canvas);
        }
        view_of(&placed.content).draw(&ctx, placed.inner, canvas);
        nothing_found(placed, &ctx, canvas);
    }

    fn wants(&self) -> Vec<CacheRequest> {
        let of_pane = |placed: &PlacedPane| {
            let pane = self.state.pane(placed.pane);
            view_of(&placed.content).cache_requests(&self.ctx(placed.pane, &pane))
        };
        // A pane that fails shows that itself and requests nothing.
        let wanted = |placed| catch_unwind(AssertUnwindSafe(|| of_pane(placed))).unwrap_or_default();
        let of_panes = self.layout.panes.iter().flat_map(wanted);
        of_panes
            .chain(machine::cache_request(self))
            .chain(trust::cache_request(self))
            .collect()
    }

    fn ctx<'a>(&'a self, id: PaneId, pane: &'a super::state::Pane) -> ViewContext<'a> {
        ViewContext {
            state: self.state,
            scene: self.scene,
            id,
            pane,
            focused: id == self.layout.focus,
            mode: self.mode,
        }
    }

    fn lines(&self, canvas: &mut Canvas<'_>) {
        let mut lines = BorderGrid::new(self.layout.body);
        for placed in &self.layout.panes {
            lines.add(placed.outer, BorderType::Plain);
        }
        let focused = self.layout.focused().map(|placed| placed.outer);
        let (weight, role) = match self.mode {
            InputMode::Type => (BorderType::Thick, StyleRole::BorderType),
            InputMode::Nav | InputMode::Look | InputMode::Copy | InputMode::Find | InputMode::Ask => {
                (BorderType::Plain, StyleRole::BorderFocus)
            }
        };
        if let Some(area) = focused {
            lines.add(area, weight);
        }
        lines.draw(canvas, |(x, y)| match focused {
            Some(area) if on_edge(area, x, y) => role,
            _ => StyleRole::Border,
        });
    }

    fn title(placed: &PlacedPane, ctx: &ViewContext<'_>, canvas: &mut Canvas<'_>) {
        let view = view_of(&placed.content);
        let mut room = Rect {
            x: placed.outer.x + 2,
            width: placed.outer.width.saturating_sub(4),
            height: 1,
            ..placed.outer
        };
        if let Some(note) = view.title_note(ctx) {
            let pieces = [plain(" "), note, plain(" ")];
            room.width -= canvas.right(room, &pieces);
        }
        let mut pieces = vec![plain(" ")];
        pieces.extend(view.title(ctx).into_iter().map(|piece| StyledText {
            role: match (piece.role, ctx.focused) {
                (StyleRole::Title, true) => StyleRole::TitleFocus,
                (role, _) => role,
            },
            ..piece
        }));
        pieces.extend(chip(placed, ctx));
        pieces.push(plain(" "));
        canvas.line(room, &pieces);
    }

    /// Returns the number of matching rows in the list with the focus, and the number of all.
    fn found(&self) -> Option<(usize, usize)> {
        let placed = self.layout.focused()?;
        let pane = self.state.pane(placed.pane);
        view_of(&placed.content).match_count(&self.ctx(placed.pane, &pane))
    }

    /// Returns the glyph of a state as the theme draws it.
    fn glyph(&self, mark: DisplayStatus) -> &'static str {
        mark.glyph(self.scene.theme.glyphs)
    }

    /// Returns as much of a foreign text as fits, with a mark where something was left out.
    fn cut(&self, text: &str, room: usize) -> String {
        cut(&clean(text), room, self.scene.theme.ellipsis())
    }

    /// Returns the key of an action as hints show it; empty if it has none.
    fn key_of(&self, action: Action) -> String {
        self.state.keymap.hint(action).unwrap_or_default()
    }
}

/// Draws the notice of a pane that could not be drawn.
fn broken(placed: &PlacedPane, panic: &dyn Any, canvas: &mut Canvas<'_>) {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    canvas.clear(placed.inner);
    let lines = [
        ("This pane failed; everything else continues.", StyleRole::Failed),
        (what.unwrap_or_default(), StyleRole::Dim),
        (
            "The report is in .debussy/logs. Another view or tab still works.",
            StyleRole::Dim,
        ),
    ];
    let top = usize::from(placed.inner.height).saturating_sub(lines.len()) / 2;
    canvas.centred_lines(placed.inner, top, &lines);
}

/// Draws a notice when nothing matches.
fn nothing_found(placed: &PlacedPane, ctx: &ViewContext<'_>, canvas: &mut Canvas<'_>) {
    let filter = &ctx.pane.filter;
    if filter.is_empty() {
        return;
    }
    if let Some((0, all)) = view_of(&placed.content).match_count(ctx) {
        let text = format!("0 of {all} match `{filter}`. Esc clears.");
        let row = usize::from(placed.inner.height) / 3;
        canvas.centre(row_of(placed.inner, row), &text, StyleRole::Dim);
    }
}

/// Returns the order of a list, its filter, and the number of its rows that are left.
fn chip(placed: &PlacedPane, ctx: &ViewContext<'_>) -> Vec<StyledText> {
    let mut pieces = Vec::new();
    if ctx.pane.order != SortOrder::Default {
        pieces.push(piece(format!("  {}", ctx.pane.order.word()), StyleRole::Key));
    }
    let filter = &ctx.pane.filter;
    if filter.is_empty() {
        return pieces;
    }
    pieces.push(piece(format!("  /{filter}"), StyleRole::Key));
    if let Some((shown, all)) = view_of(&placed.content).match_count(ctx) {
        pieces.push(dim(format!(" {shown} of {all}")));
    }
    pieces
}

fn on_edge(area: Rect, x: u16, y: u16) -> bool {
    let inside = area.contains((x, y).into());
    inside && (x == area.x || y == area.y || x + 1 == area.right() || y + 1 == area.bottom())
}

/// Draws a notice when there is no room for anything: the size that is needed, and the counts of the work.
fn too_small(frame: &FrameContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let counts = bars::counts(frame);
    let running = frame.scene.model.agents().count();
    let needs = frame.scene.model.attention.len();
    let size = format!(
        "need {}x{}, have {}x{}",
        LEAST.0, LEAST.1, area.width, area.height
    );
    let agents = format!("{running} running, {needs} need you");
    let counts: String = counts.iter().map(|(_, piece)| piece.text.as_str()).collect();
    let role = if needs > 0 {
        StyleRole::Human
    } else {
        StyleRole::Text
    };
    let esc = match frame.state.overlay {
        Some(Overlay::Prompt(_) | Overlay::Confirm(_)) => "Esc closes the prompt",
        _ => "",
    };
    let lines = [
        (size.as_str(), StyleRole::Text),
        (&agents, role),
        (counts.trim(), StyleRole::Text),
        (esc, StyleRole::Dim),
    ];
    let top = usize::from(area.height).saturating_sub(3) / 2;
    canvas.centred_lines(area, top, &lines);
}
