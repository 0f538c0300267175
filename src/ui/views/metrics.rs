//! Figures about the work (K79): throughput, the duration of stages, rejections and failures, the resources used by agents, the way of each
//! task.

use std::sync::LazyLock;

use super::{MoveOutcome, View, ViewContext, ViewMove};
use crate::domain::{Span, pluralized};
use crate::keymap::ViewName;
use crate::read_model::MetricsReport;
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;

mod charts;

pub(super) use charts::sparkline;

/// The view of figures about the work.
pub(super) struct MetricsView;

/// Name of the view.
pub(crate) const PAGE: ViewName = ViewName::of("metrics");
/// Maximum age of figures.
const FRESH: Span = Span::seconds(2);
/// Maximum age of the use of the disk, for which every folder is read.
const DISK_FRESH: Span = Span::minutes(10);

impl View for MetricsView {
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("Stats", StyleRole::Title)];
        if let Some(figures) = figures(ctx) {
            let attempts = pluralized(figures.metrics.attempts, "attempt");
            title.push(dim(format!("  {attempts}")));
        }
        title
    }

    fn cache_requests(&self, _ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        vec![cache_request(), CacheRequest::new(CacheKey::Disk, DISK_FRESH)]
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let Some(figures) = figures(ctx) else {
            let why = ctx.failure(&CacheKey::Figures);
            let text = why.as_deref().unwrap_or("Reading the stats.");
            return canvas.empty_state(area, text, StyleRole::Text, "");
        };
        let texts = texts(ctx, figures, &columns_of(area));
        canvas.text_columns(area, ctx.pane.scroll, &texts);
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        figures(ctx).map_or(MoveOutcome::LeaveView, |figures| {
            let texts = texts(ctx, figures, &columns_of(area));
            ctx.scroll_texts(movement, area.height, &texts)
        })
    }
}

/// Returns the request for the figures.
pub(super) fn cache_request() -> CacheRequest {
    CacheRequest::new(CacheKey::Figures, FRESH)
}

/// Figures if nothing was ever tried.
static NOTHING: LazyLock<MetricsReport> = LazyLock::new(MetricsReport::default);

/// Returns the figures that were fetched. Where nothing was ever tried they are empty, and known without fetching.
pub(super) fn figures<'a>(ctx: &ViewContext<'a>) -> Option<&'a MetricsReport> {
    match ctx.scene.cache.get(&CacheKey::Figures) {
        Some(CacheEntry::Figures(figures)) => Some(figures),
        None if ctx.scene.model.attempts.is_empty() => Some(&NOTHING),
        _ => None,
    }
}

type MetricsLines = Vec<Vec<StyledText>>;

/// Returns the lines of each column.
fn texts(ctx: &ViewContext<'_>, figures: &MetricsReport, columns: &[Rect]) -> Vec<MetricsLines> {
    let width = |nth: usize| columns.get(nth).map_or(0, |column| usize::from(column.width));
    let (first, second) = (width(0), width(columns.len().saturating_sub(1)));
    let mut left = charts::throughput(ctx, figures, first);
    left.extend(charts::stages(ctx, figures, first));
    let mut right = charts::totals(ctx, figures, second);
    right.extend(charts::loads(ctx, figures, second));
    right.extend(charts::disk(ctx));
    right.extend(charts::trails(ctx, figures, second));
    // Every section begins with an empty line; the first of a column needs none.
    left.remove(0);
    if columns.len() > 1 {
        right.remove(0);
        return vec![left, right];
    }
    left.extend(right);
    vec![left]
}
