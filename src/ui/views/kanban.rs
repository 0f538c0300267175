//! The board as columns by stage, for wide panes. Called by the board; not a view of its own.

use std::borrow::Cow;

use super::list::{first_row, stepped};
use super::task_card::TaskCard;
use super::{ClickTarget, MoveOutcome, ViewContext, ViewMove};
use crate::domain::TaskId;
use crate::read_model::{Column, ColumnKind};
use crate::ui::canvas::prelude::*;
use crate::ui::pane::Direction;
use crate::ui::status::DisplayStatus;
use crate::ui::target::{selected, sort_tasks, task_filter};
use crate::ui::text::{cut, width, wrap};

/// Columns a column of cards has at least, its line included.
const LEAST: u16 = 22;
/// Lines of a card that say what happens to it.
const STATE: usize = 2;
/// Before every line of a card but the first.
const INDENT: &str = "   ";

/// The columns with the cards that match what the board is filtered by.
pub(super) fn columns<'a>(ctx: &ViewContext<'a>) -> Cow<'a, [Column]> {
    let columns = ctx.scene.model.columns.as_slice();
    let filter = ctx.filter();
    if filter.is_default() {
        return Cow::Borrowed(columns);
    }
    let mut is_match = task_filter(&filter.needle, ctx.scene);
    let matching = columns.iter().map(|column| {
        let cards = column.cards.iter().filter(|id| is_match(id));
        let mut cards: Vec<TaskId> = cards.cloned().collect();
        sort_tasks(&filter, ctx.scene, &mut cards);
        Column {
            kind: column.kind.clone(),
            title: column.title.clone(),
            cards,
        }
    });
    Cow::Owned(matching.collect())
}

pub(super) fn draw(ctx: &ViewContext<'_>, columns: &[Column], area: Rect, canvas: &mut Canvas<'_>) {
    let chosen = selected(ctx.state, ctx.scene);
    let at = position(columns, chosen.as_ref()).map_or(0, |(column, _)| column);
    let shown = usize::from(area.width / LEAST).clamp(1, columns.len().max(1));
    let first = first_row(at, shown, columns.len());
    let shown = shown.min(columns.len());
    for (nth, column) in columns.iter().skip(first).take(shown).enumerate() {
        let place = slot(area, nth, shown);
        if nth > 0 {
            canvas.vertical_line(place.x.saturating_sub(1), area);
        }
        draw_column(ctx, column, chosen.as_ref(), (place, canvas));
        let hidden = match nth {
            0 if first > 0 => first,
            nth if nth + 1 == shown => columns.len() - first - shown,
            _ => 0,
        };
        draw_hidden_count(hidden, pieces_width(&heading(ctx, column)), place, canvas);
    }
}

/// Says beside a heading of that width how many columns lie on that side of it.
fn draw_hidden_count(hidden: usize, heading: usize, place: Rect, canvas: &mut Canvas<'_>) {
    let more = piece(format!(" +{hidden} "), StyleRole::Key);
    if hidden > 0 && heading + width(&more.text) <= usize::from(place.width) {
        canvas.right(row_of(place, 0), &[more]);
    }
}

/// The place of the nth of so many columns; between two of them is one line.
fn slot(area: Rect, nth: usize, of: usize) -> Rect {
    let edge = |nth: usize| {
        let x = (usize::from(area.width) + 1) * nth / of.max(1);
        area.x + u16::try_from(x).unwrap_or(area.width)
    };
    Rect {
        x: edge(nth),
        width: edge(nth + 1).saturating_sub(edge(nth) + 1),
        ..area
    }
}

fn draw_column(
    ctx: &ViewContext<'_>,
    column: &Column,
    chosen: Option<&TaskId>,
    (area, canvas): (Rect, &mut Canvas<'_>),
) {
    canvas.line(row_of(area, 0), &heading(ctx, column));
    let card = |id: &TaskId| {
        Some(lines(
            ctx,
            &TaskCard::for_task(id, ctx.scene)?,
            usize::from(area.width),
        ))
    };
    let room = usize::from(area.height).saturating_sub(3);
    let marked = column.cards.iter().position(|id| Some(id) == chosen);
    let heights = |at: usize| column.cards.get(at).and_then(card).map_or(0, |card| card.len());
    let mut y = 2;
    let first = first_card(heights, marked, room);
    for (at, id) in column.cards.iter().enumerate().skip(first) {
        let Some(card) = card(id) else { continue };
        // Below a card there must be a row to say that there are more.
        let last = column.cards.len() - at == 1;
        let height = usize::from(area.height) - usize::from(!last).min(usize::from(area.height));
        let place = Rect {
            y: area.y + u16::try_from(y).unwrap_or(area.height),
            height: u16::try_from(card.len()).unwrap_or(1),
            ..area
        };
        if y + card.len() > height {
            let left = format!(" {} {} more", canvas.theme.ellipsis(), column.cards.len() - at);
            canvas.line(last_row(area), &[dim(left)]);
            break;
        }
        for (at, pieces) in card.iter().enumerate() {
            canvas.line(row_of(place, at), pieces);
        }
        if Some(id) == chosen {
            canvas.apply_role(place, ctx.chosen());
        }
        canvas.hits.push((place, ClickTarget::Task(ctx.id, id.clone())));
        y += card.len() + 1;
    }
}

/// Title, how many, and how many of those allowed are at work, where the stage has a limit of its own.
pub(super) fn heading(ctx: &ViewContext<'_>, column: &Column) -> Vec<StyledText> {
    let mut heading = vec![
        strong(format!(" {} ", column.title)),
        dim(column.cards.len().to_string()),
    ];
    if let ColumnKind::Stage(workflow, stage) = &column.kind
        && let Some((open, most)) = ctx.scene.model.limit_of(workflow, stage)
    {
        let role = if usize::try_from(most).is_ok_and(|most| open >= most) {
            StyleRole::Retry
        } else {
            StyleRole::Dim
        };
        heading.push(piece(format!("  {open}/{most} at work"), role));
    }
    heading
}

/// The first card to draw so that the marked one is in view. Looks at no more cards than fit.
fn first_card(height: impl Fn(usize) -> usize, marked: Option<usize>, room: usize) -> usize {
    let Some(marked) = marked else { return 0 };
    let mut used = 0;
    for at in (0..=marked).rev() {
        used += height(at) + 1;
        if used > room + 1 {
            return (at + 1).min(marked);
        }
    }
    0
}

/// A card: id and title on one or two lines, who does what since when, what it waits for.
fn lines(ctx: &ViewContext<'_>, card: &TaskCard<'_>, room: usize) -> Vec<Vec<StyledText>> {
    let lead = vec![
        ctx.mark_of(&card.task.id),
        card.glyph(),
        dim(format!(" {} ", card.task.id)),
    ];
    let title = card.title();
    let indent = lead.iter().map(|piece| width(&piece.text)).sum::<usize>();
    let first = wrap(&title.text, room.saturating_sub(indent).max(6))
        .into_iter()
        .next();
    let mut lines = vec![lead];
    let first = first.unwrap_or_default();
    let rest = title.text.strip_prefix(&first).unwrap_or_default().trim_start();
    if let Some(line) = lines.first_mut() {
        line.push(piece(&first, title.role));
    }
    if !rest.is_empty() {
        lines.push(vec![piece(format!("{INDENT}{rest}"), title.role)]);
    }
    if let Some(who) = card.name(room.saturating_sub(width(INDENT))) {
        lines.push(vec![dim(format!("{INDENT}{who}"))]);
    }
    lines.extend(states(card, room, ctx.scene.theme.ellipsis()));
    if let Some(last) = card
        .last
        .as_ref()
        .filter(|_| card.marker.mark == DisplayStatus::Running)
    {
        lines.push(vec![dim(format!("{INDENT}{last}"))]);
    }
    lines
}

/// What happens to it or what it waits for, on as many lines as [`STATE`] allows, and for how long.
fn states(card: &TaskCard<'_>, room: usize, more: &str) -> Vec<Vec<StyledText>> {
    let wide = room.saturating_sub(width(INDENT)).max(6);
    let beside = width(&card.age) + 1;
    let word = word_of(card, wide, beside);
    let mut lines_of_state = wrap(&word.text, wide);
    if lines_of_state.len() > STATE {
        // The rest stands on the last line and is cut there, with a mark.
        let rest = lines_of_state.split_off(STATE - 1).join(" ");
        lines_of_state.push(rest);
    }
    let is_full = lines_of_state.len() == STATE;
    let with_age = |line: &str| width(line) + beside <= wide;
    if let Some(last) = lines_of_state
        .last_mut()
        .filter(|last| is_full && !with_age(last))
    {
        *last = cut(last, wide.saturating_sub(beside), more);
    }
    let age = dim(format!(" {}", card.age));
    let indent = || plain(INDENT);
    // The times of a check say how long.
    let alone = !is_full && card.check.is_none() && !lines_of_state.last().is_some_and(|last| with_age(last));
    let beside = lines_of_state.last().is_some_and(|last| with_age(last));
    let mut lines: Vec<Vec<StyledText>> = lines_of_state
        .into_iter()
        .map(|line| vec![indent(), piece(line, word.role)])
        .collect();
    match lines.last_mut() {
        Some(last) if beside => last.push(age),
        _ if alone => lines.push(vec![indent(), dim(&card.age)]),
        _ => {}
    }
    lines
}

/// What a card says of its state: all of what it waits for, or as much as there is room for with the time beside it.
fn word_of(card: &TaskCard<'_>, wide: usize, beside: usize) -> StyledText {
    let full = card.full_status();
    if !card.is_waiting() {
        return full;
    }
    let fits = |word: &StyledText| {
        let lines = wrap(&word.text, wide);
        lines.len() <= STATE && lines.last().is_some_and(|last| width(last) + beside <= wide)
    };
    let fewer = (1..=card.unresolved.len())
        .rev()
        .map(|many| card.dependencies(many));
    { fewer }.find(fits).unwrap_or(full)
}

/// Rows that the fullest column needs, at most so many.
pub(super) fn height(ctx: &ViewContext<'_>, columns: &[Column], (area, most): (Rect, u16)) -> u16 {
    let shown = usize::from(area.width / LEAST).clamp(1, columns.len().max(1));
    let room = usize::from(slot(area, 0, shown).width);
    let of = |column: &Column| {
        let mut rows = 1;
        for id in &column.cards {
            if rows >= usize::from(most) {
                break;
            }
            rows += TaskCard::for_task(id, ctx.scene).map_or(0, |card| lines(ctx, &card, room).len() + 1);
        }
        rows
    };
    let rows = columns.iter().map(of).max().unwrap_or(0);
    u16::try_from(rows).unwrap_or(most).min(most)
}

/// Column and row of a task.
fn position(columns: &[Column], task: Option<&TaskId>) -> Option<(usize, usize)> {
    let task = task?;
    columns.iter().enumerate().find_map(|(column, cards)| {
        let row = cards.cards.iter().position(|id| id == task)?;
        Some((column, row))
    })
}

pub(super) fn step(ctx: &ViewContext<'_>, area: Rect, step: ViewMove) -> MoveOutcome {
    let columns = &*columns(ctx);
    let chosen = selected(ctx.state, ctx.scene);
    let Some((column, row)) = position(columns, chosen.as_ref()) else {
        let first = columns.iter().find_map(|column| column.cards.first());
        return first.map_or(MoveOutcome::Nowhere, |id| MoveOutcome::Task(id.clone()));
    };
    let to = match step {
        ViewMove::One(side @ (Direction::Left | Direction::Right)) => match beside(columns, column, side) {
            Some(cards) => cards.get(row.min(cards.len().saturating_sub(1))),
            None => return MoveOutcome::LeaveView,
        },
        other => {
            let cards = columns
                .get(column)
                .map(|column| column.cards.as_slice())
                .unwrap_or_default();
            let rows = other.rows(area.height / 4).unwrap_or(0);
            stepped(Some(row), rows, cards.len()).and_then(|to| cards.get(to))
        }
    };
    to.map_or(MoveOutcome::Nowhere, |id| MoveOutcome::Task(id.clone()))
}

/// The next column on that side that holds cards.
fn beside(columns: &[Column], at: usize, side: Direction) -> Option<&[TaskId]> {
    let holds = |column: &&Column| !column.cards.is_empty();
    let found = match side {
        Direction::Left => columns.iter().take(at).rev().find(holds),
        Direction::Right => columns.iter().skip(at + 1).find(holds),
        Direction::Up | Direction::Down => None,
    };
    found.map(|column| column.cards.as_slice())
}
