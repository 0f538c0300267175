//! Lists on screen: rows one below the other, the marked one in view and highlighted, each of them clickable. A view provides its rows and
//! draws one of them; their places are decided here, alike for all views.

use std::ops::Range;

use super::{ClickTarget, MoveOutcome, ViewContext, ViewMove};
use crate::ui::canvas::prelude::*;

/// The rows of a list and where they are drawn.
pub(crate) struct List<'a, T> {
    area: Rect,
    rows: &'a [T],
    row_height: u16,
    first: usize,
    marked: Range<usize>,
    highlight: StyleRole,
}

impl<'a, T> List<'a, T> {
    /// Creates a list with rows of `row_height` lines, in which at most one row is marked.
    pub(crate) fn new(
        area: Rect,
        row_height: u16,
        rows: &'a [T],
        marked: Option<usize>,
        highlight: StyleRole,
    ) -> List<'a, T> {
        let fit = usize::from(area.height / row_height.max(1)).max(1);
        List {
            first: first_row(marked.unwrap_or(0), fit, rows.len()),
            marked: marked.map_or(0..0, |at| at..at + 1),
            row_height,
            area,
            rows,
            highlight,
        }
    }

    /// Creates a list with rows of one line that begins with that row; several rows can be marked.
    pub(crate) fn starting_at(
        area: Rect,
        rows: &'a [T],
        first: usize,
        marked: Range<usize>,
        highlight: StyleRole,
    ) -> List<'a, T> {
        List {
            row_height: 1,
            first,
            marked,
            area,
            rows,
            highlight,
        }
    }

    /// Draws as many rows as have room, with their click targets, and returns their number. A heading has no click target.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        mut draw_row: impl FnMut(&T, Rect, &mut Canvas<'_>) -> Option<ClickTarget>,
    ) -> usize {
        let mut drawn = 0;
        for (at, row, place) in self.visible() {
            let target = draw_row(row, place, canvas);
            if self.marked.contains(&at) {
                canvas.apply_role(place, self.highlight);
            }
            canvas.hits.extend(target.map(|target| (place, target)));
            drawn += 1;
        }
        drawn
    }

    /// Returns the rows that have room, each with its index and its place. One that is higher than the area is cut.
    pub(crate) fn visible(&self) -> impl Iterator<Item = (usize, &'a T, Rect)> {
        let (area, height) = (self.area, self.row_height.clamp(1, self.area.height.max(1)));
        let many = usize::from(area.height / height);
        let shown = self.rows.iter().enumerate().skip(self.first).take(many);
        shown.enumerate().map(move |(nth, (at, row))| {
            let top = row_of(area, nth * usize::from(height));
            (at, row, Rect { height, ..top })
        })
    }
}

/// A row of a list: one that can be marked, or a line of text between such rows.
pub(super) enum ListRow<T> {
    Text(Vec<StyledText>),
    Item(T),
}

impl<T> ListRow<T> {
    /// Returns the item that can be marked; `None` for a line of text.
    pub(super) fn item(&self) -> Option<&T> {
        match self {
            ListRow::Text(_) => None,
            ListRow::Item(item) => Some(item),
        }
    }
}

impl ViewContext<'_> {
    /// Draws as many rows of one line as have room, the marked one among them, with their click targets; returns their number.
    pub(super) fn draw_rows<T>(
        &self,
        area: Rect,
        rows: &[ListRow<T>],
        is_marked: impl Fn(&T) -> bool,
        canvas: &mut Canvas<'_>,
        mut draw_item: impl FnMut(&T, Rect, &mut Canvas<'_>) -> ClickTarget,
    ) -> usize {
        let marked = rows.iter().position(|row| row.item().is_some_and(&is_marked));
        let list = self.list(area, 1, rows, marked);
        list.draw(canvas, |row, line, canvas| match row {
            ListRow::Text(pieces) => {
                canvas.line(line, pieces);
                None
            }
            ListRow::Item(item) => Some(draw_item(item, line, canvas)),
        })
    }
}

/// Returns the first row to draw so that the marked one is in view, as near to the middle as the ends allow.
pub(crate) fn first_row(marked: usize, height: usize, length: usize) -> usize {
    marked
        .saturating_sub(height / 2)
        .min(length.saturating_sub(height))
}

/// Returns the index after a movement in a list of that length; from no row the first step leads to the first.
pub(super) fn stepped(at: Option<usize>, rows: i32, length: usize) -> Option<usize> {
    let last = length.checked_sub(1)?;
    let by = isize::try_from(rows).unwrap_or(0);
    let to = match at {
        Some(at) => at.saturating_add_signed(by),
        None => 0_usize.saturating_add_signed(by.saturating_sub(1)),
    };
    Some(to.min(last))
}

impl ViewMove {
    /// Returns the outcome of a movement in a list of which `page` rows fit into a page; `to` names the row it leads to.
    pub(super) fn in_list<T>(
        self,
        page: u16,
        rows: &[T],
        at: Option<usize>,
        to: impl FnOnce(&T) -> MoveOutcome,
    ) -> MoveOutcome {
        let Some(by) = self.rows(page) else {
            return MoveOutcome::LeaveView;
        };
        let row = stepped(at, by, rows.len()).and_then(|at| rows.get(at));
        row.map_or(MoveOutcome::Nowhere, to)
    }
}

impl MoveOutcome {
    /// Leads to the row with that number, at the beginning of its text.
    pub(super) fn to_row(mark: usize) -> MoveOutcome {
        let mark = u64::try_from(mark).unwrap_or(0);
        MoveOutcome::Marked { mark, scroll: 0 }
    }
}
