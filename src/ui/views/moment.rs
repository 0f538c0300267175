//! What an agent's terminal showed at some moment, from its log: one second back or on, ten, a minute.

use ratatui::layout::Rect;

use super::{Hits, Look, Moved, Step, View, terminal};
use crate::domain::{AttemptId, Span, Timestamp};
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::pane::{Direction, PaneId};
use crate::ui::scene::Scene;
use crate::ui::shelf::{Moment, Paper, Sheet, Want};
use crate::ui::state::{Content, Pane, State};
use crate::ui::target::{self, Target};
use crate::ui::text::clock;
use crate::ui::theme::Role;

/// What a terminal showed.
pub(super) struct MomentView;

/// How long what was read is good enough; an old moment does not change.
const FRESH: Span = Span::minutes(30);

impl View for MomentView {
    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let Some((attempt, at)) = wanted(look) else {
            return Vec::new();
        };
        let known = look.scene.model.attempts.get(&attempt);
        let name = known.map_or_else(
            || format!("attempt {attempt}"),
            |known| format!("{} {}", known.task, known.worker.name()),
        );
        let time = clock(at, look.scene.session.utc_offset);
        vec![
            piece(name, Role::Title),
            piece(format!("  as it was at {time}"), Role::Retry),
            piece(format!(", {} ago", look.scene.now.since(at)), Role::Dim),
        ]
    }

    fn copies(&self, look: &Look<'_>) -> Vec<(&'static str, String)> {
        let recording = |(id, _)| ("recording", format!("dbs logs {id} --cast >attempt-{id}.cast"));
        wanted(look).map(recording).into_iter().collect()
    }

    fn note(&self, _look: &Look<'_>) -> Option<Piece> {
        Some(piece("REPLAY", Role::Banner))
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        match pane.content {
            Content::Moment(id, _) => target::of_attempt(scene, id),
            _ => target::of_selected(state, scene),
        }
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let want = wanted(look).map(|(attempt, at)| Want {
            paper: Paper::Moment(attempt, at),
            fresh_for: FRESH,
        });
        want.into_iter().collect()
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, _hits: &mut Hits) {
        let text = match sheet(look) {
            Some(Sheet::Moment(moment)) => return draw_cells(moment, area, canvas),
            Some(Sheet::Failed(why)) => format!("Could not {why}."),
            _ => "Looking into its log.".to_owned(),
        };
        canvas.centre(row_of(area, usize::from(area.height) / 3), &text, Role::Text);
        let hint = "h l  one second back or on    j k  ten    PageUp PageDown  a minute";
        canvas.centre(row_of(area, usize::from(area.height) / 3 + 2), hint, Role::Dim);
    }

    fn step(&self, look: &Look<'_>, _area: Rect, step: Step) -> Moved {
        let Some((_, at)) = wanted(look) else {
            return Moved::Out;
        };
        let (first, last) = match sheet(look) {
            Some(Sheet::Moment(moment)) => moment.range,
            _ => (at, at),
        };
        let by = |span: Span, back: bool| if back { at - span } else { at + span };
        let to = match step {
            Step::One(Direction::Left) => by(Span::seconds(1), true),
            Step::One(Direction::Right) => by(Span::seconds(1), false),
            Step::One(Direction::Up) | Step::Previous => by(Span::seconds(10), true),
            Step::One(Direction::Down) | Step::Next => by(Span::seconds(10), false),
            Step::PageUp => by(Span::minutes(1), true),
            Step::PageDown => by(Span::minutes(1), false),
            Step::Lines(lines) => by(Span::seconds(u64::from(lines.unsigned_abs())), lines < 0),
            Step::First => first,
            Step::Last => last,
        };
        Moved::Marked {
            mark: to.clamp(first, last.max(first)).0,
            scroll: 0,
        }
    }
}

/// Which attempt, and when.
fn wanted(look: &Look<'_>) -> Option<(AttemptId, Timestamp)> {
    match look.pane.content {
        Content::Moment(attempt, at) => Some((attempt, look.pane.mark.map_or(at, Timestamp))),
        _ => None,
    }
}

fn sheet<'a>(look: &Look<'a>) -> Option<&'a Sheet> {
    let (attempt, at) = wanted(look)?;
    look.scene.shelf.sheet(&Paper::Moment(attempt, at))
}

/// The cells, cut so that the lowest row with something on it is seen.
fn draw_cells(moment: &Moment, area: Rect, canvas: &mut Canvas<'_>) {
    let used = moment
        .cells
        .iter()
        .filter(|(_, _, text, _)| !text.trim().is_empty());
    let lowest = used.map(|(_, row, ..)| *row).max().unwrap_or(0);
    let top = (lowest + 1).saturating_sub(area.height);
    for (column, row, text, style) in &moment.cells {
        if let Some(row) = row.checked_sub(top) {
            terminal::put(canvas, area, (*column, row), (text, *style));
        }
    }
}
