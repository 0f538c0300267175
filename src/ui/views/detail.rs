//! One task in full: where it stands, who works on it, what it waits for, what was tried and seen, what was written.

use ratatui::layout::Rect;

use super::{Hits, Look, Moved, Step, View, diff, scrolled, terminal};
use crate::domain::{Span, TaskId};
use crate::ui::action::When;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::page::PageRow;
use crate::ui::pane::PaneId;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::shelf::{Against, Paper, Want};
use crate::ui::state::{Content, Pane, State};
use crate::ui::target::{self, Target, selected};
use crate::ui::theme::Role;

mod failure;
mod lines;

/// One task in full.
pub(super) struct DetailView;

/// How it is offered.
pub(super) static ROW: PageRow = PageRow::of("task", "Task", &DetailView)
    .showing(Content::Detail)
    .offered(
        (
            "task",
            "The task in full: what it asks for, why it stands where it stands, what was tried and written.",
        ),
        &["details", "description", "body", "attempts", "comments"],
        When::Task,
    );

/// Rows from which on the agent's terminal is shown below the task.
const PEEK_FROM: u16 = 26;
/// How long what was read of its checks is good enough.
const CHECKED_FOR: Span = Span::seconds(20);
/// Rows of the task that stay when it is.
const PEEK_BELOW: u16 = 14;

impl View for DetailView {
    fn about(&self) -> &'static str {
        "One task in full: what it asks for, where it stands and why, what was tried, what was written on it."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let task = shown(look).map_or_else(|| "Task".to_owned(), |id| format!("Task {id}"));
        vec![piece(task, Role::Title)]
    }

    fn target<'a>(&self, state: &State, scene: &Scene<'a>, (_, pane): (PaneId, &Pane)) -> Target<'a> {
        match &pane.content {
            Content::Detail(Some(id)) => target::of_task(scene, id),
            _ => target::of_selected(state, scene),
        }
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let Some(id) = shown(look) else {
            return Vec::new();
        };
        let mut wants: Vec<Want> = diff::want(look, &id, Against::Base).into_iter().collect();
        let task = look.scene.model.tasks.get(&id);
        if let Some(task) = task.filter(|task| failure::is_of_checks(look, task)) {
            wants.push(Want {
                paper: Paper::Checks(Some(id)),
                fresh_for: CHECKED_FOR,
            });
            let failed = look.scene.model.failure_of(task);
            let check = failed.and_then(|(attempt, ..)| failure::failed_check(look.scene, task, attempt.id));
            wants.extend(check.map(|check| Want {
                paper: Paper::Output(check.attempt, check.nth),
                fresh_for: Span::minutes(10),
            }));
        }
        wants
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, _hits: &mut Hits) {
        match shown(look) {
            Some(task) => draw_lines(look, (&task, look.pane.scroll), area, canvas),
            None => canvas.centre(
                row_of(area, usize::from(area.height) / 3),
                "No task is selected.",
                Role::Dim,
            ),
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        let (Some(task), Some(rows)) = (shown(look), step.rows(area.height)) else {
            return Moved::Out;
        };
        let lines = lines::of(look, &task, area.width.saturating_sub(2)).len();
        let most = lines.saturating_sub(usize::from(area.height));
        Moved::Scrolled(scrolled(look.pane.scroll.min(most), rows, most))
    }
}

fn shown(look: &Look<'_>) -> Option<TaskId> {
    match &look.pane.content {
        Content::Detail(Some(id)) => Some(id.clone()),
        _ => selected(look.state, look.scene),
    }
}

/// The task beside or below a board: its first lines, and its agent's terminal when there is room.
pub(super) fn draw_task(look: &Look<'_>, task: &TaskId, area: Rect, canvas: &mut Canvas<'_>) {
    let model = look.scene.model;
    let open = model.tasks.get(task).and_then(|task| task.open_attempt);
    let screen = open
        .map(ScreenId::Attempt)
        .filter(|id| look.scene.screens.has(*id));
    let Some(screen) = screen.filter(|_| area.height >= PEEK_FROM) else {
        return draw_lines(look, (task, 0), area, canvas);
    };
    let upper = Rect {
        height: PEEK_BELOW,
        ..area
    };
    draw_lines(look, (task, 0), upper, canvas);
    let lower = Rect {
        y: area.y + PEEK_BELOW + 1,
        height: area.height - PEEK_BELOW - 1,
        ..area
    };
    canvas.level(lower.y - 1, lower);
    terminal::peek(look, (screen, 0), lower, canvas);
}

fn draw_lines(look: &Look<'_>, (task, scroll): (&TaskId, usize), area: Rect, canvas: &mut Canvas<'_>) {
    let room = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    };
    let lines = lines::of(look, task, room.width);
    let height = usize::from(area.height);
    let first = scroll.min(lines.len().saturating_sub(height));
    for (at, pieces) in lines.iter().skip(first).take(height).enumerate() {
        canvas.line(row_of(room, at), pieces);
    }
}
