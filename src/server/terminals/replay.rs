//! Replay of a program's earlier output into an emulated terminal: every byte at the size the terminal had at its time, or lines would end
//! up elsewhere than they did.

use std::path::Path;

use crate::adapters::holder::{HolderError, IndexEntry, LogReader};
use crate::ports::holders::PaneSize;
use crate::term::{Size, TermEvent, Terminal};

const CHUNK: usize = 256 * 1024;

/// Sizes that a terminal had, each with the log offset from which it holds.
#[derive(Debug, Default)]
pub(in crate::server) struct SizeHistory(Vec<(u64, PaneSize)>);

impl SizeHistory {
    /// Returns the sizes of the attempt in this folder; none when its index cannot be read.
    pub(in crate::server) fn read(folder: &Path) -> SizeHistory {
        let entries = LogReader::open(folder).and_then(|log| log.index_entries());
        SizeHistory::from_entries(&entries.unwrap_or_default())
    }

    pub(in crate::server) fn from_entries(entries: &[IndexEntry]) -> SizeHistory {
        let sizes = entries.iter().filter_map(|entry| match entry {
            IndexEntry::Size { size, offset, .. } => Some((*offset, *size)),
            _ => None,
        });
        SizeHistory(sizes.collect())
    }

    /// Gives a terminal the size it had at that offset, if that is known.
    pub(in crate::server) fn apply(&self, terminal: &mut Terminal, offset: u64) {
        if let Some((_, size)) = self.0.iter().rfind(|(from, _)| *from <= offset) {
            // The answers of the terminal were sent then.
            drop(terminal.resize(Size::new(size.cols, size.rows)));
        }
    }

    /// Feeds earlier bytes to a terminal; the first has this offset. Returns the events of the emulator.
    pub(in crate::server) fn feed(
        &self,
        terminal: &mut Terminal,
        now: u64,
        mut offset: u64,
        mut bytes: &[u8],
    ) -> Vec<TermEvent> {
        let mut events = Vec::new();
        while !bytes.is_empty() {
            self.apply(terminal, offset);
            let changes = self.0.iter().map(|(from, _)| *from);
            let next = changes.filter(|from| *from > offset).min();
            let at_this_size = next.and_then(|next| usize::try_from(next - offset).ok());
            let (piece, rest) = bytes.split_at(at_this_size.unwrap_or(bytes.len()).min(bytes.len()));
            events.extend(terminal.feed(now, piece));
            offset += piece.len() as u64;
            bytes = rest;
        }
        events
    }

    /// Feeds all bytes of a range that are still stored to a terminal, and leaves it at the size it had at the range's end.
    pub(in crate::server) fn replay(
        &self,
        log: &mut LogReader,
        terminal: &mut Terminal,
        from: u64,
        until: u64,
    ) -> Result<(), HolderError> {
        log.read_range(from..until, CHUNK, |at, bytes| {
            drop(self.feed(terminal, 0, at, bytes));
        })?;
        self.apply(terminal, until);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Timestamp;
    use crate::term::EmulatorKind;

    fn size(offset: u64, cols: u16, rows: u16) -> IndexEntry {
        IndexEntry::Size {
            size: PaneSize::cells(cols, rows),
            offset,
            at: Timestamp(1),
        }
    }

    /// A program that writes a line over two, in a terminal that got wider and higher in between.
    const WRITTEN: &[u8] = b"0123456789abcdefghij\r\n0123456789abcdefghij\r\n";

    fn lived() -> Terminal {
        let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(10, 4), 100);
        let (before, after) = WRITTEN.split_at(22);
        terminal.feed(0, before);
        terminal.resize(Size::new(30, 6));
        terminal.feed(0, after);
        terminal
    }

    #[test]
    fn every_byte_is_shown_again_at_the_size_of_its_time() {
        let sizes = SizeHistory::from_entries(&[size(0, 10, 4), size(22, 30, 6)]);
        for cut in 0..WRITTEN.len() {
            let mut terminal = Terminal::new(EmulatorKind::default(), Size::default(), 100);
            let (one, other) = WRITTEN.split_at(cut);
            sizes.feed(&mut terminal, 0, 0, one);
            sizes.feed(&mut terminal, 0, cut as u64, other);
            let mut lived = lived();
            assert_eq!(terminal.size(), lived.size());
            assert_eq!(terminal.text(0, 5, 0), lived.text(0, 5, 0), "cut at {cut}");
        }
    }

    #[test]
    fn without_an_index_a_terminal_keeps_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = SizeHistory::read(folder.path());
        let mut terminal = Terminal::new(EmulatorKind::default(), Size::new(33, 7), 100);
        sizes.feed(&mut terminal, 0, 5, b"text");
        assert_eq!(terminal.size(), Size::new(33, 7));
        assert!(terminal.text(0, 0, 0).starts_with("text"));
    }
}
