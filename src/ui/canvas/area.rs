//! Parts of an area of the screen. None of them is ever larger than the area it is a part of.

use ratatui::layout::Rect;

/// Width from which text is shown in two columns.
const BESIDE: u16 = 110;

/// Returns a number of rows or columns as a length on the screen, or the maximum if it is too long for any screen.
pub(crate) fn cells(many: usize) -> u16 {
    u16::try_from(many).unwrap_or(u16::MAX)
}

/// Returns a row of an area; empty when there is no such row.
pub(crate) fn row_of(area: Rect, row: usize) -> Rect {
    let at = cells(row).min(area.height);
    Rect {
        y: area.y.saturating_add(at),
        height: u16::from(at < area.height),
        ..area
    }
}

/// The last row of an area.
pub(crate) fn last_row(area: Rect) -> Rect {
    row_of(area, usize::from(area.height).saturating_sub(1))
}

/// Returns the first columns of an area, at most `columns`.
pub(crate) fn left_part(area: Rect, columns: u16) -> Rect {
    let width = columns.min(area.width);
    Rect { width, ..area }
}

/// The first rows of an area, at most `rows`.
pub(crate) fn top_part(area: Rect, rows: u16) -> Rect {
    let height = rows.min(area.height);
    Rect { height, ..area }
}

/// An area without its first columns.
pub(crate) fn skip_left(area: Rect, columns: u16) -> Rect {
    let skipped = columns.min(area.width);
    Rect {
        x: area.x + skipped,
        width: area.width - skipped,
        ..area
    }
}

/// An area without its last columns.
pub(crate) fn skip_right(area: Rect, columns: u16) -> Rect {
    left_part(area, area.width.saturating_sub(columns))
}

/// An area without its first rows.
pub(crate) fn skip_top(area: Rect, rows: u16) -> Rect {
    let skipped = rows.min(area.height);
    Rect {
        y: area.y + skipped,
        height: area.height - skipped,
        ..area
    }
}

/// Returns an area without `columns` columns at either side.
pub(crate) fn inset(area: Rect, columns: u16) -> Rect {
    skip_right(skip_left(area, columns), columns)
}

/// Returns a single column for text, or two side by side where lines would become too long to read.
pub(crate) fn columns_of(area: Rect) -> Vec<Rect> {
    if area.width < BESIDE {
        return vec![inset(area, 1)];
    }
    let left = area.width / 2;
    vec![
        inset(left_part(area, left), 1),
        inset(skip_left(area, left + 1), 1),
    ]
}

/// The area of that size in the middle of another one.
pub(crate) fn centered_rect(area: Rect, size: (u16, u16)) -> Rect {
    let (width, height) = (size.0.min(area.width), size.1.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
