//! Writer of a line. Must stay cheap: every line of every program passes through here.

use super::line::{CLUSTER, HEADER_LEN, LineFlags, WIDE, put_number};
use super::style::PackedStyle;
use crate::cell::{Cell, CellStyle, CellWidth};

/// Maximum number of bytes of hyperlinks on one line; links beyond are left out.
const MAX_LINK_BYTES: usize = 64 * 1024;

/// Reusable buffers for the styles and hyperlinks of a line that is being packed.
#[derive(Default)]
pub(super) struct LineBuffers {
    runs: Vec<u8>,
    links: Vec<u8>,
}

/// Writes one line of a packed history, cell by cell from the left.
pub struct LineWriter<'a> {
    bytes: &'a mut Vec<u8>,
    buffers: &'a mut LineBuffers,
    begin: usize,
    flags: LineFlags,
    cols: u16,
    used: usize,
    style: CellStyle,
    packed_style: PackedStyle,
    /// First cell of the present run of one style.
    run_from: usize,
    /// The hyperlink of the last cells, with the first of them.
    link: Option<(usize, String)>,
}

impl<'a> LineWriter<'a> {
    pub(super) fn new(bytes: &'a mut Vec<u8>, buffers: &'a mut LineBuffers, cols: u16) -> Self {
        let begin = bytes.len();
        bytes.extend_from_slice(&[0; HEADER_LEN]);
        buffers.runs.clear();
        buffers.links.clear();
        Self {
            bytes,
            buffers,
            begin,
            flags: LineFlags::default(),
            cols,
            used: 0,
            style: CellStyle::default(),
            packed_style: PackedStyle::default(),
            run_from: 0,
            link: None,
        }
    }

    /// Sets the style of the cells that follow.
    pub fn style(&mut self, style: &CellStyle) {
        if self.style != *style {
            self.end_run();
            self.style = *style;
            self.packed_style = PackedStyle::of(style);
        }
    }

    /// Writes cells of one printable ASCII character each.
    pub fn printable(&mut self, text: impl ExactSizeIterator<Item = u8>) {
        self.used += text.len();
        self.bytes.extend(text);
    }

    /// Writes a cell of one character in one column.
    pub fn narrow(&mut self, c: char) {
        if let Ok(byte @ 0x20..0x7f) = u8::try_from(c) {
            self.bytes.push(byte);
        } else {
            let mut buffer = [0; 4];
            self.text(c.encode_utf8(&mut buffer));
        }
        self.used += 1;
    }

    /// Writes a cell of any text in one column.
    pub fn cluster(&mut self, text: &str) {
        self.text(text);
        self.used += 1;
    }

    /// Writes a cell of any text in two columns; [`LineWriter::continuation`] must follow.
    pub fn wide(&mut self, text: &str) {
        self.flags.insert(LineFlags::WIDE);
        self.flags.insert(LineFlags::OTHER);
        self.bytes.push(WIDE);
        self.text(text);
        self.used += 1;
    }

    /// Writes the second column of a wide cell.
    pub fn continuation(&mut self) {
        self.used += 1;
    }

    /// Writes the last column, empty because a wide character did not fit.
    pub fn spacer(&mut self) {
        self.flags.insert(LineFlags::SPACER);
        self.narrow(' ');
    }

    /// Sets the hyperlink of the cells that follow.
    pub fn link(&mut self, target: Option<String>) {
        if self.link.as_ref().map(|(_, old)| old) != target.as_ref() {
            self.end_link();
            self.link = target.map(|target| (self.used, target));
        }
    }

    /// Writes any cells; no half of a wide one may be missing.
    pub fn cells(&mut self, cells: &[Cell]) {
        for cell in cells {
            self.style(&cell.style);
            match cell.width {
                CellWidth::Narrow => self.cluster(&cell.text),
                CellWidth::Wide => self.wide(&cell.text),
                CellWidth::Continuation => self.continuation(),
            }
        }
    }

    fn text(&mut self, text: &str) {
        if let [byte @ 0x20..0x7f] = text.as_bytes() {
            self.bytes.push(*byte);
            return;
        }
        self.flags.insert(LineFlags::OTHER);
        let mut chars = text.chars();
        let is_one = chars.next().is_some_and(|c| c >= ' ') && chars.next().is_none();
        if !is_one {
            self.bytes.push(CLUSTER);
            put_number(text.len(), self.bytes);
        }
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn end_run(&mut self) {
        let len = self.used - self.run_from;
        if len > 0 {
            put_number(len, &mut self.buffers.runs);
            self.buffers.runs.extend_from_slice(self.packed_style.bytes());
        }
        self.run_from = self.used;
    }

    fn end_link(&mut self) {
        let Some((from, target)) = self.link.take() else {
            return;
        };
        if self.used > from && self.buffers.links.len() + target.len() <= MAX_LINK_BYTES {
            let links = &mut self.buffers.links;
            put_number(from, links);
            put_number(self.used - from, links);
            put_number(target.len(), links);
            links.extend_from_slice(target.as_bytes());
        }
    }

    /// Completes the line.
    pub(super) fn finish(mut self, wraps: bool) {
        self.end_link();
        let is_linked = !self.buffers.links.is_empty();
        let is_plain = self.buffers.runs.is_empty() && self.packed_style.is_default();
        if !is_plain {
            // Cells that no run covers have the default style; links could not be found behind such a gap.
            if is_linked || !self.packed_style.is_default() {
                self.end_run();
            }
            self.flags.insert(LineFlags::STYLED);
            self.bytes.extend_from_slice(&self.buffers.runs);
        }
        if is_linked {
            self.flags.insert(LineFlags::LINKED);
            self.bytes.extend_from_slice(&self.buffers.links);
        }
        if wraps {
            self.flags.insert(LineFlags::WRAPS);
        }
        let used = u16::try_from(self.used).unwrap_or(u16::MAX).to_le_bytes();
        let [c0, c1] = self.cols.to_le_bytes();
        let [u0, u1] = used;
        let head = self
            .bytes
            .get_mut(self.begin..)
            .and_then(|line| line.first_chunk_mut::<HEADER_LEN>());
        if let Some(head) = head {
            *head = [self.flags.bits(), c0, c1, u0, u1];
        }
    }
}
