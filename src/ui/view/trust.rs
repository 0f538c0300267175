//! The list of everything that a project's files would start, drawn: the most dangerous first, untrusted texts marked, one text in full.

use super::FrameContext;
use crate::display::text::{clean, wrap};
use crate::domain::Span;
use crate::read_model::{TrustOverview, TrustText};
use crate::ui::cache::{CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::state::{Overlay, TrustReview};
use crate::ui::views::{ClickTarget, List};

/// Maximum columns of the dialog.
const WIDE: u16 = 110;
/// Maximum age of the overview: it is not read again while a person reads it; opening the list again gets another.
const NEVER_OLD: Span = Span(u64::MAX);
/// Columns of the words before a name.
const WORDS: usize = 20;

/// Returns the request for the data of the list, while it is open.
pub(super) fn cache_request(frame: &FrameContext<'_>) -> Option<CacheRequest> {
    match frame.state.overlay {
        Some(Overlay::Trust(review)) => Some(CacheRequest::new(CacheKey::Trust(review.opened), NEVER_OLD)),
        _ => None,
    }
}

/// Draws the list, or the marked text in full.
pub(super) fn draw(frame: &FrameContext<'_>, review: TrustReview, area: Rect, canvas: &mut Canvas<'_>) {
    let size = (
        WIDE.min(area.width.saturating_sub(2)),
        area.height.saturating_sub(4).max(3),
    );
    let place = centered_rect(area, size);
    let Some(overview) = frame.scene.cache.trust(review.opened) else {
        let inside = canvas.dialog(place, "Trust");
        return canvas.empty_state(inside, "Reading the project's files.", StyleRole::Dim, "");
    };
    match (review.reading, overview.texts.get(review.marked)) {
        (Some(first), Some(text)) => draw_text(text, first, place, canvas),
        _ => draw_list(overview, review, place, canvas),
    }
}

fn draw_list(overview: &TrustOverview, review: TrustReview, area: Rect, canvas: &mut Canvas<'_>) {
    let inside = canvas.dialog(area, "What this project's files would start");
    let room = usize::from(inside.width.saturating_sub(2)).max(1);
    let role = if overview.is_trusted {
        StyleRole::Done
    } else {
        StyleRole::Retry
    };
    let mut lines: Vec<Vec<StyledText>> = wrap(&clean(&overview.notice), room)
        .into_iter()
        .map(|line| vec![piece(format!(" {line}"), role)])
        .collect();
    lines.push(Vec::new());
    let used = canvas.lines(inside, &lines);
    let below = skip_top(inside, cells(used));
    let rows = Rect {
        height: below.height.saturating_sub(2),
        ..below
    };
    let texts: Vec<_> = overview.texts.iter().enumerate().collect();
    let list = List::new(rows, 1, &texts, Some(review.marked), StyleRole::Selected);
    list.draw(canvas, |(at, text), line, canvas| {
        draw_row(text, line, canvas);
        Some(ClickTarget::MenuItem(*at))
    });
    let hash = overview.hash.as_deref().unwrap_or("not known");
    canvas.line(last_row(inside), &[dim(format!(" hash {hash}"))]);
}

fn draw_row(text: &TrustText, line: Rect, canvas: &mut Canvas<'_>) {
    let role = if text.is_same {
        StyleRole::Dim
    } else {
        StyleRole::Retry
    };
    let words = format!(" {:<8} {:<9} ", text.change, text.kind);
    let first = text.lines.first().map(|line| clean(line)).unwrap_or_default();
    let pieces = [
        piece(format!("{words:<WORDS$}"), role),
        strong(clean(&text.name)),
        plain("  "),
        plain(first),
    ];
    canvas.both_ends(line, &pieces, &[dim(format!("  {} ", clean(&text.place)))]);
}

fn draw_text(text: &TrustText, first: usize, area: Rect, canvas: &mut Canvas<'_>) {
    let title = format!("{} {}, {}, {}", text.kind, text.name, text.place, text.change);
    let inside = canvas.dialog(area, &title);
    let lines: Vec<Vec<StyledText>> = text
        .lines
        .iter()
        .skip(first)
        .map(|line| vec![plain(format!(" {}", clean(line)))])
        .collect();
    canvas.lines(inside, &lines);
}
