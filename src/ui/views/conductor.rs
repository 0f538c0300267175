//! The conductor: the agent one talks to, in its terminal. While none is at work a person conducts: what waits to be released
//! or was set aside, to be walked through and acted on in place.

use ratatui::layout::Rect;

use super::card::Card;
use super::terminal::TerminalView;
use super::{Hit, Hits, Look, Moved, Step, View, first_row, offers, stepped};
use crate::domain::{TaskId, TaskState};
use crate::read_model::ColumnKind;
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, Piece, piece, row_of};
use crate::ui::target::{fits, in_order, selected};
use crate::ui::text::{clean, cut, width, wrap};
use crate::ui::theme::Role;

/// The conductor.
pub(super) struct ConductorView;

/// What one does here.
const OFFERS: [(Action, &str); 5] = [
    (Action::NewTask, "new task"),
    (Action::Release, "release"),
    (Action::EditTask, "edit"),
    (Action::MoreUrgent, "more urgent"),
    (Action::Retry, "take up again"),
];
const YOU: &str =
    "No agent conducts, so you do: write small tasks and release them; the pipeline takes them from there.";

impl View for ConductorView {
    fn about(&self) -> &'static str {
        "The agent that plans with you, once one is at work. Until then: tasks that wait to be released, and those set aside."
    }

    fn title(&self, look: &Look<'_>) -> Vec<Piece> {
        if is_there(look) {
            return TerminalView.title(look);
        }
        vec![piece("Conductor", Role::Title), piece("  you", Role::Dim)]
    }

    fn found(&self, look: &Look<'_>) -> Option<(usize, usize)> {
        (!is_there(look)).then(|| (shown(look).len(), planned(look).count()))
    }

    fn note(&self, look: &Look<'_>) -> Option<Piece> {
        TerminalView.note(look)
    }

    fn draw(&self, look: &Look<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut Hits) {
        if is_there(look) {
            return TerminalView.draw(look, area, canvas, hits);
        }
        let room = Rect {
            x: area.x + 1,
            width: area.width.saturating_sub(2),
            ..area
        };
        let said = wrap(YOU, usize::from(room.width).max(8));
        let keys = offers::lines(look, &OFFERS, usize::from(room.width));
        let rows = rows(look);
        // The list comes first where there is no room for all.
        let around = said.len() + keys.len() + 2;
        let is_roomy = usize::from(area.height) >= around + rows.len().clamp(1, 4);
        let mut y = 0;
        if is_roomy {
            for line in &said {
                canvas.line(row_of(room, y), &[piece(line, Role::Dim)]);
                y += 1;
            }
            y += 1;
        }
        let height = usize::from(area.height).saturating_sub(if is_roomy { around } else { 0 });
        y += draw_rows(look, &rows, (area, y, height), canvas, hits);
        if is_roomy {
            offers::draw(&keys, (room, y + 1), canvas, hits);
        }
    }

    fn step(&self, look: &Look<'_>, area: Rect, step: Step) -> Moved {
        if is_there(look) {
            return TerminalView.step(look, area, step);
        }
        let Some(by) = step.rows(area.height) else {
            return Moved::Out;
        };
        let tasks = shown(look);
        let chosen = selected(look.state, look.scene);
        let at = tasks.iter().position(|id| Some(*id) == chosen.as_ref());
        let to = at.map_or(Some(0), |at| stepped(Some(at), by, tasks.len()));
        let to = to.and_then(|to| tasks.get(to));
        to.map_or(Moved::Nowhere, |id| Moved::Task((*id).clone()))
    }
}

fn is_there(look: &Look<'_>) -> bool {
    let screen = look.pane.content.screen();
    screen.is_some_and(|id| look.scene.screens.has(id))
}

/// Tasks that nothing happens to until somebody decides, in the order of the board.
fn planned<'a>(look: &Look<'a>) -> impl Iterator<Item = &'a TaskId> {
    let columns = look.scene.model.columns.iter();
    columns
        .filter(|column| column.kind == ColumnKind::Backlog)
        .flat_map(|column| &column.cards)
}

fn is_set_aside(look: &Look<'_>, id: &TaskId) -> bool {
    let task = look.scene.model.tasks.get(id);
    task.is_some_and(|task| task.state != TaskState::Backlog)
}

/// Those that match what the list is filtered by; what waits to be released comes first.
fn shown<'a>(look: &Look<'a>) -> Vec<&'a TaskId> {
    let sieve = look.sieve();
    let mut tasks: Vec<&TaskId> = planned(look)
        .filter(|id| fits(&sieve.needle, look.scene, id))
        .collect();
    in_order(&sieve, look.scene, &mut tasks);
    tasks.sort_by_key(|id| is_set_aside(look, id));
    tasks
}

enum Row<'a> {
    Heading(&'static str, usize),
    Task(&'a TaskId),
    Nothing,
}

fn rows<'a>(look: &Look<'a>) -> Vec<Row<'a>> {
    let tasks = shown(look);
    let (aside, open): (Vec<&TaskId>, Vec<&TaskId>) =
        tasks.into_iter().partition(|id| is_set_aside(look, id));
    let mut rows = Vec::new();
    for (title, part) in [("To release", open), ("Set aside", aside)] {
        if !part.is_empty() {
            rows.push(Row::Heading(title, part.len()));
            rows.extend(part.into_iter().map(Row::Task));
        }
    }
    if rows.is_empty() && look.pane.filter.is_empty() {
        rows.push(Row::Nothing);
    }
    rows
}

/// Draws as many rows as fit, the chosen one among them; answers how many.
fn draw_rows(
    look: &Look<'_>,
    rows: &[Row<'_>],
    (area, top, height): (Rect, usize, usize),
    canvas: &mut Canvas<'_>,
    hits: &mut Hits,
) -> usize {
    let chosen = selected(look.state, look.scene);
    let is_chosen = |row: &Row<'_>| matches!(row, Row::Task(id) if Some(*id) == chosen.as_ref());
    let marked = rows.iter().position(is_chosen);
    let first = first_row(marked.unwrap_or(0), height, rows.len());
    for (at, row) in rows.iter().skip(first).take(height).enumerate() {
        let line = row_of(area, top + at);
        match row {
            Row::Heading(title, many) => {
                let pieces = [
                    piece(format!(" {title} "), Role::Strong),
                    piece(many.to_string(), Role::Dim),
                ];
                canvas.line(line, &pieces);
            }
            Row::Nothing => {
                canvas.line(line, &[piece(" Nothing waits to be released.", Role::Text)]);
            }
            Row::Task(id) => {
                draw_task(look, id, line, canvas);
                if marked == Some(first + at) {
                    canvas.tint(line, look.chosen());
                }
                hits.push((line, Hit::Task(look.id, (*id).clone())));
            }
        }
    }
    rows.len().saturating_sub(first).min(height)
}

/// Mark, id, title; why it was set aside; since when.
fn draw_task(look: &Look<'_>, id: &TaskId, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = Card::of(id, look.scene) else {
        return;
    };
    let right = canvas.right(line, &[piece(format!(" {:>4} ", card.age), Role::Dim)]);
    let mut room = Rect {
        width: line.width.saturating_sub(right),
        ..line
    };
    let lead = [
        look.mark_of(id),
        card.glyph(),
        piece(format!(" {id} "), Role::Dim),
    ];
    let used = canvas.line(room, &lead);
    room = Rect {
        x: room.x + used,
        width: room.width - used,
        ..room
    };
    let why = if is_set_aside(look, id) {
        Some(card.whole())
    } else {
        (!card.unresolved.is_empty()).then(|| card.waiting(card.unresolved.len()))
    };
    let title = card.title().text;
    let mut pieces = vec![piece(&title, Role::Text)];
    if let Some(why) = why {
        // A long title leaves room for the reason.
        let most =
            usize::from(room.width).saturating_sub((width(&why.text) + 2).min(usize::from(room.width / 2)));
        let title = cut(&clean(&title), most, canvas.theme.more());
        pieces = vec![piece(title, Role::Text), piece("  ", Role::Text), why];
    }
    canvas.line(room, &pieces);
}
