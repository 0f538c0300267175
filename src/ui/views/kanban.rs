//! The board as columns by stage, for wide panes. Called by the board; not a view of its own.

use std::borrow::Cow;
use std::ops::Range;

use super::list::stepped;
use super::task_card::TaskCard;
use super::{ClickTarget, MoveOutcome, ViewContext, ViewMove};
use crate::display::text::{cut, width};
use crate::domain::{TaskId, WaitReason};
use crate::keymap::Direction;
use crate::read_model::{Column, ColumnKind};
use crate::ui::canvas::prelude::*;
use crate::ui::status::DisplayStatus;
use crate::ui::target::{selected, sort_tasks, task_filter};

/// Minimum columns of a column of cards, its line included.
const LEAST: u16 = 22;
/// Indent of every line of a card but the first.
const INDENT: &str = "   ";

/// Returns the columns with the cards that match the filter of the board.
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
    let shown = visible(ctx, columns, area.width);
    let seen = columns.get(shown.clone()).unwrap_or_default();
    let places = places(ctx, seen, area);
    for (nth, (column, place)) in seen.iter().zip(places).enumerate() {
        if nth > 0 {
            canvas.vertical_line(place.x.saturating_sub(1), area);
        }
        draw_column(ctx, column, chosen.as_ref(), place, canvas);
        let hidden = match nth {
            0 if shown.start > 0 => shown.start,
            nth if nth + 1 == shown.len() => columns.len() - shown.end,
            _ => 0,
        };
        draw_hidden_count(hidden, pieces_width(&heading(ctx, column)), place, canvas);
    }
}

/// Returns the minimum columns of a column, the line beside it included: one without cards is only its heading.
fn least(ctx: &ViewContext<'_>, column: &Column) -> u16 {
    if column.cards.is_empty() {
        cells(pieces_width(&heading(ctx, column)) + 2).min(LEAST)
    } else {
        LEAST
    }
}

/// Returns the columns that are shown: all, or as many as have room, the one with the selected task and the next one among them.
fn visible(ctx: &ViewContext<'_>, columns: &[Column], room: u16) -> Range<usize> {
    let chosen = selected(ctx.state, ctx.scene);
    let at = position(columns, chosen.as_ref()).map_or(0, |(column, _)| column);
    let room = usize::from(room) + 1;
    let need: Vec<usize> = columns
        .iter()
        .map(|column| usize::from(least(ctx, column)))
        .collect();
    let sum = |range: Range<usize>| need.get(range).unwrap_or_default().iter().sum::<usize>();
    let next = columns.len().min(at + 2);
    let start = (0..=at).find(|start| sum(*start..next) <= room).unwrap_or(at);
    let end = (start + 1..=columns.len())
        .rev()
        .find(|end| sum(start..*end) <= room);
    start..end.unwrap_or(start + 1).min(columns.len())
}

/// Returns the places of columns side by side, with one line between two of them. Those with cards share the room that is left.
fn places(ctx: &ViewContext<'_>, columns: &[Column], area: Rect) -> Vec<Rect> {
    let full = columns.iter().filter(|column| !column.cards.is_empty()).count();
    let shares = |column: &&Column| full == 0 || !column.cards.is_empty();
    let used: u16 = columns.iter().map(|column| least(ctx, column)).sum();
    let sharing = columns.iter().filter(shares).count();
    let left = usize::from((area.width + 1).saturating_sub(used));
    let (mut x, mut nth) = (area.x, 0);
    let place = |column: &Column| {
        let mut width = least(ctx, column);
        if shares(&column) {
            // Rounded so that they add up to the whole.
            width += cells(left * (nth + 1) / sharing - left * nth / sharing);
            nth += 1;
        }
        let place = Rect {
            x,
            width: width.saturating_sub(1),
            ..area
        };
        x += width;
        place
    };
    columns.iter().map(place).collect()
}

/// Draws the number of columns that are hidden on that side beside a heading of that width.
fn draw_hidden_count(hidden: usize, heading: usize, area: Rect, canvas: &mut Canvas<'_>) {
    let more = piece(format!(" +{hidden} "), StyleRole::Key);
    if hidden > 0 && heading + width(&more.text) <= usize::from(area.width) {
        canvas.right(row_of(area, 0), &[more]);
    }
}

fn draw_column(
    ctx: &ViewContext<'_>,
    column: &Column,
    chosen: Option<&TaskId>,
    area: Rect,
    canvas: &mut Canvas<'_>,
) {
    canvas.line(row_of(area, 0), &heading(ctx, column));
    let card = |id: &TaskId| {
        let card = TaskCard::for_task(id, ctx.scene)?;
        Some((lines(ctx, &card, usize::from(area.width)), card.age))
    };
    let room = usize::from(area.height).saturating_sub(2);
    let marked = column.cards.iter().position(|id| Some(id) == chosen);
    let heights = |at: usize| {
        column
            .cards
            .get(at)
            .and_then(card)
            .map_or(0, |(lines, _)| lines.len())
    };
    let mut y = 1;
    let first = first_card(heights, marked, room);
    for (at, id) in column.cards.iter().enumerate().skip(first) {
        let Some((card, age)) = card(id) else { continue };
        // Below a card there must be a row for the number of further ones.
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
            let row = row_of(place, at);
            if at + 1 == card.len() {
                canvas.both_ends(row, pieces, &[dim(format!("{age} "))]);
            } else {
                canvas.line(row, pieces);
            }
        }
        if Some(id) == chosen {
            canvas.apply_role(place, ctx.chosen());
        }
        canvas.hits.push((place, ClickTarget::Task(ctx.id, id.clone())));
        y += card.len();
    }
}

/// Returns the title, the number of cards, and the number at work of the allowed ones, where the stage has a limit of its own.
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

/// Returns the first card to draw so that the marked one is in view. Measures no more cards than fit.
fn first_card(height: impl Fn(usize) -> usize, marked: Option<usize>, room: usize) -> usize {
    let Some(marked) = marked else { return 0 };
    let mut used = 0;
    for at in (0..=marked).rev() {
        used += height(at);
        if used > room {
            return (at + 1).min(marked);
        }
    }
    0
}

/// Returns the lines of a card: id and title, and below them the agent and its activity or the tasks it waits for. A state that the
/// column's heading shows already is left out, and so is its line. The time is at the end of the last line.
fn lines(ctx: &ViewContext<'_>, card: &TaskCard<'_>, room: usize) -> Vec<Vec<StyledText>> {
    let more = ctx.scene.theme.ellipsis();
    let mut lead = vec![
        ctx.mark_of(&card.task.id),
        card.glyph(),
        dim(format!(" {} ", card.task.id)),
    ];
    let beside = width(&card.age) + 2;
    let state = state(card, room.saturating_sub(width(INDENT) + beside), more);
    let title = card.title();
    let taken = pieces_width(&lead) + if state.is_empty() { beside } else { 0 };
    lead.push(piece(
        cut(&title.text, room.saturating_sub(taken), more),
        title.role,
    ));
    if state.is_empty() {
        return vec![lead];
    }
    let indent = std::iter::once(plain(INDENT));
    vec![lead, indent.chain(state).collect()]
}

/// Returns the agent and its activity, or the tasks it waits for; of an agent at work the last line it printed. Empty if the heading
/// shows it.
fn state(card: &TaskCard<'_>, room: usize, more: &str) -> Vec<StyledText> {
    match (card.marker.mark, &card.last) {
        _ if card.marker.word.is_empty() => Vec::new(),
        (DisplayStatus::Done | DisplayStatus::Backlog, _) => Vec::new(),
        // The sign shows that it waits for its turn; every other card of a long column would show the same.
        (DisplayStatus::Queued, _) if waits_for_its_turn(card.task.why_not.as_ref()) => Vec::new(),
        (DisplayStatus::Running, Some(last)) => {
            let name = card.name(room / 2).unwrap_or_default();
            vec![dim(cut(&format!("{name} {last}"), room, more))]
        }
        _ => {
            let mut pieces = card.summary(room);
            let before: usize = pieces.iter().rev().skip(1).map(|piece| width(&piece.text)).sum();
            if let Some(last) = pieces.last_mut() {
                last.text = cut(&last.text, room.saturating_sub(before), more);
            }
            pieces
        }
    }
}

/// Returns true if nothing but a place for its agent is missing.
fn waits_for_its_turn(why: Option<&WaitReason>) -> bool {
    matches!(
        why,
        None | Some(WaitReason::NoRoom { .. } | WaitReason::BatchFull { .. } | WaitReason::TurnLimit)
    )
}

/// Returns the rows that the fullest column needs, up to a maximum.
pub(super) fn height(ctx: &ViewContext<'_>, columns: &[Column], area: Rect, most: u16) -> u16 {
    let room = usize::from(area.width);
    let of = |column: &Column| {
        let mut rows = 1;
        for id in &column.cards {
            if rows >= usize::from(most) {
                break;
            }
            rows += TaskCard::for_task(id, ctx.scene).map_or(0, |card| lines(ctx, &card, room).len());
        }
        rows
    };
    let rows = columns.iter().map(of).max().unwrap_or(0);
    u16::try_from(rows).unwrap_or(most).min(most)
}

/// Returns the column and row of a task.
fn position(columns: &[Column], task: Option<&TaskId>) -> Option<(usize, usize)> {
    let task = task?;
    columns.iter().enumerate().find_map(|(column, cards)| {
        let row = cards.cards.iter().position(|id| id == task)?;
        Some((column, row))
    })
}

pub(super) fn step(ctx: &ViewContext<'_>, area: Rect, movement: ViewMove) -> MoveOutcome {
    let columns = &*columns(ctx);
    let chosen = selected(ctx.state, ctx.scene);
    let Some((column, row)) = position(columns, chosen.as_ref()) else {
        let first = columns.iter().find_map(|column| column.cards.first());
        return first.map_or(MoveOutcome::Nowhere, |id| MoveOutcome::Task(id.clone()));
    };
    let to = match movement {
        ViewMove::One(side @ (Direction::Left | Direction::Right)) => match beside(columns, column, side) {
            Some(cards) => cards.get(row.min(cards.len().saturating_sub(1))),
            None => return MoveOutcome::LeaveView,
        },
        // A search goes through the columns.
        ViewMove::One(Direction::Up | Direction::Down) if !ctx.filter().needle.is_empty() => {
            let cards: Vec<&TaskId> = columns.iter().flat_map(|column| &column.cards).collect();
            let at = cards.iter().position(|id| Some(*id) == chosen.as_ref());
            let to = stepped(at, movement.rows(1).unwrap_or(0), cards.len());
            to.and_then(|to| cards.get(to)).copied()
        }
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

/// Returns the next column on that side that holds cards.
fn beside(columns: &[Column], at: usize, side: Direction) -> Option<&[TaskId]> {
    let holds = |column: &&Column| !column.cards.is_empty();
    let found = match side {
        Direction::Left => columns.iter().take(at).rev().find(holds),
        Direction::Right => columns.iter().skip(at + 1).find(holds),
        Direction::Up | Direction::Down => None,
    };
    found.map(|column| column.cards.as_slice())
}
