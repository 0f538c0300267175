//! The board: a list; a list with the selected task beside or below it where there is room; columns where there is much (K80).

use ratatui::layout::Rect;

use super::card::Card;
use super::{
    Hit, Hits, Look, Moved, Step, View, detail, diff, first_row, gates, kanban, stepped, summary, throughput,
};
use crate::domain::{TaskId, counted};
use crate::read_model::Column;
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::shelf::{Against, Want};
use crate::ui::state::{Finished, Order};
use crate::ui::target::{is_listed, list_order, listed, selected, shown_cards};
use crate::ui::text::{cut, width};
use crate::ui::theme::Role;

/// The board.
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

/// How a board of some size is divided.
enum Division {
    Kanban,
    List { list: Rect, detail: Option<Rect> },
}

fn divide(area: Rect) -> Division {
    if area.width >= KANBAN {
        return Division::Kanban;
    }
    if area.width >= BESIDE && (area.width >= SPACIOUS || area.height < HALVED) {
        let list = (area.width * 11 / 20).max(48);
        let detail = Rect {
            x: area.x + list + 1,
            width: area.width - list - 1,
            ..area
        };
        return Division::List {
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
    Division::List {
        list: Rect { height: list, ..area },
        detail: (detail.height > 0).then_some(detail),
    }
}

impl View for BoardView {
    fn about(&self) -> &'static str {
        "The board: every task by stage. A mark says what happens to each, the words why."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        let model = look.scene.model;
        let mut title = vec![piece(
            format!("Board  {}", counted(model.tasks.len(), "task")),
            Role::Title,
        )];
        if let Some(base) = &model.base {
            title.push(piece(format!("  onto {base}"), Role::Dim));
        }
        title
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        let shown = listed(look.state, look.scene, &look.sieve());
        Some((shown.len(), look.scene.model.tasks.len()))
    }

    fn orders(&self) -> &'static [Order] {
        &[Order::Usual, Order::Newest, Order::Oldest, Order::Name]
    }

    fn papers(&self, look: &Look<'_>) -> Vec<Want> {
        let task = selected(look.state, look.scene);
        let changes = task.and_then(|task| diff::want(look, &task, Against::Base));
        changes.into_iter().chain(gates::want_running(look)).collect()
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        if look.scene.model.tasks.is_empty() {
            return empty(look, area, canvas);
        }
        let is_over = summary::is_due(look) && look.state.finished == Finished::Counted;
        match divide(area) {
            Division::Kanban => {
                let (cards, below) = halves(look, area);
                kanban::draw(look, cards, canvas, hits);
                if is_over {
                    summary::draw(look, area, canvas);
                } else if let (Some(below), Some(task)) = (below, selected(look.state, look.scene)) {
                    let (below, row) = throughput::divide(below);
                    canvas.level(below.y - 1, below);
                    detail::draw_beside(look, &task, below, canvas);
                    if let Some(row) = row {
                        throughput::draw(look, row, canvas);
                    }
                }
            }
            Division::List { .. } if is_over => {
                hidden(look, row_of(area, 0), look.scene.model.tasks.len(), canvas);
                summary::draw(look, area, canvas);
            }
            Division::List { list, detail } => {
                draw_list(look, list, canvas, hits);
                let chosen = selected(look.state, look.scene);
                if let (Some(area), Some(task)) = (detail, chosen) {
                    if area.x > list.x {
                        canvas.upright(area.x - 1, area);
                    } else {
                        canvas.level(area.y.saturating_sub(1), area);
                    }
                    detail::draw_task(look, &task, area, canvas);
                }
            }
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        if let Division::Kanban = divide(area) {
            return kanban::step(look, area, step);
        }
        let Some(rows) = step.rows(area.height) else {
            return Moved::Out;
        };
        let tasks = listed(look.state, look.scene, &look.sieve());
        let chosen = selected(look.state, look.scene);
        let at = chosen.and_then(|chosen| tasks.iter().position(|id| *id == chosen));
        let to = stepped(at, rows, tasks.len()).and_then(|to| tasks.into_iter().nth(to));
        to.map_or(Moved::Nowhere, Moved::Task)
    }
}

/// The columns, and what is left below them for the selected task where the pane is high.
fn halves(look: &Look<'_>, area: Rect) -> (Rect, Option<Rect>) {
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
fn empty(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>) {
    let hint = |action| look.state.keymap.hint(action).unwrap_or_default();
    let mut lines = vec![
        ("No tasks yet.".to_owned(), Role::Strong),
        (String::new(), Role::Text),
        (format!("{}  makes one here", hint(Action::NewTask)), Role::Text),
        (format!("{}  explains the keys", hint(Action::Help)), Role::Text),
        (
            format!("{} demo  plays a minute of agents at work", hint(Action::Palette)),
            Role::Text,
        ),
    ];
    if look.scene.model.base.is_none() {
        lines.extend([
            (String::new(), Role::Text),
            (
                "No base branch is set, and agents need one:".to_owned(),
                Role::Retry,
            ),
            ("dbs config base_branch NAME".to_owned(), Role::Key),
        ]);
    }
    let height = usize::from(area.height);
    let top = (height / 3).min(height.saturating_sub(lines.len()));
    for (at, (text, role)) in lines.iter().enumerate() {
        canvas.centre(row_of(area, top + at), text, *role);
    }
}

/// A line of the list.
enum Row<'a> {
    Heading(&'a Column),
    Task(&'a TaskId),
    Hidden(usize),
}

fn rows<'a>(look: &Look<'a>) -> Vec<Row<'a>> {
    let sieve = look.sieve();
    let mut rows = Vec::new();
    for column in list_order(look.scene) {
        if column.cards.is_empty() {
            continue;
        }
        if sieve.needle.is_empty() && !is_listed(look.state, column) {
            rows.push(Row::Hidden(column.cards.len()));
            continue;
        }
        let cards = shown_cards(look.state, look.scene, &sieve, column);
        if !cards.is_empty() {
            rows.push(Row::Heading(column));
            rows.extend(cards.into_iter().map(Row::Task));
        }
    }
    rows
}

fn draw_list(look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
    let rows = rows(look);
    let chosen = selected(look.state, look.scene);
    let is_chosen = |row: &Row<'_>| matches!(row, Row::Task(id) if Some(*id) == chosen.as_ref());
    let marked = rows.iter().position(is_chosen).unwrap_or(0);
    let ids = rows.iter().filter_map(|row| match row {
        Row::Task(id) => Some(width(id.as_str())),
        Row::Heading(..) | Row::Hidden(_) => None,
    });
    let id_width = ids.max().unwrap_or(0).min(12);
    let height = usize::from(area.height);
    let first = first_row(marked, height, rows.len());
    for (at, row) in rows.iter().skip(first).take(height).enumerate() {
        let line = row_of(area, at);
        match row {
            Row::Heading(column) => {
                canvas.line(line, &kanban::heading(look, column));
            }
            Row::Hidden(many) => hidden(look, line, *many, canvas),
            Row::Task(id) => {
                draw_task(look, line, id, id_width, canvas);
                if is_chosen(row) {
                    canvas.tint(
                        line,
                        if look.focused {
                            Role::Selected
                        } else {
                            Role::SelectedElsewhere
                        },
                    );
                }
                hits.push((line, Hit::Task(look.id, (*id).clone())));
            }
        }
    }
}

fn hidden(look: &Look<'_>, line: Rect, many: usize, canvas: &mut Canvas<'_>) {
    let key = look.state.keymap.hint(Action::Finished).unwrap_or_default();
    let text = format!(" {many} finished, {key} shows them");
    canvas.line(line, &[piece(text, Role::Dim)]);
}

fn draw_task(look: &Look<'_>, line: Rect, id: &TaskId, id_width: usize, canvas: &mut Canvas<'_>) {
    let Some(card) = Card::of(id, look.scene) else {
        return;
    };
    let more = canvas.theme.more();
    let id = cut(id.as_str(), id_width, more);
    let pad = " ".repeat(id_width.saturating_sub(width(&id)));
    let lead = [
        look.mark_of(&card.task.id),
        card.glyph(),
        piece(format!(" {id}{pad} "), Role::Dim),
    ];
    let used = canvas.line(line, &lead);
    let age = [piece(format!(" {:>4} ", card.age), Role::Dim)];
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
    canvas.line(rest, &card.told(usize::from(state)));
}

/// Columns of a row, of those that title and state share, that say who and what: enough for `tests 40s of ~75s` where
/// there is room for a title as well.
fn state_room(room: u16) -> u16 {
    (room * 9 / 20).max(STATE.min(room * 11 / 20))
}
