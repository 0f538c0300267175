//! Figures about the work (K79): throughput, how long stages take, what came back and what went wrong, what agents use, the
//! way of each task.

use std::sync::LazyLock;

use ratatui::layout::Rect;

use super::{Hits, Look, Moved, Step, View, scrolled};
use crate::domain::{Span, counted};
use crate::read_model::Figures;
use crate::ui::action::Page;
use crate::ui::canvas::{Canvas, Piece, columns_of, piece, row_of};
use crate::ui::shelf::{Paper, Sheet, Want};
use crate::ui::theme::Role;

mod lines;

pub(super) use lines::sparkline;

/// Figures about the work.
pub(super) struct MetricsView;

/// Its name.
pub(crate) const PAGE: Page = Page::of("metrics");
/// How old figures may be.
const FRESH: Span = Span::seconds(2);

impl View for MetricsView {
    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let mut title = vec![piece("Metrics", Role::Title)];
        if let Some(figures) = figures(look) {
            let attempts = counted(figures.metrics.attempts, "attempt");
            title.push(piece(format!("  {attempts}"), Role::Dim));
        }
        title
    }

    fn papers(&self, _look: &Look<'_>) -> Vec<Want> {
        vec![Want {
            paper: Paper::Figures,
            fresh_for: FRESH,
        }]
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, _hits: &mut Hits) {
        let Some(figures) = figures(look) else {
            let text = match look.scene.shelf.sheet(&Paper::Figures) {
                Some(Sheet::Failed(why)) => format!("Could not {why}."),
                _ => "Counting what was done.".to_owned(),
            };
            return canvas.centre(row_of(area, usize::from(area.height) / 3), &text, Role::Text);
        };
        let columns = columns_of(area);
        let texts = texts(look, figures, &columns);
        let scroll = look.pane.scroll;
        if let [_, right] = columns.as_slice() {
            canvas.upright(right.x.saturating_sub(2), area);
        }
        for (column, lines) in columns.iter().zip(texts) {
            let height = usize::from(column.height);
            let first = scroll.min(lines.len().saturating_sub(height));
            for (at, pieces) in lines.iter().skip(first).take(height).enumerate() {
                canvas.line(row_of(*column, at), pieces);
            }
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let (Some(figures), Some(rows)) = (figures(look), step.rows(area.height)) else {
            return Moved::Out;
        };
        let lines = texts(look, figures, &columns_of(area));
        let longest = lines.iter().map(Vec::len).max().unwrap_or(0);
        let most = longest.saturating_sub(usize::from(area.height));
        Moved::Scrolled(scrolled(look.pane.scroll.min(most), rows, most))
    }
}

/// What there is to count where nothing was ever tried.
static NOTHING: LazyLock<Figures> = LazyLock::new(Figures::default);

/// The figures that were fetched. Where nothing was ever tried they are known without: it would be counted for nothing.
fn figures<'a>(look: &Look<'a>) -> Option<&'a Figures> {
    match look.scene.shelf.sheet(&Paper::Figures) {
        Some(Sheet::Figures(figures)) => Some(figures),
        None if look.scene.model.attempts.is_empty() => Some(&NOTHING),
        _ => None,
    }
}

type Lines = Vec<Vec<Piece>>;

/// The lines of each column.
fn texts(look: &Look<'_>, figures: &Figures, columns: &[Rect]) -> Vec<Lines> {
    let width = |nth: usize| columns.get(nth).map_or(0, |column| usize::from(column.width));
    let (first, second) = (width(0), width(columns.len().saturating_sub(1)));
    let mut left = lines::throughput(look, figures, first);
    left.extend(lines::stages(look, figures, first));
    let mut right = lines::totals(look, figures, second);
    right.extend(lines::loads(look, figures, second));
    right.extend(lines::trails(look, figures, second));
    // Every section begins with an empty line; the first of a column needs none.
    left.remove(0);
    if columns.len() > 1 {
        right.remove(0);
        return vec![left, right];
    }
    left.extend(right);
    vec![left]
}
