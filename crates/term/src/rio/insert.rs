//! Insert mode. The emulator has it, but moves cells one by one and so tears wide characters apart; must leave every half
//! with its other half.

use rio_vt::crosswords::grid::row::Row;
use rio_vt::crosswords::pos::{Column, Line};
use rio_vt::crosswords::square::{Square, Wide};

use super::RioEmulator;
use crate::emulator::{Emulator as _, WritePosition};

/// Writes one character; the cells from its place on move right, and off the end of the row.
pub(super) fn insert(rio: &mut RioEmulator, character: char) {
    let before = rio.write_position();
    let own = squares(rio, before.row);
    let next = squares(rio, before.row + 1);
    let mut buffer = [0; 4];
    rio.parser
        .advance(&mut rio.screen, character.encode_utf8(&mut buffer).as_bytes());
    let after = rio.write_position();
    if before == after {
        // The character was dropped, has joined the one before it, or was written in the last column once more.
        return;
    }
    let cols = rio.size.cols;
    let same_row =
        after.row == before.row && !before.pending_wrap && end(after, cols) > usize::from(before.col);
    let (old, start) = match same_row {
        true => (own, usize::from(before.col)),
        // In a row that scrolled in, nothing has to move.
        false if after.row == before.row => return,
        false => (next, 0),
    };
    let row = &mut rio.screen.grid[Line(i32::from(after.row))];
    shift(row, &old, start, end(after, cols));
}

/// Returns the column after the last that was written.
fn end(after: WritePosition, cols: u16) -> usize {
    usize::from(if after.pending_wrap { cols } else { after.col })
}

fn squares(rio: &RioEmulator, row: u16) -> Vec<Square> {
    rio.row(row, 0).map(|row| row.inner.clone()).unwrap_or_default()
}

/// Moves the cells at `start` to `end`.
fn shift(row: &mut Row<Square>, old: &[Square], start: usize, end: usize) {
    let cols = row.inner.len();
    let wraps = row.inner.last().is_some_and(|square| square.wrapline());
    let Some(mut moved) = old
        .get(start..(start + cols).saturating_sub(end))
        .map(<[Square]>::to_vec)
    else {
        return;
    };
    let blank = |square: Option<&mut Square>, half| {
        if let Some(square) = square.filter(|square| square.wide() == half) {
            *square = Square::default();
        }
    };
    blank(moved.first_mut(), Wide::Spacer);
    blank(moved.last_mut(), Wide::Wide);
    for (col, mut square) in (end..cols).zip(moved) {
        if square.wide() == Wide::LeadingSpacer {
            square.set_wide(Wide::Narrow);
        }
        square.set_wrapline(wraps && col + 1 == cols);
        row[Column(col)] = square;
    }
}
