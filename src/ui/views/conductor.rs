//! The conductor: the agent one talks to, in its terminal. While none is at work a person conducts: what waits to be released
//! or was set aside, to be walked through and acted on in place.

use ratatui::layout::Rect;

use super::task_card::TaskCard;
use super::terminal::TerminalView;
use super::{ClickMap, ClickTarget, MoveOutcome, View, ViewContext, ViewMove, buttons};
use crate::domain::{TaskId, TaskState};
use crate::read_model::ColumnKind;
use crate::ui::action::Action;
use crate::ui::canvas::area::{inset, skip_left, skip_right, skip_top, top_part};
use crate::ui::canvas::{Canvas, StyledText, dim, piece, plain, strong};
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
const INTRODUCTION: &str =
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
        let room = inset(area, 1);
        let intro = wrap(INTRODUCTION, usize::from(room.width).max(8));
        let keys = buttons::lines(look, &OFFERS, usize::from(room.width));
        let rows = rows(look);
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
        let rows_of = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
        let list = top_part(skip_top(area, rows_of(y)), rows_of(height));
        y += draw_rows(look, &rows, list, canvas, hits);
        if is_roomy {
            buttons::draw(&keys, (room, y + 1), canvas, hits);
        }
    }

    fn navigate(&self, look: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
        if is_there(look) {
            return TerminalView.navigate(look, area, step);
        }
        let tasks = shown(look);
        let chosen = selected(look.state, look.scene);
        let at = tasks.iter().position(|id| Some(*id) == chosen.as_ref());
        let task = |id: &&TaskId| MoveOutcome::Task((*id).clone());
        match (at, step.rows(area.height)) {
            (None, Some(_)) => tasks.first().map_or(MoveOutcome::Nowhere, task),
            _ => step.in_list(area.height, (&tasks, at), task),
        }
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
    area: Rect,
    canvas: &mut Canvas<'_>,
    hits: &mut ClickMap,
) -> usize {
    let chosen = selected(look.state, look.scene);
    let is_chosen =
        |row: &ConductorRow<'_>| matches!(row, ConductorRow::Task(id) if Some(*id) == chosen.as_ref());
    let marked = rows.iter().position(is_chosen);
    look.list((area, 1), rows, marked)
        .draw(canvas, hits, |row, line, canvas| {
            match row {
                ConductorRow::Heading(title, many) => {
                    canvas.line(line, &[strong(format!(" {title} ")), dim(many.to_string())]);
                }
                ConductorRow::Nothing => {
                    canvas.line(line, &[plain(" Nothing waits to be released.")]);
                }
                ConductorRow::Task(id) => {
                    draw_task(look, id, line, canvas);
                    return Some(ClickTarget::Task(look.id, (*id).clone()));
                }
            }
            None
        })
}

/// Mark, id, title; why it was set aside; since when.
fn draw_task(look: &ViewContext<'_>, id: &TaskId, line: Rect, canvas: &mut Canvas<'_>) {
    let Some(card) = TaskCard::for_task(id, look.scene) else {
        return;
    };
    let right = canvas.right(line, &[piece(format!(" {:>4} ", card.age), StyleRole::Dim)]);
    let room = skip_right(line, right);
    let lead = [
        look.mark_of(id),
        card.glyph(),
        piece(format!(" {id} "), StyleRole::Dim),
    ];
    let used = canvas.line(room, &lead);
    let room = skip_left(room, used);
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
