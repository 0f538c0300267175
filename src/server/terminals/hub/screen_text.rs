//! Text of a terminal's screen for those who read its menus. Where entries stand beside each other only a colour shows the marked one.

use crate::adapters::agents::menu::{MARK, row_of_entries};
use crate::term::{Cell, Terminal};

/// Returns the text of the screen; the blank before the marked one of several entries beside each other becomes a sign.
pub(super) fn read(terminal: &mut Terminal) -> String {
    let last = terminal.size().rows.saturating_sub(1);
    let text = terminal.text(0, last, 0);
    let Some(line) = row_of_entries(text.lines()).and_then(|row| text.lines().nth(row)) else {
        return text;
    };
    let mut cells = Vec::new();
    let marked = (0..=last).rev().find_map(|row| {
        terminal.visible_row(row, 0, &mut cells);
        (text_of(&cells) == line).then(|| with_mark(&cells))?
    });
    match (marked, text.rfind(line)) {
        (Some(marked), Some(at)) => {
            let (before, rest) = (text.get(..at), text.get(at + line.len()..));
            [before.unwrap_or_default(), &marked, rest.unwrap_or_default()].concat()
        }
        _ => text,
    }
}

fn text_of(cells: &[Cell]) -> String {
    let text: String = cells.iter().map(|cell| cell.text.as_str()).collect();
    text.trim_end().to_owned()
}

/// Returns the text of a row with a sign in the blank with which its one entry of another background begins.
fn with_mark(cells: &[Cell]) -> Option<String> {
    let of_an_entry = |run: &&[Cell]| {
        let is_blank = run.first().is_some_and(|cell| cell.text == " ");
        is_blank && text_of(run).chars().any(char::is_alphanumeric)
    };
    let runs: Vec<&[Cell]> = cells
        .chunk_by(|one, next| one.style.bg == next.style.bg)
        .collect();
    // The entries before and behind it have the background of the row.
    let row = runs.iter().max_by_key(|run| run.len())?.first()?.style.bg;
    let mut entries = runs
        .iter()
        .copied()
        .filter(|run| run.first().is_some_and(|cell| cell.style.bg != row));
    let entry = entries.find(of_an_entry)?;
    if entries.any(|run| of_an_entry(&run)) {
        return None;
    }
    let at = runs
        .iter()
        .take_while(|run| !std::ptr::eq(**run, entry))
        .map(|run| run.len())
        .sum::<usize>();
    let mut marked: Vec<Cell> = cells.to_vec();
    marked.get_mut(at)?.text = MARK.to_string().into();
    Some(text_of(&marked))
}
