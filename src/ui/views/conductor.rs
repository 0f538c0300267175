//! The conductor: the agent that plans with the person, in its terminal. While none runs, the view lists the tasks that wait to be released
//! or were set aside, to be acted on in place.

use super::list::ListRow;
use super::task_card::TaskCard;
use super::terminal::TerminalView;
use super::{ClickTarget, MoveOutcome, View, ViewContext, ViewMove, buttons};
use crate::display::text::{clean, cut, width, wrap};
use crate::domain::{TaskId, TaskState};
use crate::keymap::Action;
use crate::read_model::ColumnKind;
use crate::ui::canvas::prelude::*;
use crate::ui::target::{selected, sort_tasks, task_filter};

/// The view of the conductor's terminal, or of the tasks to be released while there is none.
pub(super) struct ConductorView;

/// The actions the view offers.
const OFFERS: [(Action, &str); 6] = [
    (Action::Conduct, "start one"),
    (Action::NewTask, "new task"),
    (Action::Release, "release"),
    (Action::EditTask, "edit"),
    (Action::RaisePriority, "raise priority"),
    (Action::Retry, "retry"),
];
const INTRODUCTION: &str = "No conductor is running. One plans tasks with you; or create small tasks yourself. Released, the pipeline does the rest.";

impl View for ConductorView {
    fn description(&self) -> &'static str {
        "The agent that plans with you, once it runs. Until then: tasks that wait to be released, and those set aside."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        if is_there(ctx) {
            return TerminalView.title(ctx);
        }
        vec![piece("Conductor", StyleRole::Title), dim("  you")]
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        (!is_there(ctx)).then(|| (shown(ctx).len(), planned(ctx).count()))
    }

    fn title_note(&self, ctx: &ViewContext<'_>) -> Option<StyledText> {
        TerminalView.title_note(ctx)
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        if is_there(ctx) {
            return TerminalView.draw(ctx, area, canvas);
        }
        let room = inset(area, 1);
        let intro = wrap(INTRODUCTION, usize::from(room.width).max(8));
        let keys = buttons::lines(ctx, &OFFERS, usize::from(room.width));
        let rows = rows(ctx);
        // The list comes first where there is no room for all.
        let around = intro.len() + keys.len() + 2;
        let is_roomy = usize::from(area.height) >= around + rows.len().clamp(1, 4);
        let mut y = 0;
        if is_roomy {
            let lines: Vec<_> = intro.iter().map(|line| vec![dim(line)]).collect();
            canvas.lines(room, &lines);
            y = intro.len() + 1;
        }
        let height = usize::from(area.height).saturating_sub(if is_roomy { around } else { 0 });
        let list = top_part(skip_top(area, cells(y)), cells(height));
        let chosen = selected(ctx.state, ctx.scene);
        let is_chosen = |id: &&TaskId| Some(*id) == chosen.as_ref();
        y += ctx.draw_rows(list, &rows, is_chosen, canvas, |id, line, canvas| {
            draw_task(ctx, id, line, canvas);
            ClickTarget::Task(ctx.id, (*id).clone())
        });
        if is_roomy {
            buttons::draw(&keys, room, y + 1, canvas);
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        if is_there(ctx) {
            return TerminalView.navigate(ctx, area, movement);
        }
        let tasks = shown(ctx);
        let chosen = selected(ctx.state, ctx.scene);
        let at = tasks.iter().position(|id| Some(*id) == chosen.as_ref());
        let task = |id: &&TaskId| MoveOutcome::Task((*id).clone());
        match (at, movement.rows(area.height)) {
            (None, Some(_)) => tasks.first().map_or(MoveOutcome::Nowhere, task),
            _ => movement.in_list(area.height, &tasks, at, task),
        }
    }
}

fn is_there(ctx: &ViewContext<'_>) -> bool {
    let screen = ctx.pane.content.screen();
    screen.is_some_and(|id| ctx.scene.screens.has(id))
}

/// Returns the tasks that wait for a person's decision, in the order of the board.
fn planned<'a>(ctx: &ViewContext<'a>) -> impl Iterator<Item = &'a TaskId> {
    let columns = ctx.scene.model.columns.iter();
    columns
        .filter(|column| column.kind == ColumnKind::Backlog)
        .flat_map(|column| &column.cards)
}

fn is_set_aside(ctx: &ViewContext<'_>, id: &TaskId) -> bool {
    let task = ctx.scene.model.tasks.get(id);
    task.is_some_and(|task| task.state != TaskState::Backlog)
}

/// Returns the tasks that match the filter of the list; those that wait to be released come first.
fn shown<'a>(ctx: &ViewContext<'a>) -> Vec<&'a TaskId> {
    let filter = ctx.filter();
    let mut is_match = task_filter(&filter.needle, ctx.scene);
    let mut tasks: Vec<&TaskId> = planned(ctx).filter(|id| is_match(id)).collect();
    sort_tasks(&filter, ctx.scene, &mut tasks);
    tasks.sort_by_key(|id| is_set_aside(ctx, id));
    tasks
}

fn rows<'a>(ctx: &ViewContext<'a>) -> Vec<ListRow<&'a TaskId>> {
    let tasks = shown(ctx);
    let (aside, open): (Vec<&TaskId>, Vec<&TaskId>) = tasks.into_iter().partition(|id| is_set_aside(ctx, id));
    let mut rows = Vec::new();
    for (title, part) in [("To release", open), ("Set aside", aside)] {
        if !part.is_empty() {
            let heading = vec![strong(format!(" {title} ")), dim(part.len().to_string())];
            rows.push(ListRow::Text(heading));
            rows.extend(part.into_iter().map(ListRow::Item));
        }
    }
    if rows.is_empty() && ctx.pane.filter.is_empty() {
        rows.push(ListRow::Text(vec![plain(" Nothing waits to be released.")]));
    }
    rows
}

/// Draws the mark, id and title of a task; the reason why it was set aside, and the time since.
fn draw_task(ctx: &ViewContext<'_>, id: &TaskId, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = TaskCard::for_task(id, ctx.scene) else {
        return;
    };
    let right = canvas.right(line, &[dim(format!(" {:>4} ", card.age))]);
    let room = skip_right(line, right);
    let lead = [ctx.mark_of(id), card.glyph(), dim(format!(" {id} "))];
    let used = canvas.line(room, &lead);
    let room = skip_left(room, used);
    let why = if is_set_aside(ctx, id) {
        Some(card.full_status())
    } else {
        (!card.unresolved.is_empty()).then(|| card.dependencies(card.unresolved.len()))
    };
    let title = card.title().text;
    let mut pieces = vec![plain(&title)];
    if let Some(why) = why {
        // A long title leaves room for the reason.
        let most =
            usize::from(room.width).saturating_sub((width(&why.text) + 2).min(usize::from(room.width / 2)));
        let title = cut(&clean(&title), most, canvas.theme.ellipsis());
        pieces = vec![plain(title), plain("  "), why];
    }
    canvas.line(room, &pieces);
}
