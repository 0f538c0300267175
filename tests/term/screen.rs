//! Reading a terminal in the forms that tests need.

use dbs::term::{Cell, CellWidth, EmulatorKind, Size, TermEvent, Terminal};

/// A terminal with some history.
pub(crate) fn terminal(kind: EmulatorKind, cols: u16, rows: u16) -> Terminal {
    Terminal::new(kind, Size::new(cols, rows), 100)
}

/// A terminal after some bytes.
pub(crate) fn fed(kind: EmulatorKind, cols: u16, rows: u16, bytes: &[u8]) -> Terminal {
    let mut terminal = terminal(kind, cols, rows);
    terminal.feed(0, bytes);
    terminal
}

/// The cells of a row.
pub(crate) fn row(terminal: &mut Terminal, row: u16) -> Vec<Cell> {
    let mut cells = Vec::new();
    terminal.visible_row(row, 0, &mut cells);
    cells
}

/// The text of the screen: trailing blanks of a row and trailing blank rows are cut.
pub(crate) fn text(terminal: &mut Terminal) -> String {
    let mut lines: Vec<String> = (0..terminal.size().rows)
        .map(|at| {
            row(terminal, at)
                .iter()
                .map(|cell| cell.text.as_str())
                .collect::<String>()
                .trim_end()
                .to_owned()
        })
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n")
}

/// The whole screen with its styles.
pub(crate) fn cells(terminal: &mut Terminal) -> Vec<Vec<Cell>> {
    (0..terminal.size().rows).map(|at| row(terminal, at)).collect()
}

/// Row and column of the cursor.
pub(crate) fn cursor(terminal: &Terminal) -> (u16, u16) {
    let cursor = terminal.cursor();
    (cursor.row, cursor.col)
}

/// All the replies in some events.
pub(crate) fn replies(events: &[TermEvent]) -> Vec<u8> {
    events
        .iter()
        .filter_map(|event| {
            if let TermEvent::Reply(bytes) = event {
                Some(bytes.clone())
            } else {
                None
            }
        })
        .flatten()
        .collect()
}

/// Returns true if every wide cell is followed by its second half and no second half is alone.
pub(crate) fn halves_match(cells: &[Cell]) -> bool {
    let mut expected = false;
    for cell in cells {
        if (cell.width == CellWidth::Continuation) != expected {
            return false;
        }
        expected = cell.width == CellWidth::Wide;
    }
    !expected
}
