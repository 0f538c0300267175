//! Wraps lines of another width again when they are read. Must not change the kept lines.
//!
//! Lines that were one line of text before they were wrapped form a group; a group of the present width is shown as it is, any other is
//! joined and cut at the present width. A text of more than [`MAX_JOINED`] lines is cut into several groups, so that reading one row never
//! costs more than that many lines.

use std::ops::Range;

use super::line::PackedLine;
use crate::cell::{Cell, CellWidth};

/// Maximum number of lines of one group.
const MAX_JOINED: usize = 32;

/// The lines of a history, and the width at which they are read.
pub(super) trait KeptLines {
    /// Returns the number of lines.
    fn kept(&self) -> usize;
    /// Returns the width at which the lines are read.
    fn cols(&self) -> u16;
    /// Returns a line, counted from the oldest.
    fn line(&self, at: usize) -> PackedLine<'_>;
    /// Returns all lines, oldest first.
    fn lines(&self) -> impl Iterator<Item = PackedLine<'_>>;
}

/// First line and row of lines that were one line of text before they were wrapped.
struct LogicalLine {
    line: u32,
    row: u32,
}

/// Places of the lines of a history when they are wrapped at the present width.
pub(super) struct RewrapLayout {
    groups: Vec<LogicalLine>,
    lines: usize,
    rows: usize,
}

/// Content of a row of a rewrapped history: a whole line or part of a logical line.
pub(super) enum RowSource {
    Line(usize),
    Part {
        lines: Range<usize>,
        /// Cells counted from the first cell of the first line.
        cells: Range<usize>,
    },
}

impl RewrapLayout {
    pub(super) fn of(history: &impl KeptLines) -> Self {
        let mut layout = Self {
            groups: Vec::new(),
            lines: 0,
            rows: 0,
        };
        let mut first = 0;
        for (at, line) in history.lines().enumerate() {
            if !line.wraps() || at + 1 - first >= MAX_JOINED || at + 1 == history.kept() {
                layout.push(history, first..at + 1);
                first = at + 1;
            }
        }
        layout
    }

    fn push(&mut self, history: &impl KeptLines, lines: Range<usize>) {
        self.groups.push(LogicalLine {
            line: u32::try_from(lines.start).unwrap_or(u32::MAX),
            row: u32::try_from(self.rows).unwrap_or(u32::MAX),
        });
        self.lines = lines.end;
        self.rows += if is_native(history, &lines) {
            lines.len()
        } else {
            rows(history, &lines)
        };
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the memory that the layout takes, in bytes.
    pub(super) fn size(&self) -> usize {
        self.groups.capacity() * size_of::<LogicalLine>()
    }

    pub(super) fn place(&self, history: &impl KeptLines, at: usize) -> RowSource {
        let next = self.groups.partition_point(|group| group.row as usize <= at);
        let group = next.checked_sub(1).and_then(|at| self.groups.get(at));
        let Some(group) = group.filter(|_| at < self.rows) else {
            return RowSource::Line(usize::MAX);
        };
        let end = self
            .groups
            .get(next)
            .map_or(self.lines, |next| next.line as usize);
        let lines = group.line as usize..end;
        let row = at - group.row as usize;
        if is_native(history, &lines) {
            return RowSource::Line(lines.start + row);
        }
        let cells = cut(history, &lines, row);
        RowSource::Part { lines, cells }
    }
}

/// Returns true if a row of these lines is followed by another.
pub(super) fn goes_on(history: &impl KeptLines, lines: Range<usize>, cells: &Range<usize>) -> bool {
    cells.end < len(history, &lines) || lines.last().is_some_and(|last| history.line(last).wraps())
}

/// Appends cells of the joined lines.
pub(super) fn read(
    history: &impl KeptLines,
    lines: Range<usize>,
    part: &Range<usize>,
    cells: &mut Vec<Cell>,
) {
    let mut begin = 0;
    let mut own = Vec::new();
    for line in lines.map(|line| history.line(line)) {
        let end = begin + line.len();
        if begin < part.end && part.start < end {
            own.clear();
            line.append_to(&mut own);
            own.resize(line.len(), Cell::default());
            let from = part.start.saturating_sub(begin);
            let to = part.end.min(end) - begin;
            cells.extend(own.drain(from..to));
        }
        begin = end;
    }
}

/// Returns the line and column of a cell of the joined lines.
pub(super) fn origin(history: &impl KeptLines, lines: Range<usize>, cell: usize) -> Option<(usize, usize)> {
    let mut begin = 0;
    for line in lines {
        let end = begin + history.line(line).len();
        if cell < end {
            return Some((line, cell - begin));
        }
        begin = end;
    }
    None
}

/// Returns true if one of the lines that begin in a row has a prompt.
pub(super) fn has_prompt(history: &impl KeptLines, lines: Range<usize>, cells: &Range<usize>) -> bool {
    let is_last = cells.end == len(history, &lines);
    let mut begin = 0;
    for line in lines.map(|line| history.line(line)) {
        if line.is_prompt() && cells.start <= begin && (begin < cells.end || is_last) {
            return true;
        }
        begin += line.len();
    }
    false
}

/// Returns true if all these lines have the present width.
fn is_native(history: &impl KeptLines, lines: &Range<usize>) -> bool {
    lines
        .clone()
        .all(|line| history.line(line).cols == history.cols())
}

/// Returns the number of cells of the joined lines.
fn len(history: &impl KeptLines, lines: &Range<usize>) -> usize {
    lines.clone().map(|line| history.line(line).len()).sum()
}

/// Returns the number of rows that the joined lines take.
fn rows(history: &impl KeptLines, lines: &Range<usize>) -> usize {
    if has_wide(history, lines) {
        starts(history, lines).len()
    } else {
        len(history, lines)
            .div_ceil(usize::from(history.cols()).max(1))
            .max(1)
    }
}

/// Returns the cells of one of those rows.
fn cut(history: &impl KeptLines, lines: &Range<usize>, row: usize) -> Range<usize> {
    let total = len(history, lines);
    if has_wide(history, lines) {
        let starts = starts(history, lines);
        let at = |row: usize| starts.get(row).copied().unwrap_or(total);
        at(row)..at(row + 1)
    } else {
        let cols = usize::from(history.cols());
        (row * cols).min(total)..((row + 1) * cols).min(total)
    }
}

fn has_wide(history: &impl KeptLines, lines: &Range<usize>) -> bool {
    lines.clone().any(|line| history.line(line).is_wide())
}

/// Returns the first cell of each row when no wide cell may be torn apart.
fn starts(history: &impl KeptLines, lines: &Range<usize>) -> Vec<usize> {
    let cols = usize::from(history.cols());
    let mut cells = Vec::new();
    read(history, lines.clone(), &(0..usize::MAX), &mut cells);
    let mut starts = vec![0];
    let mut col = 0;
    for (at, cell) in cells.iter().enumerate() {
        let width = match cell.width {
            CellWidth::Narrow => 1,
            CellWidth::Wide => 2,
            CellWidth::Continuation => 0,
        };
        if col + width > cols {
            starts.push(at);
            col = 0;
        }
        col += width;
    }
    starts
}
