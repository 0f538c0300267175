//! What a terminal showed at some moment, from the log its holder wrote: the bytes up to then are shown to an emulated terminal
//! of the size it had.

use std::path::Path;

use super::past::PastSizes;
use crate::adapters::holder::{HolderError, LogReader, Note};
use crate::domain::Timestamp;
use crate::term::{EngineKind, Size, Terminal};
use crate::ui::{LiveScreen, Moment, ScreenRead as _};

/// Bytes before the moment that are shown again: enough for a screen to be what it was.
const REPLAYED: u64 = 2 * 1024 * 1024;

/// What the terminal of the attempt in this folder showed at that moment. Blocks.
///
/// # Errors
/// Why its log cannot be read; reads after "could not".
pub(super) fn moment(folder: &Path, at: Timestamp) -> Result<Moment, String> {
    let failed = |error: HolderError| error.to_string();
    let mut log = LogReader::open(folder).map_err(failed)?;
    let notes = log.notes().map_err(failed)?;
    let marks: Vec<(Timestamp, u64)> = notes.iter().filter_map(mark).collect();
    let (Some((first, _)), Some((last, end))) = (marks.first(), marks.last()) else {
        return Err("look back: it left no log".to_owned());
    };
    // Marks are made at most once a second: what came up to the next one belongs to this moment.
    let until = marks
        .iter()
        .find(|(when, _)| *when > at)
        .map_or(*end, |(_, offset)| *offset);
    let sizes = PastSizes::among(&notes);
    let mut terminal = Terminal::new(EngineKind::default(), Size::default(), 0);
    let from = until.saturating_sub(REPLAYED);
    let shown = sizes.show(&mut log, &mut terminal, (from, until));
    shown.map_err(failed)?;
    let mut screen = LiveScreen::new(&mut terminal, false);
    let mut moment = Moment {
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

fn mark(note: &Note) -> Option<(Timestamp, u64)> {
    match note {
        Note::Segment { start, at, .. } => Some((*at, *start)),
        Note::Mark { offset, at } | Note::Size { offset, at, .. } => Some((*at, *offset)),
        Note::Format { .. } | Note::Incomplete { .. } | Note::Dropped { .. } => None,
    }
}
