//! What a terminal showed at some moment, from the log its holder wrote: the bytes up to then are shown to an emulated terminal
//! of the size it had.

use std::path::Path;

use crate::adapters::holder::{Chunk, HolderError, LogReader, Note};
use crate::domain::Timestamp;
use crate::ports::holders::PaneSize;
use crate::term::{EngineKind, Size, Terminal};
use crate::ui::{LiveScreen, Moment, ScreenRead as _};

/// Bytes before the moment that are shown again: enough for a screen to be what it was.
const REPLAYED: u64 = 2 * 1024 * 1024;
/// Bytes read at a time.
const PIECE: usize = 256 * 1024;

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
    let sizes: Vec<(u64, PaneSize)> = notes.iter().filter_map(size).collect();
    let mut terminal = Terminal::new(EngineKind::default(), Size::default(), 0);
    let from = until.saturating_sub(REPLAYED);
    replay(&mut log, &mut terminal, (from, until), &sizes).map_err(failed)?;
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

fn size(note: &Note) -> Option<(u64, PaneSize)> {
    match note {
        Note::Size { size, offset, .. } => Some((*offset, *size)),
        _ => None,
    }
}

/// Shows the terminal all bytes of a range that are still stored; it has the size of each byte's time.
fn replay(
    log: &mut LogReader,
    terminal: &mut Terminal,
    (from, until): (u64, u64),
    sizes: &[(u64, PaneSize)],
) -> Result<(), HolderError> {
    let mut at = from;
    loop {
        let before = sizes.iter().rfind(|(offset, _)| *offset <= at);
        if let Some((_, size)) = before {
            terminal.resize(Size::new(size.cols, size.rows));
        }
        if at >= until {
            return Ok(());
        }
        let next = sizes
            .iter()
            .map(|(offset, _)| *offset)
            .find(|offset| *offset > at);
        let most = next.map_or(until, |next| next.min(until)) - at;
        let most = usize::try_from(most).unwrap_or(PIECE).min(PIECE);
        match log.read_from(at, most)? {
            Chunk::Bytes { bytes, .. } => {
                terminal.feed(0, &bytes);
                at += u64::try_from(bytes.len()).unwrap_or(0);
            }
            Chunk::Gap { to, .. } => at = to,
            Chunk::End => return Ok(()),
        }
    }
}
