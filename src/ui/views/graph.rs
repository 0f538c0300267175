//! Dependencies between tasks: each task below its last dependency, with the longest chain of work marked.

use super::list::stepped;
use super::task_card::TaskCard;
use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove};
use crate::domain::{Span, pluralized};
use crate::keymap::Direction;
use crate::keymap::ViewName;
use crate::read_model::{DependencyGraph, DependencyRow};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::target::{selected, task_filter};

/// The view of the dependencies between tasks.
pub(super) struct GraphView;

/// Name of the view.
pub(super) const PAGE: ViewName = ViewName::of("graph");

/// Maximum age of the graph that is drawn.
const FRESH: Span = Span::seconds(1);
/// Columns of one level.
const LEVEL: usize = 3;
/// Minimum columns of a task, however deep it is.
const LEAST: usize = 30;
/// Maximum number of tasks that a row names as its dependencies; the others are counted.
const NAMED: usize = 4;

impl View for GraphView {
    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let mut title = vec![piece("Dependencies", StyleRole::Title)];
        let Some(graph) = graph(ctx) else { return title };
        if graph.rows.is_empty() {
            return title;
        }
        let figures = format!("  {}, {} deep", pluralized(graph.rows.len(), "task"), graph.depth);
        title.push(dim(figures));
        if !graph.path.is_empty() {
            title.push(piece(
                format!("  * critical path: {}", graph.path.len()),
                StyleRole::Retry,
            ));
        }
        if graph.alone > 0 {
            title.push(dim(format!("  {} more without dependencies", graph.alone)));
        }
        title
    }

    fn cache_requests(&self, _ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        vec![CacheRequest::new(CacheKey::Graph, FRESH)]
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        let Some(graph) = graph(ctx) else {
            return Some((0, 0));
        };
        Some((shown(ctx, graph).len(), graph.rows.len()))
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        let Some(graph) = graph(ctx).filter(|graph| !graph.rows.is_empty()) else {
            return empty(ctx, area, canvas);
        };
        let rows = shown(ctx, graph);
        let chosen = marked(ctx, &rows);
        ctx.list(area, 1, &rows, chosen)
            .draw(canvas, |row, line, canvas| {
                draw_row(ctx, row, line, canvas);
                Some(ClickTarget::Task(ctx.id, row.task.clone()))
            });
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        let Some(graph) = graph(ctx) else {
            return MoveOutcome::LeaveView;
        };
        let rows = shown(ctx, graph);
        let at = marked(ctx, &rows);
        let row = at.and_then(|at| rows.get(at));
        let is_complete = rows.len() == graph.rows.len();
        let to = match movement {
            ViewMove::One(Direction::Left) => row.and_then(|row| row.below).filter(|_| is_complete),
            ViewMove::One(Direction::Right) => rows
                .iter()
                .position(|row| is_complete && row.below.is_some() && row.below == at),
            other => other.rows(area.height).and_then(|by| stepped(at, by, rows.len())),
        };
        match to.and_then(|to| rows.get(to)) {
            Some(row) => MoveOutcome::Task(row.task.clone()),
            None => MoveOutcome::LeaveView,
        }
    }
}

fn graph<'a>(ctx: &ViewContext<'a>) -> Option<&'a DependencyGraph> {
    match ctx.scene.cache.get(&CacheKey::Graph)? {
        CacheEntry::Graph(graph) => Some(graph),
        _ => None,
    }
}

/// Returns the row of the selected task, if it has one; else the first.
fn marked(ctx: &ViewContext<'_>, rows: &[&DependencyRow]) -> Option<usize> {
    let chosen = selected(ctx.state, ctx.scene)?;
    let at = rows.iter().position(|row| row.task == chosen);
    at.or(Some(0)).filter(|at| *at < rows.len())
}

/// Returns the rows that match the filter of the list.
fn shown<'a>(ctx: &ViewContext<'_>, graph: &'a DependencyGraph) -> Vec<&'a DependencyRow> {
    let needle = ctx.filter().needle;
    let mut is_match = task_filter(&needle, ctx.scene);
    graph.rows.iter().filter(|row| is_match(&row.task)).collect()
}

fn draw_row(ctx: &ViewContext<'_>, row: &DependencyRow, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = TaskCard::for_task(&row.task, ctx.scene) else {
        let gone = format!("   {} no longer exists", row.task);
        canvas.line(line, &[dim(gone)]);
        return;
    };
    let age = [dim(format!(" {:>4} ", card.age))];
    let critical = if row.is_critical { "*" } else { " " };
    // Without the rows between them the lines would lead nowhere.
    let trunk = if ctx.pane.filter.is_empty() {
        trunk(row, usize::from(line.width), ctx.scene.theme.glyphs)
    } else {
        String::new()
    };
    let title = card.title();
    let strong = StyledText {
        role: if row.is_critical {
            StyleRole::Strong
        } else {
            title.role
        },
        ..title
    };
    let mut pieces = vec![
        piece(critical, StyleRole::Retry),
        piece(trunk, StyleRole::Border),
        card.glyph(),
        dim(format!(" {} ", row.task)),
        strong,
        plain("  "),
    ];
    if card.is_waiting() {
        pieces.push(card.dependencies(NAMED));
    } else {
        pieces.push(piece(&card.marker.word, card.marker.role));
    }
    if !row.also.is_empty() && !card.is_waiting() {
        let names: Vec<String> = row.also.iter().map(|id| ctx.scene.model.name_of(id)).collect();
        pieces.push(piece(
            format!("  also after {}", names.join(", ")),
            StyleRole::Blocked,
        ));
    }
    canvas.both_ends(line, &pieces, &age);
}

/// Returns the lines that lead to a task; of a very deep one only the last of them.
fn trunk(row: &DependencyRow, room: usize, glyphs: Glyphs) -> String {
    let (through, branch, end, none) =
        glyphs.pick(("│  ", "├─ ", "└─ ", "   "), ("|  ", "+- ", "`- ", "   "));
    let levels = row.follows.len();
    let most = room.saturating_sub(LEAST) / LEVEL;
    let hidden = levels.saturating_sub(most.max(1));
    let mut trunk = String::new();
    if hidden > 0 {
        trunk.push_str(&hidden.to_string());
        trunk.push_str("> ");
    }
    for (level, follows) in row.follows.iter().enumerate().skip(hidden) {
        trunk.push_str(match (level + 1 == levels, *follows) {
            (false, true) => through,
            (false, false) => none,
            (true, true) => branch,
            (true, false) => end,
        });
    }
    trunk
}

fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let none = "No task depends on another.";
    let hint = "Add one: dbs task dep TASK OTHER";
    ctx.draw_missing(&CacheKey::Graph, area, "dependencies", none, hint, canvas);
}
