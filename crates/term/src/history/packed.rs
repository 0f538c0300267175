//! The packed history: lines in blocks, oldest first. Must not grow beyond its limits.

use std::cell::OnceCell;
use std::collections::VecDeque;

use super::block::LineBlock;
use super::line::{LineFlags, PackedLine};
use super::line_writer::{LineBuffers, LineWriter};
use super::rewrap::{self, KeptLines, RewrapLayout, RowSource};
use crate::cell::Cell;

/// Bytes of memory for each line that may be kept.
const BYTES_PER_LINE: usize = 960;
/// Minimum limit, in bytes, so that a history of a few lines can keep one of any kind.
const MIN_BYTES: usize = 256 * 1024;

/// Lines above the screen in a small form.
pub struct PackedHistory {
    blocks: VecDeque<LineBlock>,
    /// Number of the first line of each block, counted from the first line ever.
    firsts: VecDeque<usize>,
    /// Number of the oldest line that is kept, and of the next one.
    oldest: usize,
    next: usize,
    /// Memory of the blocks that get no further line.
    sealed: usize,
    most_bytes: usize,
    cols: u16,
    other_width_lines: usize,
    /// The rows of lines of another width, computed on first use.
    layout: OnceCell<RewrapLayout>,
    buffers: LineBuffers,
    spare: Option<LineBlock>,
}

impl PackedHistory {
    /// Creates a history without lines for a screen of that width, with memory for `most_lines` of them.
    pub fn new(cols: u16, most_lines: usize) -> Self {
        Self {
            blocks: VecDeque::new(),
            firsts: VecDeque::new(),
            oldest: 0,
            next: 0,
            sealed: 0,
            most_bytes: most_lines.saturating_mul(BYTES_PER_LINE).max(MIN_BYTES),
            cols,
            other_width_lines: 0,
            layout: OnceCell::new(),
            buffers: LineBuffers::default(),
            spare: None,
        }
    }

    /// Adds a line of `cols` columns below all others: `write` writes its cells, blank ones at the end may be left out, and returns true if
    /// it could; else nothing is added. `wraps`: the line continues in the next one.
    pub fn add(&mut self, cols: u16, wraps: bool, write: impl FnOnce(&mut LineWriter<'_>) -> bool) -> bool {
        if self.blocks.back().is_none_or(LineBlock::is_full) {
            self.begin_block();
        }
        let Some(block) = self.blocks.back_mut() else {
            return false;
        };
        let mut line = LineWriter::new(block.begin(), &mut self.buffers, cols);
        if !write(&mut line) {
            return false;
        }
        line.finish(wraps);
        block.commit();
        self.next += 1;
        self.other_width_lines += usize::from(cols != self.cols);
        self.layout.take();
        self.keep_bytes();
        true
    }

    /// Adds a line of cells; no half of a wide one may be missing.
    pub fn add_cells(&mut self, cells: &[Cell], wraps: bool, mut link: impl FnMut(u16) -> Option<String>) {
        let blank = Cell::default();
        let mut used = cells;
        while let Some((last, before)) = used.split_last() {
            let col = u16::try_from(before.len()).unwrap_or(u16::MAX);
            if *last != blank || link(col).is_some() {
                break;
            }
            used = before;
        }
        let cols = u16::try_from(cells.len()).unwrap_or(u16::MAX);
        self.add(cols, wraps, |line| {
            for (col, cell) in (0u16..).zip(used) {
                line.link(link(col));
                line.cells(std::slice::from_ref(cell));
            }
            true
        });
    }

    /// Marks the newest line as one on which a shell began a prompt.
    pub fn mark_prompt(&mut self) {
        let newest = self.blocks.back_mut().and_then(LineBlock::newest_mut);
        if let Some(flags) = newest.and_then(<[u8]>::first_mut) {
            *flags |= LineFlags::PROMPT.bits();
        }
    }

    /// Forgets the oldest lines until at most this many are left, however many rows they take now.
    pub fn truncate(&mut self, lines: usize) {
        while self.kept() > lines {
            self.drop_oldest();
        }
    }

    /// Returns the number of rows that the lines take at the present width.
    pub fn rows(&self) -> usize {
        if self.other_width_lines == 0 {
            self.kept()
        } else {
            self.layout().rows()
        }
    }

    /// Returns true if the newest line continues below.
    pub fn is_open(&self) -> bool {
        self.kept() > 0 && self.line(self.kept() - 1).wraps()
    }

    /// Sets the width at which lines are read from now on.
    pub fn set_cols(&mut self, cols: u16) {
        if self.cols != cols {
            self.cols = cols;
            self.other_width_lines = self.lines().filter(|line| line.cols != cols).count();
            self.layout.take();
        }
    }

    /// Returns the memory that is taken, in bytes.
    pub fn size(&self) -> usize {
        let tables =
            (self.blocks.capacity() * size_of::<LineBlock>()) + self.firsts.capacity() * size_of::<usize>();
        let spare = self.spare.as_ref().map_or(0, LineBlock::size);
        let layout = self.layout.get().map_or(0, RewrapLayout::size);
        self.sealed + self.blocks.back().map_or(0, LineBlock::size) + spare + tables + layout
    }

    /// Copies a row, counted from the oldest at the present width, exactly as many cells as there are columns.
    pub fn row(&self, at: usize, cells: &mut Vec<Cell>) {
        cells.clear();
        match self.place(at) {
            RowSource::Line(line) if line < self.kept() => self.line(line).append_to(cells),
            RowSource::Line(_) => {}
            RowSource::Part { lines, cells: part } => rewrap::read(self, lines, &part, cells),
        }
        cells.resize(usize::from(self.cols), Cell::default());
    }

    /// Returns true if a row continues in the next one.
    pub fn wraps(&self, at: usize) -> bool {
        match self.place(at) {
            RowSource::Line(line) => line < self.kept() && self.line(line).wraps(),
            RowSource::Part { lines, cells } => rewrap::goes_on(self, lines, &cells),
        }
    }

    /// Returns true if a shell began a prompt on a row.
    pub fn is_prompt(&self, at: usize) -> bool {
        match self.place(at) {
            RowSource::Line(line) => line < self.kept() && self.line(line).is_prompt(),
            RowSource::Part { lines, cells } => rewrap::has_prompt(self, lines, &cells),
        }
    }

    /// Returns the hyperlink on a cell of a row.
    pub fn hyperlink(&self, at: usize, col: u16) -> Option<String> {
        let col = usize::from(col);
        let (line, col) = match self.place(at) {
            RowSource::Line(line) => (line, col),
            RowSource::Part { lines, cells } if col < cells.len() => {
                rewrap::origin(self, lines, cells.start + col)?
            }
            RowSource::Part { .. } => return None,
        };
        let found = (line < self.kept()).then(|| self.line(line))?.hyperlink(col)?;
        Some(found.to_owned())
    }

    fn place(&self, at: usize) -> RowSource {
        if self.other_width_lines == 0 {
            RowSource::Line(at)
        } else {
            self.layout().place(self, at)
        }
    }

    fn layout(&self) -> &RewrapLayout {
        self.layout.get_or_init(|| RewrapLayout::of(self))
    }

    fn begin_block(&mut self) {
        if let Some(full) = self.blocks.back_mut() {
            full.seal();
            self.sealed += full.size();
        }
        self.blocks.push_back(self.spare.take().unwrap_or_default());
        self.firsts.push_back(self.next);
    }

    fn keep_bytes(&mut self) {
        while self.sealed > self.most_bytes && self.blocks.len() > 1 {
            self.drop_oldest();
        }
    }

    /// Forgets the oldest line, and its block when it was the last there.
    fn drop_oldest(&mut self) {
        if self.other_width_lines > 0 && self.kept() > 0 {
            self.other_width_lines -= usize::from(self.line(0).cols != self.cols);
        }
        self.layout.take();
        self.oldest += 1;
        let is_empty = match (self.firsts.front(), self.blocks.front()) {
            (Some(first), Some(block)) => self.oldest - first >= block.lines(),
            _ => false,
        };
        if is_empty && self.blocks.len() > 1 {
            self.firsts.pop_front();
            if let Some(block) = self.blocks.pop_front() {
                self.sealed -= block.size();
                self.spare = Some(block.emptied());
            }
        }
    }
}

impl KeptLines for PackedHistory {
    fn kept(&self) -> usize {
        self.next - self.oldest
    }

    fn cols(&self) -> u16 {
        self.cols
    }

    fn line(&self, at: usize) -> PackedLine<'_> {
        let number = self.oldest + at;
        let block = self
            .firsts
            .partition_point(|first| *first <= number)
            .saturating_sub(1);
        let first = self.firsts.get(block).copied().unwrap_or_default();
        let bytes = self.blocks.get(block).map(|block| block.line(number - first));
        PackedLine::read(bytes.unwrap_or_default())
    }

    fn lines(&self) -> impl Iterator<Item = PackedLine<'_>> {
        let mut gone = self.oldest - self.firsts.front().copied().unwrap_or(self.oldest);
        self.blocks.iter().flat_map(move |block| {
            let from = std::mem::take(&mut gone);
            (from..block.lines()).map(|at| PackedLine::read(block.line(at)))
        })
    }
}
