//! The form of one line: five bytes of facts, its text, runs of styles if there are any, hyperlinks if there are any. Must
//! read anything without panic.
//!
//! The text is UTF-8, one cell after the other. A cell of more than one character, or of a control character, has [`CLUSTER`] and its
//! length before it; a cell of two columns has [`WIDE`] before that. Blank cells at the end are not kept.

use compact_str::CompactString;

use super::style::{self, take_byte};
use crate::cell::{Cell, CellStyle, CellWidth};

/// Bytes before the text.
pub(super) const HEADER_LEN: usize = 5;
/// Marks in the text.
pub(super) const WIDE: u8 = 1;
pub(super) const CLUSTER: u8 = 2;

bitflags::bitflags! {
    /// Flags of a packed line that are known without reading it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(super) struct LineFlags: u8 {
        /// Line that continues in the next one.
        const WRAPS = 1;
        /// Line whose last cell is empty only because a wide character did not fit.
        const SPACER = 1 << 1;
        /// Line with a cell that is not one byte.
        const OTHER = 1 << 2;
        /// Line with cells of two columns.
        const WIDE = 1 << 3;
        /// Line with runs of styles.
        const STYLED = 1 << 4;
        /// Line with hyperlinks.
        const LINKED = 1 << 5;
        /// Line on which a shell began a prompt.
        const PROMPT = 1 << 6;
    }
}

/// A line of a packed history, read in place.
#[derive(Clone, Copy, Default)]
pub(super) struct PackedLine<'a> {
    pub(super) flags: LineFlags,
    /// Columns of the screen that the line was on.
    pub(super) cols: u16,
    /// Number of cells up to the last that is not blank.
    pub(super) used: u16,
    text: &'a [u8],
}

impl<'a> PackedLine<'a> {
    /// Reads a line of [`super::LineWriter`]; anything else is a blank line.
    pub(super) fn read(bytes: &'a [u8]) -> Self {
        let Some(([facts, cols @ .., low, high], text)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Self::default();
        };
        Self {
            flags: LineFlags::from_bits_retain(*facts),
            cols: u16::from_le_bytes(*cols),
            used: u16::from_le_bytes([*low, *high]),
            text,
        }
    }

    pub(super) fn wraps(&self) -> bool {
        self.flags.contains(LineFlags::WRAPS)
    }

    pub(super) fn is_prompt(&self) -> bool {
        self.flags.contains(LineFlags::PROMPT)
    }

    pub(super) fn is_wide(&self) -> bool {
        self.flags.contains(LineFlags::WIDE)
    }

    /// Returns the number of cells that the line adds to a text that is wrapped again: all of them if it continues, without a cell that
    /// only filled it up.
    pub(super) fn len(&self) -> usize {
        if self.wraps() {
            usize::from(self.cols) - usize::from(self.flags.contains(LineFlags::SPACER) && self.cols > 0)
        } else {
            usize::from(self.used)
        }
    }

    /// Appends the cells of the line, blank ones at the end left out.
    pub(super) fn append_to(&self, cells: &mut Vec<Cell>) {
        let first = cells.len();
        let mut rest = self.text;
        if self.flags.contains(LineFlags::OTHER) {
            self.append_text(&mut rest, cells);
        } else {
            let (text, after) = rest
                .split_at_checked(usize::from(self.used))
                .unwrap_or((rest, &[]));
            cells.extend(text.iter().map(|byte| narrow(char::from(*byte))));
            rest = after;
        }
        cells.resize(first + usize::from(self.used), Cell::default());
        if self.flags.contains(LineFlags::STYLED) {
            let mut unstyled = cells.get_mut(first..).unwrap_or_default();
            while let Some((len, style)) = take_run(&mut rest, unstyled.len()) {
                let (run, after) = std::mem::take(&mut unstyled)
                    .split_at_mut_checked(len)
                    .unwrap_or_default();
                for cell in run {
                    cell.style = style;
                }
                unstyled = after;
            }
        }
    }

    /// Reads text in which not every cell is one byte.
    fn append_text(&self, rest: &mut &[u8], cells: &mut Vec<Cell>) {
        let end = cells.len() + usize::from(self.used);
        while cells.len() < end {
            let Some((text, is_wide)) = take_cell(rest) else {
                return;
            };
            cells.push(Cell {
                text: CompactString::new(text),
                style: CellStyle::default(),
                width: if is_wide {
                    CellWidth::Wide
                } else {
                    CellWidth::Narrow
                },
            });
            if is_wide {
                cells.push(Cell::continuation(CellStyle::default()));
            }
        }
    }

    /// Returns the hyperlink on a cell.
    pub(super) fn hyperlink(&self, col: usize) -> Option<&'a str> {
        if !self.flags.contains(LineFlags::LINKED) {
            return None;
        }
        let mut rest = self.text;
        let used = usize::from(self.used);
        let mut cells = 0;
        while cells < used {
            if self.flags.contains(LineFlags::OTHER) {
                cells += 1 + usize::from(take_cell(&mut rest)?.1);
            } else {
                take_byte(&mut rest)?;
                cells += 1;
            }
        }
        let mut styled = if self.flags.contains(LineFlags::STYLED) {
            used
        } else {
            0
        };
        while let Some((len, _)) = take_run(&mut rest, styled) {
            styled -= len;
        }
        loop {
            let (from, len) = (take_number(&mut rest)?, take_number(&mut rest)?);
            let bytes = take_number(&mut rest)?;
            let (target, after) = rest.split_at_checked(bytes)?;
            rest = after;
            if (from..from + len).contains(&col) {
                return std::str::from_utf8(target).ok();
            }
        }
    }
}

fn narrow(c: char) -> Cell {
    let mut buffer = [0; 4];
    Cell {
        text: CompactString::new(c.encode_utf8(&mut buffer)),
        ..Cell::default()
    }
}

/// Takes the text of the next cell; true if the cell has two columns.
fn take_cell<'a>(rest: &mut &'a [u8]) -> Option<(&'a str, bool)> {
    let is_wide = rest.first() == Some(&WIDE);
    if is_wide {
        take_byte(rest)?;
    }
    let len = match *rest.first()? {
        CLUSTER => {
            take_byte(rest)?;
            take_number(rest)?
        }
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
    };
    let (text, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some((std::str::from_utf8(text).ok()?, is_wide))
}

/// Takes the next run of cells of one style; `None` if all `unstyled` cells have theirs.
fn take_run(rest: &mut &[u8], unstyled: usize) -> Option<(usize, CellStyle)> {
    if unstyled == 0 {
        return None;
    }
    let len = take_number(rest)?;
    Some((len.min(unstyled), style::take(rest)?))
}

/// Reads a number written by [`put_number`].
fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0;
    for place in 0..3 {
        let byte = take_byte(rest)?;
        number |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(number)
}

/// Appends a number below 2,097,152: seven bits a byte, the low ones first.
pub(super) fn put_number(mut number: usize, bytes: &mut Vec<u8>) {
    for _ in 0..2 {
        if number < 0x80 {
            break;
        }
        bytes.push(low_bits(number) | 0x80);
        number >>= 7;
    }
    bytes.push(low_bits(number));
}

fn low_bits(number: usize) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}
