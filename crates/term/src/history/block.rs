//! Lines one after another in one piece of memory. Must not know the meaning of the bytes.

/// Bytes, and below lines, from which a block takes no further line.
const FULL_BYTES: usize = 32 * 1024;
const FULL_LINES: usize = 512;

/// Some hundred packed lines in one piece of memory.
#[derive(Default)]
pub(super) struct LineBlock {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl LineBlock {
    /// Returns the place to write a line to; commit it with [`LineBlock::commit`]. Bytes that were written and not committed are gone.
    pub(super) fn begin(&mut self) -> &mut Vec<u8> {
        let end = self.end(self.ends.len());
        self.bytes.truncate(end);
        &mut self.bytes
    }

    /// Makes a line of the bytes written since [`LineBlock::begin`].
    pub(super) fn commit(&mut self) {
        self.ends
            .push(u32::try_from(self.bytes.len()).unwrap_or(u32::MAX));
    }

    pub(super) fn lines(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn line(&self, at: usize) -> &[u8] {
        let end = self.ends.get(at).map_or(0, |end| *end as usize);
        self.bytes.get(self.end(at)..end).unwrap_or_default()
    }

    /// Returns the line that was committed last.
    pub(super) fn newest_mut(&mut self) -> Option<&mut [u8]> {
        let begin = self.end(self.ends.len().checked_sub(1)?);
        self.bytes.get_mut(begin..)
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() >= FULL_BYTES || self.ends.len() >= FULL_LINES
    }

    /// Gives back memory that was reserved for lines that will not come any more.
    pub(super) fn seal(&mut self) {
        if self.bytes.capacity() > self.bytes.len() + self.bytes.len() / 8 {
            self.bytes.shrink_to_fit();
        }
        self.ends.shrink_to_fit();
    }

    /// Returns the memory that the block takes, in bytes.
    pub(super) fn size(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u32>()
    }

    /// Forgets the lines of the block, but keeps its memory for others.
    pub(super) fn emptied(mut self) -> Self {
        self.bytes.clear();
        self.ends.clear();
        self
    }

    /// Returns the offset at which the line before `at` ends.
    fn end(&self, at: usize) -> usize {
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before));
        before.map_or(0, |end| *end as usize)
    }
}
