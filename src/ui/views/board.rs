//! The board: a list; a list with the selected task beside or below it where there is room; columns where there is much (K80).

use super::list::ListRow;
use super::task_card::TaskCard;
use super::{
    ClickTarget, MoveOutcome, View, ViewContext, ViewMove, detail, diff, gates, kanban, summary, throughput,
};
use crate::display::text::{cut, width};
use crate::domain::{TaskId, pluralized};
use crate::keymap::Action;
use crate::read_model::Column;
use crate::ui::cache::{CacheRequest, DiffBase};
use crate::ui::canvas::prelude::*;
use crate::ui::screen_layout::shows_selected_task;
use crate::ui::state::{FinishedTasks, Overlay, SortOrder, UiState};
use crate::ui::target::{listed_tasks, ordered_columns, selected, shown_cards, shows_column};

/// The view of the board: a list, a list with details, or kanban columns.
pub(super) struct BoardView;

/// Inner width from which columns by stage are shown: that of a screen of 100 columns.
const KANBAN: u16 = 98;
/// Inner width from which the selected task is shown beside the list.
const BESIDE: u16 = 76;
/// Inner height from which the selected task is shown below the list.
const BELOW: u16 = 22;
/// Columns for agent and state in a row of the list.
const STATE: u16 = 17;
/// Columns for title and state below which there is only the title.
const SIGN_ALONE: u16 = LEAST_TITLE + 1 + STATE;
/// Minimum columns of a title before the state gets any.
const LEAST_TITLE: u16 = 24;

/// Columns that long titles may take from the state's share.
const LONG_TITLE: usize = 36;

/// Inner height from which the selected task is shown below the list, also if it has room beside it.
const HALVED: u16 = 40;
/// Inner height from which it is shown below the columns.
const BELOW_COLUMNS: u16 = 30;
/// Minimum rows of the columns in that case.
const LEAST_CARDS: u16 = 12;

/// Division of a board of a given size: as kanban, or as a list with details.
enum BoardLayout {
    Kanban,
    List { list: Rect, detail: Option<Rect> },
}

fn divide(state: &UiState, area: Rect) -> BoardLayout {
    if shows_selected_task(state) {
        return BoardLayout::List {
            list: area,
            detail: None,
        };
    }
    if area.width >= KANBAN {
        return BoardLayout::Kanban;
    }
    // In a high pane both get lines of their full length.
    if area.width >= BESIDE && area.height < HALVED {
        let list = (area.width * 11 / 20).max(48);
        return BoardLayout::List {
            list: left_part(area, list),
            detail: Some(skip_left(area, list + 1)),
        };
    }
    let list = if area.height >= BELOW {
        area.height * 3 / 5
    } else {
        area.height
    };
    let detail = skip_top(area, list + 1);
    BoardLayout::List {
        list: top_part(area, list),
        detail: (detail.height > 0).then_some(detail),
    }
}

impl View for BoardView {
    fn description(&self) -> &'static str {
        "The board: every task by stage. Each shows its state and the reason."
    }

    fn title(&self, ctx: &ViewContext<'_>) -> Vec<StyledText> {
        let model = ctx.scene.model;
        let mut title = vec![piece(
            format!("Board  {}", pluralized(model.tasks.len(), "task")),
            StyleRole::Title,
        )];
        if let Some(base) = &model.base {
            title.push(dim(format!("  onto {base}")));
        }
        title
    }

    fn match_count(&self, ctx: &ViewContext<'_>) -> Option<(usize, usize)> {
        let shown = listed_tasks(ctx.state, ctx.scene, &ctx.filter());
        Some((shown.len(), ctx.scene.model.tasks.len()))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[
            SortOrder::Default,
            SortOrder::Newest,
            SortOrder::Oldest,
            SortOrder::Name,
        ]
    }

    fn cache_requests(&self, ctx: &ViewContext<'_>) -> Vec<CacheRequest> {
        let task = selected(ctx.state, ctx.scene);
        let changes = task.and_then(|task| diff::cache_request(ctx, &task, DiffBase::Base));
        let requests = changes.into_iter().chain(gates::running_request(ctx));
        requests.chain(summary::cache_requests(ctx)).collect()
    }

    fn draw(&self, ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
        if ctx.scene.model.tasks.is_empty() {
            return empty(ctx, area, canvas);
        }
        let is_over = ctx.scene.model.is_all_done()
            && ctx.state.finished == FinishedTasks::Counted
            && !(shows_selected_task(ctx.state) && ctx.state.selected.is_none());
        match divide(ctx.state, area) {
            BoardLayout::Kanban => {
                let columns = kanban::columns(ctx);
                let (cards, below) = halves(ctx, &columns, area);
                kanban::draw(ctx, &columns, cards, canvas);
                if is_over {
                    summary::draw(ctx, area, canvas);
                } else if let (Some(below), Some(task)) = (below, selected(ctx.state, ctx.scene)) {
                    let (below, row) = throughput::divide(below);
                    canvas.horizontal_line(below.y - 1, below);
                    detail::draw_beside(ctx, &task, below, canvas);
                    if let Some(row) = row {
                        throughput::draw(ctx, row, canvas);
                    }
                }
            }
            BoardLayout::List { .. } if is_over => {
                canvas.line(row_of(area, 0), &hidden(ctx, ctx.scene.model.tasks.len()));
                summary::draw(ctx, area, canvas);
            }
            BoardLayout::List { list, detail } => {
                draw_list(ctx, list, canvas);
                let chosen = selected(ctx.state, ctx.scene);
                if let (Some(area), Some(task)) = (detail, chosen) {
                    if area.x > list.x {
                        canvas.vertical_line(area.x - 1, area);
                    } else {
                        canvas.horizontal_line(area.y.saturating_sub(1), area);
                    }
                    detail::draw_task(ctx, &task, area, canvas);
                }
            }
        }
    }

    fn navigate(&self, ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
        if let BoardLayout::Kanban = divide(ctx.state, area) {
            return kanban::step(ctx, area, movement);
        }
        let tasks = listed_tasks(ctx.state, ctx.scene, &ctx.filter());
        let chosen = selected(ctx.state, ctx.scene);
        let at = chosen.and_then(|chosen| tasks.iter().position(|id| **id == chosen));
        movement.in_list(area.height, &tasks, at, |id| MoveOutcome::Task((*id).clone()))
    }
}

/// Returns the columns, and the rest below them for the selected task where the pane is high.
fn halves(ctx: &ViewContext<'_>, columns: &[Column], area: Rect) -> (Rect, Option<Rect>) {
    if area.height < BELOW_COLUMNS {
        return (area, None);
    }
    let height = kanban::height(ctx, columns, area, area.height * 3 / 5).max(LEAST_CARDS);
    let below = skip_top(area, height + 1);
    (Rect { height, ..area }, Some(below))
}

/// Draws the notice shown while there is no task at all.
fn empty(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let keys = [
        (Action::NewTask, "  create a task"),
        (Action::Help, "  help"),
        (Action::Palette, " demo  watch scripted agents for a minute"),
    ];
    let keys = keys.map(|(action, words)| format!("{}{words}", ctx.key_of(action)));
    let mut lines = vec![("No tasks yet.", StyleRole::Strong), ("", StyleRole::Text)];
    lines.extend(keys.iter().map(|line| (line.as_str(), StyleRole::Text)));
    // The questions of a first start ask for it; it is missing only when they are over.
    let is_asked = matches!(ctx.state.overlay, Some(Overlay::Welcome(_)));
    if ctx.scene.model.base.is_none() && !is_asked {
        lines.extend([
            ("", StyleRole::Text),
            ("No base branch is set, and agents need one:", StyleRole::Retry),
            ("dbs config base_branch NAME", StyleRole::Key),
        ]);
    }
    let height = usize::from(area.height);
    let top = (height / 3).min(height.saturating_sub(lines.len()));
    canvas.centred_lines(area, top, &lines);
}

fn rows<'a>(ctx: &ViewContext<'a>) -> Vec<ListRow<&'a TaskId>> {
    let filter = ctx.filter();
    let mut rows = Vec::new();
    for column in ordered_columns(ctx.scene) {
        if column.cards.is_empty() {
            continue;
        }
        if filter.needle.is_empty() && !shows_column(ctx.state, column) {
            rows.push(ListRow::Text(hidden(ctx, column.cards.len())));
            continue;
        }
        let cards = shown_cards(ctx.state, ctx.scene, &filter, column);
        if !cards.is_empty() {
            rows.push(ListRow::Text(kanban::heading(ctx, column)));
            rows.extend(cards.into_iter().map(ListRow::Item));
        }
    }
    rows
}

fn draw_list(ctx: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let rows = rows(ctx);
    let chosen = selected(ctx.state, ctx.scene);
    let ids = rows.iter().filter_map(ListRow::item);
    let id_width = ids.map(|id| width(id.as_str())).max().unwrap_or(0).min(12);
    let ids = rows.iter().filter_map(ListRow::item);
    let tasks = ids.filter_map(|id| ctx.scene.model.tasks.get(*id));
    let title_width = tasks.map(|task| width(&task.title) + 1).max().unwrap_or(0);
    let is_chosen = |id: &&TaskId| Some(*id) == chosen.as_ref();
    ctx.draw_rows(area, &rows, is_chosen, canvas, |id, line, canvas| {
        draw_task(ctx, line, id, id_width, title_width, canvas);
        ClickTarget::Task(ctx.id, (*id).clone())
    });
}

fn hidden(ctx: &ViewContext<'_>, many: usize) -> Vec<StyledText> {
    let key = ctx.key_of(Action::ToggleFinished);
    vec![dim(format!(" {many} finished, {key} show"))]
}

fn draw_task(
    ctx: &ViewContext<'_>,
    line: Rect,
    id: &TaskId,
    id_width: usize,
    title_width: usize,
    canvas: &mut Canvas<'_>,
) {
    let Some(card) = TaskCard::for_task(id, ctx.scene) else {
        return;
    };
    let more = canvas.theme.ellipsis();
    let id = cut(id.as_str(), id_width, more);
    let pad = " ".repeat(id_width.saturating_sub(width(&id)));
    let lead = [
        ctx.mark_of(&card.task.id),
        card.glyph(),
        dim(format!(" {id}{pad} ")),
    ];
    let used = canvas.line(line, &lead);
    let age = [dim(format!(" {:>4} ", card.age))];
    let right = canvas.right(line, &age);
    let room = line.width.saturating_sub(used + right);
    let state = state_room(room, title_width);
    if state == 0 || card.marker.word.is_empty() {
        canvas.line(skip_right(skip_left(line, used), right), &[card.title()]);
        return;
    }
    let line = skip_left(line, used);
    canvas.line(left_part(line, (room - state).saturating_sub(1)), &[card.title()]);
    let rest = left_part(skip_left(line, room - state), state);
    canvas.line(rest, &card.summary(usize::from(state)));
}

/// Returns the columns of the state among those that title and state share: enough for `tests 40s of ~75s` if there is room for a title
/// as well; where a title is longer than its share, no more than that. None where the title would be left with too few: the sign shows the
/// state.
fn state_room(room: u16, title_width: usize) -> u16 {
    match room {
        ..SIGN_ALONE => 0,
        _ => (room * 9 / 20)
            .min(room.saturating_sub(cells(title_width.min(LONG_TITLE)) + 1))
            .max(STATE),
    }
}
