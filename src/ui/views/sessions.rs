//! The servers of this person's projects: which run, which were cut off, what waits there; one key goes to another.

use ratatui::layout::Rect;

use super::{Hit, Hits, Look, Moved, Step, View, first_row, stepped};
use crate::domain::{Span, counted};
use crate::read_model::{SessionRow, SessionState};
use crate::ui::action::Page;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::lists::sessions;
use crate::ui::marker::Mark;
use crate::ui::shelf::{Paper, Sheet, Want};
use crate::ui::target::marked_session;
use crate::ui::text::cut_front;
use crate::ui::theme::Role;

/// The servers of this person's projects.
pub(super) struct SessionsView;

/// Its name.
pub(crate) const PAGE: Page = Page::of("sessions");
/// How old the list may be.
const FRESH: Span = Span::seconds(3);
/// From this inner width on a row says where the project is.
const WIDE: u16 = 100;

impl View for SessionsView {
    fn about(&self) -> &'static str {
        "Your projects with a server: running, detached, or cut off. Enter goes there; what runs here goes on."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let many = rows(look).map_or(0, <[SessionRow]>::len);
        vec![piece(format!("Sessions {many}"), Role::Title)]
    }

    fn papers(&self, _look: &Look<'_>) -> Vec<Want> {
        vec![Want {
            paper: Paper::Sessions,
            fresh_for: FRESH,
        }]
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        let shown = sessions(&look.sieve(), look.scene).len();
        Some((shown, rows(look).map_or(0, <[SessionRow]>::len)))
    }

    fn copies(&self, look: &Look<'_>) -> Vec<(&'static str, String)> {
        let marked = marked_session(look.pane, look.scene);
        marked
            .map(|(_, row)| ("folder", row.root.clone()))
            .into_iter()
            .collect()
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        let found = sessions(&look.sieve(), look.scene);
        if rows(look).is_none_or(<[SessionRow]>::is_empty) {
            let top = usize::from(area.height) / 3;
            let why = look.failure(&Paper::Sessions);
            let text = why.as_deref().unwrap_or("Looking for sessions.");
            return canvas.centre(row_of(area, top), text, Role::Dim);
        }
        let marked = marked_session(look.pane, look.scene).map(|(number, _)| number);
        let at = found.iter().position(|(number, _)| Some(*number) == marked);
        let fit = usize::from(area.height / 2).max(1);
        let first = first_row(at.unwrap_or(0), fit, found.len());
        for (place, (number, row)) in found.iter().skip(first).take(fit).enumerate() {
            let place = Rect {
                height: 2.min(area.height),
                ..row_of(area, place * 2)
            };
            draw_session(look, row, place, canvas);
            if Some(*number) == marked {
                canvas.tint(place, look.chosen());
            }
            // As in the top bar of that session.
            let edge = Rect { width: 1, ..place };
            canvas.dye(edge, look.scene.theme.accent(&row.name));
            hits.push((place, Hit::Mark(look.id, u64::try_from(*number).unwrap_or(0))));
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let Some(steps) = step.rows(area.height / 2) else {
            return Moved::Out;
        };
        let found = sessions(&look.sieve(), look.scene);
        let marked = marked_session(look.pane, look.scene).map(|(number, _)| number);
        let at = found.iter().position(|(number, _)| Some(*number) == marked);
        let to = stepped(at, steps, found.len()).and_then(|to| found.get(to));
        let to = to.and_then(|(number, _)| u64::try_from(*number).ok());
        to.map_or(Moved::Nowhere, |mark| Moved::Marked { mark, scroll: 0 })
    }
}

fn rows<'a>(look: &Look<'a>) -> Option<&'a [SessionRow]> {
    match look.scene.shelf.sheet(&Paper::Sessions)? {
        Sheet::Sessions(rows) => Some(rows),
        _ => None,
    }
}

fn draw_session(look: &Look<'_>, row: &SessionRow, place: Rect, canvas: &mut Canvas<'_>) {
    let (mark, word, role) = match row.state {
        SessionState::Here => (Mark::Running, "here", Role::Strong),
        SessionState::Running => (Mark::Running, "running", Role::Running),
        SessionState::Detached => (Mark::Quiet, "detached", Role::Running),
        SessionState::Interrupted => (Mark::Unsure, "interrupted", Role::Retry),
    };
    let glyphs = look.scene.theme.glyphs;
    let age = row
        .since
        .map_or_else(String::new, |since| look.scene.now.since(since).to_string());
    let first = row_of(place, 0);
    let used = canvas.right(first, &[piece(format!(" {age} "), Role::Dim)]);
    let mut pieces = vec![
        piece(format!(" {} ", mark.glyph(glyphs)), role),
        piece(format!("{:<16} ", row.name), Role::Strong),
        piece(format!("{word:<12}"), role),
    ];
    if place.width >= WIDE {
        let half = usize::from(place.width) / 2;
        let folder = cut_front(&row.root, half, canvas.theme.more());
        pieces.push(piece(folder, Role::Dim));
    }
    let room = Rect {
        width: first.width - used,
        ..first
    };
    canvas.line(room, &pieces);
    let mut counts = vec![piece("   ", Role::Text)];
    if row.needs > 0 {
        let needs = format!("{} {} need you  ", Mark::NeedsYou.glyph(glyphs), row.needs);
        counts.push(piece(needs, Role::Human));
    }
    if row.state != SessionState::Interrupted {
        counts.push(piece(counted(row.agents, "agent") + "  ", Role::Text));
    }
    let states = row.counts.iter().map(|(word, many)| format!("{many} {word}"));
    counts.push(piece(states.collect::<Vec<_>>().join(", "), Role::Dim));
    canvas.line(row_of(place, 1), &counts);
}
