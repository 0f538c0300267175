//! Rows of the emulator as lines of the packed history. Must be fast for most rows: ASCII in few styles.

use rio_vt::crosswords::grid::row::Row;
use rio_vt::crosswords::square::{Square, Wide};

use super::{RioEmulator, base};
use crate::cell::{Cell, CellStyle, blank_torn_halves};
use crate::history::{LineWriter, PackedHistory};

/// Squares looked at together: of several styles, and of none.
const STYLED_CHUNK: usize = 8;
const PLAIN_CHUNK: usize = 32;
/// Bits of a square: a character of ASCII, any character, and the flag of a row that goes on.
const ASCII: u64 = 0x7f;
const CHARACTER: u64 = (1 << 21) - 1;
const WRAPS: u64 = 1 << 23;
/// Bits that are set for half of a wide character, and for more than one character.
const WIDE: u64 = 0b11 << 21;
const EXTRAS: u64 = 0xffff << 48;
/// From here on up: whether the square has a character at all, and its style.
const STYLE: u32 = 30;

/// Adds a row to a history.
pub(super) fn pack(rio: &RioEmulator, row: &Row<Square>, to: &mut PackedHistory) {
    let wraps = row.inner.last().is_some_and(|square| square.wrapline());
    let cols = u16::try_from(row.inner.len()).unwrap_or(u16::MAX);
    let squares = written(&row.inner);
    if to.add(cols, wraps, |writer| simple(rio, squares, cols, writer)) {
        return;
    }
    let mut cells: Vec<Cell> = row.inner.iter().map(|square| rio.cell(*square)).collect();
    blank_torn_halves(&mut cells);
    to.add_cells(&cells, wraps, |col| rio.link(*row.inner.get(usize::from(col))?));
}

/// Returns the squares up to the last that is not blank.
fn written(squares: &[Square]) -> &[Square] {
    let mut rest = squares;
    while let Some((before, last)) = rest.split_last_chunk::<PLAIN_CHUNK>() {
        if last.iter().fold(0, |all, square| all | square.raw()) != 0 {
            break;
        }
        rest = before;
    }
    let is_blank = |square: &Square| matches!(square.raw() & !WRAPS, 0 | 0x20);
    let end = rest.iter().rposition(|square| !is_blank(square));
    rest.get(..end.map_or(0, |last| last + 1)).unwrap_or_default()
}

/// Writes squares unless one has a hyperlink or is half of a wide character; returns true if it could.
fn simple(rio: &RioEmulator, squares: &[Square], cols: u16, writer: &mut LineWriter<'_>) -> bool {
    let mut pen = Pen::default();
    for (at, part) in (0usize..).step_by(PLAIN_CHUNK).zip(squares.chunks(PLAIN_CHUNK)) {
        if !pen.is_open && is_plain(part) {
            pen.plain(writer);
            writer.printable(part.iter().map(|square| low_byte(*square).max(b' ')));
            continue;
        }
        for (at, part) in (at..).step_by(STYLED_CHUNK).zip(part.chunks(STYLED_CHUNK)) {
            if !pen.is_open
                && let Some(text) = uniform(part)
            {
                pen.turn(rio, part.first(), writer);
                writer.printable(text.into_iter());
                continue;
            }
            for (at, square) in (at..).zip(part) {
                let is_last = at + 1 == usize::from(cols);
                if !pen.square(rio, *square, is_last, writer) {
                    return false;
                }
            }
        }
    }
    !pen.is_open
}

/// State between one square and the next.
#[derive(Default)]
struct Pen {
    /// Key of the style: styles with equal keys are equal.
    key: u64,
    /// Set when the last square was the first half of a wide character.
    is_open: bool,
}

impl Pen {
    /// Writes any square; returns true if it could.
    fn square(
        &mut self,
        rio: &RioEmulator,
        square: Square,
        is_last: bool,
        writer: &mut LineWriter<'_>,
    ) -> bool {
        let wide = square.wide();
        if self.is_open != (wide == Wide::Spacer) || square.has_hyperlink() {
            return false;
        }
        self.turn(rio, Some(&square), writer);
        match wide {
            Wide::LeadingSpacer if is_last => writer.spacer(),
            Wide::LeadingSpacer => writer.narrow(' '),
            Wide::Wide if is_last => return false,
            Wide::Wide => writer.wide(&rio.text(square)),
            Wide::Spacer => writer.continuation(),
            Wide::Narrow if square.extras_id_checked().is_none() => writer.narrow(base(square)),
            Wide::Narrow => writer.cluster(&rio.text(square)),
        }
        self.is_open = wide == Wide::Wide;
        true
    }

    /// Changes the style to the default one.
    fn plain(&mut self, writer: &mut LineWriter<'_>) {
        if std::mem::take(&mut self.key) != 0 {
            writer.style(&CellStyle::default());
        }
    }

    /// Changes the style if the square has another.
    fn turn(&mut self, rio: &RioEmulator, square: Option<&Square>, writer: &mut LineWriter<'_>) {
        let Some(square) = square else { return };
        let is_unwritten = square.raw() & CHARACTER == 0;
        let style = square.raw() >> STYLE;
        // The default style is the same for squares that were never written.
        let key = style << 1 | u64::from(is_unwritten && style != 0);
        if key == 0 {
            self.plain(writer);
        } else if key != self.key {
            self.key = key;
            writer.style(&rio.style(*square));
        }
    }
}

/// Returns true if all squares hold nothing but a character of ASCII in the default style.
fn is_plain(part: &[Square]) -> bool {
    part.iter().fold(0, |all, square| all | square.raw()) & !(ASCII | WRAPS) == 0
}

fn low_byte(square: Square) -> u8 {
    let [low, ..] = square.raw().to_le_bytes();
    low
}

/// Returns the text of squares of one style that hold nothing but a character of ASCII.
fn uniform(part: &[Square]) -> Option<[u8; STYLED_CHUNK]> {
    let part: &[Square; STYLED_CHUNK] = part.try_into().ok()?;
    let first = part.first()?.raw();
    let differs = part.iter().fold(0, |all, square| all | (square.raw() ^ first));
    if (differs | first & (WIDE | EXTRAS | CHARACTER)) & !(ASCII | WRAPS) != 0 {
        return None;
    }
    let text = part.map(low_byte);
    // A square that was never written looks like a space only if no pen colours it.
    let is_written = text.iter().all(|byte| *byte >= b' ');
    if is_written {
        Some(text)
    } else {
        (first >> STYLE == 0).then(|| text.map(|byte| byte.max(b' ')))
    }
}
