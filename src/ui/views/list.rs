//! Lists on screen: rows one below the other, the marked one in view and highlighted, each of them to be clicked.
//! A view says what its rows are and draws one of them; where they stand is decided here, alike for all views.

use std::ops::Range;

use ratatui::layout::Rect;

use super::{ClickMap, ClickTarget, MoveOutcome, ViewMove};
use crate::ui::canvas::{Canvas, row_of};
use crate::ui::theme::StyleRole;

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
    /// A list with rows of so many lines, in which at most one row is marked.
    pub(crate) fn new(
        (area, row_height): (Rect, u16),
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

    /// A list with rows of one line that begins with that row; what is marked may be several rows.
    pub(crate) fn starting_at(
        area: Rect,
        (rows, first): (&'a [T], usize),
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

    /// Draws as many rows as have room, with what a click on each does, and answers how many. A heading has no click.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas<'_>,
        hits: &mut ClickMap,
        mut draw_row: impl FnMut(&T, Rect, &mut Canvas<'_>) -> Option<ClickTarget>,
    ) -> usize {
        let places = self.places();
        let shown = self.rows.iter().enumerate().skip(self.first).zip(&places);
        for ((at, row), place) in shown {
            let target = draw_row(row, *place, canvas);
            if self.marked.contains(&at) {
                canvas.apply_role(*place, self.highlight);
            }
            hits.extend(target.map(|target| (*place, target)));
        }
        self.rows.len().saturating_sub(self.first).min(places.len())
    }

    /// Where rows have room. One that is higher than the area is cut.
    fn places(&self) -> Vec<Rect> {
        let height = self.row_height.clamp(1, self.area.height.max(1));
        let many = usize::from(self.area.height / height);
        let place = |nth: usize| Rect {
            height,
            ..row_of(self.area, nth * usize::from(height))
        };
        (0..many).map(place).collect()
    }
}

/// The first row to draw so that the marked one is in view, as near to the middle as the ends allow.
pub(crate) fn first_row(marked: usize, height: usize, length: usize) -> usize {
    marked
        .saturating_sub(height / 2)
        .min(length.saturating_sub(height))
}

/// The index that a movement leads to in a list of that length.
pub(super) fn stepped(at: Option<usize>, rows: i32, length: usize) -> Option<usize> {
    let last = length.checked_sub(1)?;
    let by = isize::try_from(rows).unwrap_or(0);
    Some(at.unwrap_or(0).saturating_add_signed(by).min(last))
}

impl ViewMove {
    /// Where a movement leads in a list of which so many rows fit into a page; `to` names the row it comes to.
    pub(super) fn in_list<T>(
        self,
        page: u16,
        (rows, at): (&[T], Option<usize>),
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
    /// To the row with that number, at the beginning of what belongs to it.
    pub(super) fn to_row(mark: usize) -> MoveOutcome {
        let mark = u64::try_from(mark).unwrap_or(0);
        MoveOutcome::Marked { mark, scroll: 0 }
    }
}
