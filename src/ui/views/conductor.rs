//! The conductor: the agent one talks to, in its terminal. While none is at work a person conducts: what waits to be released
//! or was set aside, to be walked through and acted on in place.

use ratatui::layout::Rect;

use super::task_card::TaskCard;
use super::terminal::TerminalView;
use super::{ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove, buttons, first_row, stepped};
use crate::domain::{TaskId, TaskState};
use crate::read_model::ColumnKind;
use crate::ui::action::Action;
use crate::ui::canvas::{Canvas, StyledText, piece, row_of};
use crate::ui::target::{matches_task, selected, sort_tasks};
use crate::ui::text::{clean, cut, width, wrap};
use crate::ui::theme::StyleRole;

/// The view of the conductor's terminal, or of what waits to be released while there is none.
pub(super) struct ConductorView;

/// What one does here.
const OFFERS: [(Action, &str); 5] = [
    (Action::NewTask, "new task"),
    (Action::Release, "release"),
    (Action::EditTask, "edit"),
    (Action::RaisePriority, "more urgent"),
    (Action::Retry, "take up again"),
];
const YOU: &str =
    "No agent conducts, so you do: write small tasks and release them; the pipeline takes them from there.";

impl View for ConductorView {
    fn description(&self) -> &'static str {
        "The agent that plans with you, once one is at work. Until then: tasks that wait to be released, and those set aside."
    }

    fn title(&self, look: &ViewContext<'_>) -> Vec<StyledText> {
        if is_there(look) {
            return TerminalView.title(look);
        }
        vec![
            piece("Conductor", StyleRole::Title),
            piece("  you", StyleRole::Dim),
        ]
    }

    fn match_count(&self, look: &ViewContext<'_>) -> Option<(usize, usize)> {
        (!is_there(look)).then(|| (shown(look).len(), planned(look).count()))
    }

    fn title_note(&self, look: &ViewContext<'_>) -> Option<StyledText> {
        TerminalView.title_note(look)
    }

    fn draw(&self, look: &ViewContext<'_>, area: Rect, canvas: &mut Canvas<'_>, hits: &mut ClickMap) {
        if is_there(look) {
            return TerminalView.draw(look, area, canvas, hits);
        }
        let room = Rect {
            x: area.x + 1,
            width: area.width.saturating_sub(2),
            ..area
        };
        let said = wrap(YOU, usize::from(room.width).max(8));
        let keys = buttons::lines(look, &OFFERS, usize::from(room.width));
        let rows = rows(look);
        // The list comes first where there is no room for all.
        let around = said.len() + keys.len() + 2;
        let is_roomy = usize::from(area.height) >= around + rows.len().clamp(1, 4);
        let mut y = 0;
        if is_roomy {
            for line in &said {
                canvas.line(row_of(room, y), &[piece(line, StyleRole::Dim)]);
                y += 1;
            }
            y += 1;
        }
        let height = usize::from(area.height).saturating_sub(if is_roomy { around } else { 0 });
        y += draw_rows(look, &rows, (area, y, height), canvas, hits);
        if is_roomy {
            buttons::draw(&keys, (room, y + 1), canvas, hits);
        }
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        if is_there(look) {
            return TerminalView.navigate(look, area, step);
        }
        let Some(by) = step.rows(area.height) else {
            return MoveOutcome::LeaveView;
        };
        let tasks = shown(look);
        let chosen = selected(look.state, look.scene);
        let at = tasks.iter().position(|id| Some(*id) == chosen.as_ref());
        let to = at.map_or(Some(0), |at| stepped(Some(at), by, tasks.len()));
        let to = to.and_then(|to| tasks.get(to));
        to.map_or(MoveOutcome::Nowhere, |id| MoveOutcome::Task((*id).clone()))
    }
}

fn is_there(look: &ViewContext<'_>) -> bool {
    let screen = look.pane.content.screen();
    screen.is_some_and(|id| look.scene.screens.has(id))
}

/// Tasks that nothing happens to until somebody decides, in the order of the board.
fn planned<'a>(look: &ViewContext<'a>) -> impl Iterator<Item = &'a TaskId> {
    let columns = look.scene.model.columns.iter();
    columns
        .filter(|column| column.kind == ColumnKind::Backlog)
        .flat_map(|column| &column.cards)
}

fn is_set_aside(look: &ViewContext<'_>, id: &TaskId) -> bool {
    let task = look.scene.model.tasks.get(id);
    task.is_some_and(|task| task.state != TaskState::Backlog)
}

/// Those that match what the list is filtered by; what waits to be released comes first.
fn shown<'a>(look: &ViewContext<'a>) -> Vec<&'a TaskId> {
    let sieve = look.sieve();
    let mut tasks: Vec<&TaskId> = planned(look)
        .filter(|id| matches_task(&sieve.needle, look.scene, id))
        .collect();
    sort_tasks(&sieve, look.scene, &mut tasks);
    tasks.sort_by_key(|id| is_set_aside(look, id));
    tasks
}

enum ConductorRow<'a> {
    Heading(&'static str, usize),
    Task(&'a TaskId),
    Nothing,
}

fn rows<'a>(look: &ViewContext<'a>) -> Vec<ConductorRow<'a>> {
    let tasks = shown(look);
    let (aside, open): (Vec<&TaskId>, Vec<&TaskId>) =
        tasks.into_iter().partition(|id| is_set_aside(look, id));
    let mut rows = Vec::new();
    for (title, part) in [("To release", open), ("Set aside", aside)] {
        if !part.is_empty() {
            rows.push(ConductorRow::Heading(title, part.len()));
            rows.extend(part.into_iter().map(ConductorRow::Task));
        }
    }
    if rows.is_empty() && look.pane.filter.is_empty() {
        rows.push(ConductorRow::Nothing);
    }
    rows
}

/// Draws as many rows as fit, the chosen one among them; answers how many.
fn draw_rows(
    look: &ViewContext<'_>,
    rows: &[ConductorRow<'_>],
    (area, top, height): (Rect, usize, usize),
    canvas: &mut Canvas<'_>,
    hits: &mut ClickMap,
) -> usize {
    let chosen = selected(look.state, look.scene);
    let is_chosen =
        |row: &ConductorRow<'_>| matches!(row, ConductorRow::Task(id) if Some(*id) == chosen.as_ref());
    let marked = rows.iter().position(is_chosen);
    let first = first_row(marked.unwrap_or(0), height, rows.len());
    for (at, row) in rows.iter().skip(first).take(height).enumerate() {
        let line = row_of(area, top + at);
        match row {
            ConductorRow::Heading(title, many) => {
                let pieces = [
                    piece(format!(" {title} "), StyleRole::Strong),
                    piece(many.to_string(), StyleRole::Dim),
                ];
                canvas.line(line, &pieces);
            }
            ConductorRow::Nothing => {
                canvas.line(line, &[piece(" Nothing waits to be released.", StyleRole::Text)]);
            }
            ConductorRow::Task(id) => {
                draw_task(look, id, line, canvas);
                if marked == Some(first + at) {
                    canvas.apply_role(line, look.chosen());
                }
                hits.push((line, ClickTarget::Task(look.id, (*id).clone())));
            }
        }
    }
    rows.len().saturating_sub(first).min(height)
}

/// Mark, id, title; why it was set aside; since when.
fn draw_task(look: &ViewContext<'_>, id: &TaskId, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = TaskCard::for_task(id, look.scene) else {
        return;
    };
    let right = canvas.right(line, &[piece(format!(" {:>4} ", card.age), StyleRole::Dim)]);
    let mut room = Rect {
        width: line.width.saturating_sub(right),
        ..line
    };
    let lead = [
        look.mark_of(id),
        card.glyph(),
        piece(format!(" {id} "), StyleRole::Dim),
    ];
    let used = canvas.line(room, &lead);
    room = Rect {
        x: room.x + used,
        width: room.width - used,
        ..room
    };
    let why = if is_set_aside(look, id) {
        Some(card.full_status())
    } else {
        (!card.unresolved.is_empty()).then(|| card.dependencies(card.unresolved.len()))
    };
    let title = card.title().text;
    let mut pieces = vec![piece(&title, StyleRole::Text)];
    if let Some(why) = why {
        // A long title leaves room for the reason.
        let most =
            usize::from(room.width).saturating_sub((width(&why.text) + 2).min(usize::from(room.width / 2)));
        let title = cut(&clean(&title), most, canvas.theme.ellipsis());
        pieces = vec![piece(title, StyleRole::Text), piece("  ", StyleRole::Text), why];
    }
    canvas.line(room, &pieces);
}
