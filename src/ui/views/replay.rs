//! The screen of an agent's terminal at a past moment, from its log: one second back or forward, ten, a minute.

use super::{MoveOutcome, View, ViewContext, ViewMove};
use crate::display::text::clock;
use crate::domain::{AttemptId, Span, Timestamp};
use crate::keymap::Direction;
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest, RecordedScreen};
use crate::ui::canvas::prelude::*;
use crate::ui::state::PaneContent;

/// The view that shows an agent's recorded terminal at a chosen moment.
pub(super) struct ReplayView;

/// Time for which a recorded screen is good enough; an old moment does not change.
const FRESH: Span = Span::minutes(30);

impl View for ReplayView {
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let Some((attempt, at)) = wanted(ctx) else {
            return Vec::new();
        };
        let known = ctx.scene.model.attempts.get(&attempt);
        let name = known.map_or_else(
            || format!("attempt {attempt}"),
            |known| format!("{} {}", known.task, known.worker.name()),
        );
        let time = clock(at, ctx.scene.session.utc_offset);
        vec![
            piece(name, StyleRole::Title),
            piece(format!("  as it was at {time}"), StyleRole::Retry),
            dim(format!(", {} ago", ctx.scene.now.since(at))),
        ]
    }

    fn copy_items(&self, ctx: &ViewContext<'_>) -> Vec<(&'static str, String)> {
        let recording = |(id, _)| ("recording", format!("dbs logs {id} --cast >attempt-{id}.cast"));
        wanted(ctx).map(recording).into_iter().collect()
    }

    fn title_note(&self, _ctx: &ViewContext<'_>) -> Option<StyledText> {
        Some(piece("REPLAY", StyleRole::Banner))
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        let want = wanted(ctx).map(|(attempt, at)| CacheRequest::new(CacheKey::Replay(attempt, at), FRESH));
        want.into_iter().collect()
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let text = match fetched(ctx) {
            Some(CacheEntry::Replay(moment)) => return draw_cells(moment, area, canvas),
            Some(CacheEntry::Failed(why)) => format!("Could not {why}."),
            _ => "Reading the log of the terminal.".to_owned(),
        };
        let hint = "h l  one second back or forward    j k  ten    PageUp PageDown  a minute";
        canvas.empty_state(area, &text, StyleRole::Text, hint);
    }

    fn navigate(&self, ctx: &ViewContext<'_>, _area: Rect, movement: ViewMove) -> MoveOutcome {
        let Some((_, at)) = wanted(ctx) else {
            return MoveOutcome::LeaveView;
        };
        let (first, last) = match fetched(ctx) {
            Some(CacheEntry::Replay(moment)) => moment.range,
            _ => (at, at),
        };
        let by = |span: Span, back: bool| if back { at - span } else { at + span };
        let to = match movement {
            ViewMove::One(Direction::Left) => by(Span::seconds(1), true),
            ViewMove::One(Direction::Right) => by(Span::seconds(1), false),
            ViewMove::One(Direction::Up) | ViewMove::Previous => by(Span::seconds(10), true),
            ViewMove::One(Direction::Down) | ViewMove::Next => by(Span::seconds(10), false),
            ViewMove::PageUp => by(Span::minutes(1), true),
            ViewMove::PageDown => by(Span::minutes(1), false),
            ViewMove::Lines(lines) => by(Span::seconds(u64::from(lines.unsigned_abs())), lines < 0),
            ViewMove::First => first,
            ViewMove::Last => last,
        };
        MoveOutcome::Marked {
            mark: to.clamp(first, last.max(first)).0,
            scroll: 0,
        }
    }
}

/// Returns the attempt and the moment.
fn wanted(ctx: &ViewContext<'_>) -> Option<(AttemptId, Timestamp)> {
    match ctx.pane.content {
        PaneContent::Moment(attempt, at) => Some((attempt, ctx.pane.mark.map_or(at, Timestamp))),
        _ => None,
    }
}

fn fetched<'a>(ctx: &ViewContext<'a>) -> Option<&'a CacheEntry> {
    let (attempt, at) = wanted(ctx)?;
    ctx.scene.cache.get(&CacheKey::Replay(attempt, at))
}

/// Draws the cells, cut so that the lowest non-empty row is visible.
fn draw_cells(moment: &RecordedScreen, area: Rect, canvas: &mut Canvas<'_>) {
    let used = moment
        .cells
        .iter()
        .filter(|(_, _, text, _)| !text.trim().is_empty());
    let lowest = used.map(|(_, row, ..)| *row).max().unwrap_or(0);
    let top = (lowest + 1).saturating_sub(area.height);
    for (column, row, text, style) in &moment.cells {
        if let Some(row) = row.checked_sub(top) {
            canvas.program_cell(area, *column, row, text, *style);
        }
    }
}
