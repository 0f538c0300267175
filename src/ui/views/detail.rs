//! A task in full: its state, its agent, the tasks it waits for, attempts and evidence, comments and events.

use super::{MoveOutcome, View, ViewContext, ViewMove, diff, gates, summary, terminal};
use crate::domain::{Span, TaskId};
use crate::ui::cache::{CacheKey, CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::ScreenId;
use crate::ui::state::PaneContent;
use crate::ui::target::selected;

mod attempts;
mod failure;
mod lines;
mod plan;
mod story;
mod text_block;
mod told;

/// The view of one task in full.
pub(super) struct DetailView;

/// Rows from which on the agent's terminal is shown below the task.
const PEEK_FROM: u16 = 26;
/// Time for which checks that were read stay good enough.
const CHECKED_FOR: Span = Span::seconds(20);
/// Rows of the task that stay when the terminal is shown.
const PEEK_BELOW: u16 = 14;

impl View for DetailView {
    fn description(&self) -> &'static str {
        "One task in full: what it asks for, where it stands and why, what was tried, what was written on it."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        if shows_summary(ctx) {
            return vec![piece("Summary", StyleRole::Title)];
        }
        let task = shown(ctx).map_or_else(|| "Task".to_owned(), |id| format!("Task {id}"));
        vec![piece(task, StyleRole::Title)]
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        if shows_summary(ctx) {
            return summary::cache_requests(ctx).into_iter().collect();
        }
        let Some(id) = shown(ctx) else {
            return Vec::new();
        };
        let mut wants: Vec<CacheRequest> = diff::cache_request(ctx, &id, DiffBase::Base)
            .into_iter()
            .collect();
        wants.extend(gates::running_request(ctx));
        let task = ctx.scene.model.tasks.get(&id);
        wants.extend(task.and_then(|task| attempts::cache_request(ctx, task)));
        if let Some(task) = task.filter(|task| failure::is_of_checks(ctx, task)) {
            wants.push(CacheRequest::checks(ctx.scene.model, Some(&id), CHECKED_FOR));
            let failed = ctx.scene.model.failure_of(task);
            let check = failed.and_then(|(attempt, ..)| failure::failed_check(ctx.scene, task, attempt.id));
            wants.extend(check.map(|check| CacheRequest::new(CacheKey::output(check), Span::minutes(10))));
        }
        wants
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        match shown(ctx) {
            _ if shows_summary(ctx) => summary::draw(ctx, area, canvas),
            Some(task) => draw_lines(ctx, &task, ctx.pane.scroll, area, canvas),
            None => canvas.empty_state(area, "No task is selected.", StyleRole::Dim, ""),
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        shown(ctx).map_or(MoveOutcome::LeaveView, |task| {
            let texts = lines::detail_lines(ctx, &task, &widths(&columns_of(area)));
            ctx.scroll_texts(movement, area.height, &texts)
        })
    }
}

/// Returns true if the summary is shown in place of a task: when all tasks are done, until one is selected.
fn shows_summary(ctx: &ViewContext<'_>) -> bool {
    let is_free = ctx.pane.content == PaneContent::Selected && ctx.state.selected.is_none();
    is_free && ctx.state.watched.is_none() && ctx.scene.model.is_all_done()
}

fn shown(ctx: &ViewContext<'_>) -> Option<TaskId> {
    match &ctx.pane.content {
        PaneContent::Detail(Some(id)) => Some(id.clone()),
        _ => selected(ctx.state, ctx.scene),
    }
}

/// Draws the task beside or below a board: its first lines, and its agent's terminal when there is room.
pub(super) fn draw_task(ctx: &ViewContext<'_>, task: &TaskId, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(screen) = terminal_of(ctx, task).filter(|_| area.height >= PEEK_FROM) else {
        return draw_lines(ctx, task, 0, area, canvas);
    };
    draw_lines(ctx, task, 0, top_part(area, PEEK_BELOW), canvas);
    let lower = skip_top(area, PEEK_BELOW + 1);
    canvas.horizontal_line(lower.y - 1, lower);
    terminal::draw_cropped(ctx, screen, 0, lower, canvas);
}

/// Draws the task below the columns of a board, and its agent's terminal beside it.
pub(super) fn draw_beside(ctx: &ViewContext<'_>, task: &TaskId, area: Rect, canvas: &mut Canvas<'_>) {
    let Some(screen) = terminal_of(ctx, task) else {
        return draw_lines(ctx, task, 0, area, canvas);
    };
    let left = left_part(area, area.width * 2 / 5);
    let right = skip_left(area, left.width + 1);
    draw_lines(ctx, task, 0, left, canvas);
    canvas.vertical_line(left.right(), area);
    terminal::draw_cropped(ctx, screen, 0, right, canvas);
}

/// Returns the terminal of the agent that works on the task, while there is one.
fn terminal_of(ctx: &ViewContext<'_>, task: &TaskId) -> Option<ScreenId> {
    let open = ctx.scene.model.tasks.get(task)?.open_attempt?;
    Some(ScreenId::Attempt(open)).filter(|id| ctx.scene.screens.has(*id))
}

/// Draws the lines of a task, scrolled by that many.
pub(super) fn draw_lines(
    ctx: &ViewContext<'_>,
    task: &TaskId,
    scroll: usize,
    area: Rect,
    canvas: &mut Canvas<'_>,
) {
    let texts = lines::detail_lines(ctx, task, &widths(&columns_of(area)));
    canvas.text_columns(area, scroll, &texts);
}

fn widths(columns: &[Rect]) -> Vec<u16> {
    columns.iter().map(|column| column.width).collect()
}
