//! Screen of a terminal at a past moment, from the log its holder wrote: the bytes up to then are fed to an emulated terminal of the size
//! it had.

use std::path::Path;

use crate::adapters::holder::{IndexEntry, LogReader};
use crate::domain::{Span, Timestamp};
use crate::server::fetch_error::FetchError;
use crate::server::terminals::replay::SizeHistory;
use crate::term::{EmulatorKind, Size, Terminal};
use crate::ui::{LiveScreen, RecordedScreen, ScreenRead as _};

/// Maximum bytes before the moment that are replayed: enough to restore a screen.
const MAX_REPLAY: u64 = 2 * 1024 * 1024;

/// Maximum gap between marks while there is output.
const MARK_GAP: Span = Span::seconds(2);

/// Returns the screen of the terminal of the attempt in this folder at that moment. Blocks.
///
/// # Errors
/// When its log cannot be read. Reads after "could not".
pub(in crate::server) fn screen_at(folder: &Path, at: Timestamp) -> Result<RecordedScreen, FetchError> {
    let mut log = LogReader::open(folder)?;
    let entries = log.index_entries()?;
    let marks: Vec<(Timestamp, u64)> = entries.iter().filter_map(IndexEntry::time_mark).collect();
    let (Some((first, _)), Some((last, _))) = (marks.first(), marks.last()) else {
        return Err(FetchError::NoLog);
    };
    let until = offset_at(&marks, at);
    let sizes = SizeHistory::from_entries(&entries);
    let mut terminal = Terminal::new(EmulatorKind::default(), Size::default(), 0);
    let from = until.saturating_sub(MAX_REPLAY);
    let shown = sizes.replay(&mut log, &mut terminal, from, until);
    shown?;
    let mut screen = LiveScreen::new(&mut terminal, false);
    let mut moment = RecordedScreen {
        at,
        range: (*first, *last),
        size: screen.size(),
        cells: Vec::new(),
    };
    screen.cells(0, &mut |column, row, text, style| {
        if text != " " || style != ratatui::style::Style::default() {
            moment.cells.push((column, row, text.to_owned(), style));
        }
    });
    Ok(moment)
}

/// Returns the offset behind everything written by that moment. While there is output a mark is made every second, and the output up to the
/// next one belongs to this moment; after a silence it does not: it was not there yet.
fn offset_at(marks: &[(Timestamp, u64)], at: Timestamp) -> u64 {
    let later = marks
        .iter()
        .position(|(when, _)| *when > at)
        .unwrap_or(marks.len());
    let next = marks.get(later).filter(|(when, _)| when.since(at) <= MARK_GAP);
    let before = later.checked_sub(1).and_then(|before| marks.get(before));
    next.or(before).map_or(0, |(_, offset)| *offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_after_a_silence_was_not_there_all_the_while() {
        let marks =
            [(0, 0), (1000, 10), (2100, 30), (600_000, 90)].map(|(at, offset)| (Timestamp(at), offset));
        let by = |at| offset_at(&marks, Timestamp(at));
        assert_eq!([by(500), by(1000), by(1500), by(2100)], [10, 30, 30, 30]);
        assert_eq!(
            [by(300_000), by(599_000), by(600_000), by(700_000)],
            [30, 90, 90, 90]
        );
    }
}
