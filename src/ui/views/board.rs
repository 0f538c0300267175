//! The board: a list; a list with the selected task beside or below it where there is room; columns where there is much (K80).

use ratatui::layout::Rect;

use super::task_card::TaskCard;
use super::{
    ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove, detail, diff, gates, kanban, summary,
    throughput,
};
use crate::domain::{TaskId, pluralized};
use crate::read_model::Column;
use crate::ui::action::Action;
use crate::ui::cache::{CacheRequest, DiffBase};
use crate::ui::canvas::{Canvas, StyledText, piece, row_of};
use crate::ui::state::{FinishedTasks, SortOrder};
use crate::ui::target::{listed_tasks, ordered_columns, selected, shown_cards, shows_column};
use crate::ui::text::{cut, width};
use crate::ui::theme::StyleRole;

/// The view of the board: a list, a list with details, or kanban columns.
pub(super) struct BoardView;

/// From this inner width on: columns by stage.
const KANBAN: u16 = 150;
/// From this inner width on: the selected task beside the list.
const BESIDE: u16 = 76;
/// Below this inner width a pane that is high has it below the list, too: both get lines of their full length.
const SPACIOUS: u16 = 100;
/// From this inner height on: the selected task below the list.
const BELOW: u16 = 22;
/// Columns in which a row of the list says who and what.
const STATE: u16 = 17;

/// From this inner height on: the selected task below the columns.
const HALVED: u16 = 40;
/// Rows that the columns have at least then.
const LEAST_CARDS: u16 = 12;

/// How a board of a given size is divided: as kanban, or as a list with details.
enum BoardLayout {
    Kanban,
    List { list: Rect, detail: Option<Rect> },
}

fn divide(area: Rect) -> BoardLayout {
    if area.width >= KANBAN {
        return BoardLayout::Kanban;
    }
    if area.width >= BESIDE && (area.width >= SPACIOUS || area.height < HALVED) {
        let list = (area.width * 11 / 20).max(48);
        let detail = Rect {
            x: area.x + list + 1,
            width: area.width - list - 1,
            ..area
        };
        return BoardLayout::List {
            list: Rect { width: list, ..area },
            detail: Some(detail),
        };
    }
    let list = if area.height >= BELOW {
        area.height * 3 / 5
    } else {
        area.height
    };
    let detail = Rect {
        y: area.y + list + 1,
        height: (area.height - list).saturating_sub(1),
        ..area
    };
    BoardLayout::List {
        list: Rect { height: list, ..area },
        detail: (detail.height > 0).then_some(detail),
    }
}

impl View for BoardView {
    fn description(&self) -> &'static str {
        "The board: every task by stage. A mark says what happens to each, the words why."
    }

    fn title(&self, look: &ViewContext<'_>) -> Vec<StyledText> {
        let model = look.scene.model;
        let mut title = vec![piece(
            format!("Board  {}", pluralized(model.tasks.len(), "task")),
            StyleRole::Title,
        )];
        if let Some(base) = &model.base {
            title.push(piece(format!("  onto {base}"), StyleRole::Dim));
        }
        title
    }

    fn match_count(&self, look: &ViewContext<'_>) -> Option<(usize, usize)> {
        let shown = listed_tasks(look.state, look.scene, &look.sieve());
        Some((shown.len(), look.scene.model.tasks.len()))
    }

    fn orders(&self) -> &'static [SortOrder] {
        &[
            SortOrder::Default,
            SortOrder::Newest,
            SortOrder::Oldest,
            SortOrder::Name,
        ]
    }

    fn cache_requests(&self, look: &ViewContext<'_>) -> Vec<CacheRequest> {
        let task = selected(look.state, look.scene);
        let changes = task.and_then(|task| diff::cache_request(look, &task, DiffBase::Base));
        changes.into_iter().chain(gates::running_request(look)).collect()
    }

    fn draw(&self, look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
        if look.scene.model.tasks.is_empty() {
            return empty(look, area, canvas);
        }
        let is_over = summary::is_due(look) && look.state.finished == FinishedTasks::Counted;
        match divide(area) {
            BoardLayout::Kanban => {
                let (cards, below) = halves(look, area);
                kanban::draw(look, cards, canvas, hits);
                if is_over {
                    summary::draw(look, area, canvas);
                } else if let (Some(below), Some(task)) = (below, selected(look.state, look.scene)) {
                    let (below, row) = throughput::divide(below);
                    canvas.horizontal_line(below.y - 1, below);
                    detail::draw_beside(look, &task, below, canvas);
                    if let Some(row) = row {
                        throughput::draw(look, row, canvas);
                    }
                }
            }
            BoardLayout::List { .. } if is_over => {
                hidden(look, row_of(area, 0), look.scene.model.tasks.len(), canvas);
                summary::draw(look, area, canvas);
            }
            BoardLayout::List { list, detail } => {
                draw_list(look, list, canvas, hits);
                let chosen = selected(look.state, look.scene);
                if let (Some(area), Some(task)) = (detail, chosen) {
                    if area.x > list.x {
                        canvas.vertical_line(area.x - 1, area);
                    } else {
                        canvas.horizontal_line(area.y.saturating_sub(1), area);
                    }
                    detail::draw_task(look, &task, area, canvas);
                }
            }
        }
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        if let BoardLayout::Kanban = divide(area) {
            return kanban::step(look, area, step);
        }
        let tasks = listed_tasks(look.state, look.scene, &look.sieve());
        let chosen = selected(look.state, look.scene);
        let at = chosen.and_then(|chosen| tasks.iter().position(|id| *id == chosen));
        step.in_list(area.height, (&tasks, at), |id| MoveOutcome::Task(id.clone()))
    }
}

/// The columns, and what is left below them for the selected task where the pane is high.
fn halves(look: &ViewContext<'_>, area: Rect) -> (Rect, Option<Rect>) {
    if area.height < HALVED {
        return (area, None);
    }
    let height = kanban::height(look, area, area.height * 3 / 5).max(LEAST_CARDS);
    let below = Rect {
        y: area.y + height + 1,
        height: area.height - height - 1,
        ..area
    };
    (Rect { height, ..area }, Some(below))
}

/// Shown while there is no task at all.
fn empty(look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let hint = |action| look.state.keymap.hint(action).unwrap_or_default();
    let mut lines = vec![
        ("No tasks yet.".to_owned(), StyleRole::Strong),
        (String::new(), StyleRole::Text),
        (
            format!("{}  makes one here", hint(Action::NewTask)),
            StyleRole::Text,
        ),
        (
            format!("{}  explains the keys", hint(Action::Help)),
            StyleRole::Text,
        ),
        (
            format!("{} demo  plays a minute of agents at work", hint(Action::Palette)),
            StyleRole::Text,
        ),
    ];
    if look.scene.model.base.is_none() {
        lines.extend([
            (String::new(), StyleRole::Text),
            (
                "No base branch is set, and agents need one:".to_owned(),
                StyleRole::Retry,
            ),
            ("dbs config base_branch NAME".to_owned(), StyleRole::Key),
        ]);
    }
    let height = usize::from(area.height);
    let top = (height / 3).min(height.saturating_sub(lines.len()));
    for (at, (text, role)) in lines.iter().enumerate() {
        canvas.centre(row_of(area, top + at), text, *role);
    }
}

/// A row of the board's list.
enum BoardRow<'a> {
    Heading(&'a Column),
    Task(&'a TaskId),
    Hidden(usize),
}

fn rows<'a>(look: &ViewContext<'a>) -> Vec<BoardRow<'a>> {
    let sieve = look.sieve();
    let mut rows = Vec::new();
    for column in ordered_columns(look.scene) {
        if column.cards.is_empty() {
            continue;
        }
        if sieve.needle.is_empty() && !shows_column(look.state, column) {
            rows.push(BoardRow::Hidden(column.cards.len()));
            continue;
        }
        let cards = shown_cards(look.state, look.scene, &sieve, column);
        if !cards.is_empty() {
            rows.push(BoardRow::Heading(column));
            rows.extend(cards.into_iter().map(BoardRow::Task));
        }
    }
    rows
}

fn draw_list(look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
    let rows = rows(look);
    let chosen = selected(look.state, look.scene);
    let is_chosen = |row: &BoardRow<'_>| matches!(row, BoardRow::Task(id) if Some(*id) == chosen.as_ref());
    let marked = rows.iter().position(is_chosen);
    let ids = rows.iter().filter_map(|row| match row {
        BoardRow::Task(id) => Some(width(id.as_str())),
        BoardRow::Heading(..) | BoardRow::Hidden(_) => None,
    });
    let id_width = ids.max().unwrap_or(0).min(12);
    look.list((area, 1), &rows, marked)
        .draw(canvas, hits, |row, line, canvas| {
            match row {
                BoardRow::Heading(column) => {
                    canvas.line(line, &kanban::heading(look, column));
                }
                BoardRow::Hidden(many) => hidden(look, line, *many, canvas),
                BoardRow::Task(id) => {
                    draw_task(look, line, id, id_width, canvas);
                    return Some(ClickTarget::Task(look.id, (*id).clone()));
                }
            }
            None
        });
}

fn hidden(look: &ViewContext<'_>, line: Rect, many: usize, canvas: &mut Canvas<'_>) {
    let key = look.state.keymap.hint(Action::ToggleFinished).unwrap_or_default();
    let text = format!(" {many} finished, {key} shows them");
    canvas.line(line, &[piece(text, StyleRole::Dim)]);
}

fn draw_task(look: &ViewContext<'_>, line: Rect, id: &TaskId, id_width: usize, canvas: &mut Canvas<'_>) {
    let Some(card) = TaskCard::for_task(id, look.scene) else {
        return;
    };
    let more = canvas.theme.ellipsis();
    let id = cut(id.as_str(), id_width, more);
    let pad = " ".repeat(id_width.saturating_sub(width(&id)));
    let lead = [
        look.mark_of(&card.task.id),
        card.glyph(),
        piece(format!(" {id}{pad} "), StyleRole::Dim),
    ];
    let used = canvas.line(line, &lead);
    let age = [piece(format!(" {:>4} ", card.age), StyleRole::Dim)];
    let right = canvas.right(line, &age);
    let room = line.width.saturating_sub(used + right);
    let state = state_room(room);
    let title = Rect {
        x: line.x + used,
        width: (room - state).saturating_sub(1),
        ..line
    };
    canvas.line(title, &[card.title()]);
    let rest = Rect {
        x: line.x + used + room - state,
        width: state,
        ..line
    };
    canvas.line(rest, &card.summary(usize::from(state)));
}

/// Columns of a row, of those that title and state share, that say who and what: enough for `tests 40s of ~75s` where
/// there is room for a title as well.
fn state_room(room: u16) -> u16 {
    (room * 9 / 20).max(STATE.min(room * 11 / 20))
}
