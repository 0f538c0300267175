//! Writes the text of cells so that a terminal puts every character into its own cell again. Must not rely on an emulator's idea of a
//! cluster: a character that could join the cell before it is written while the mode for clusters is off.

use unicode_width::UnicodeWidthChar;

use crate::cell::{Cell, CellWidth};
use crate::scanner::{CLUSTERS_OFF, CLUSTERS_ON, stay_apart};

/// Writes cells from left to right, and switches the mode for grapheme clusters (2027) where the place of a character
/// depends on it.
#[derive(Debug, Default)]
pub(super) struct CellWriter {
    /// True if the mode is on; `None` while no character depended on it.
    clusters: Option<bool>,
    /// The character before the next one in its row, if there is one.
    last: Option<char>,
}

impl CellWriter {
    /// Creates a writer for the cells right of `cell`.
    pub(super) fn after(cell: Option<&Cell>) -> Self {
        Self {
            clusters: None,
            last: cell.and_then(|cell| cell.text.chars().next_back()),
        }
    }

    /// Notes that the next cell is the first of a row that does not continue the one before.
    pub(super) fn begin_row(&mut self) {
        self.last = None;
    }

    /// Writes the text of a cell.
    pub(super) fn write(&mut self, cell: &Cell, out: &mut String) {
        for (index, character) in cell.text.chars().enumerate() {
            let clusters = match index {
                0 => self
                    .last
                    .is_some_and(|last| !stay_apart(last, character))
                    .then_some(false),
                _ => clusters_for_joined(character, cell.width),
            };
            if let Some(on) = clusters {
                self.switch(on, out);
            }
            out.push(character);
            self.last = Some(character);
        }
    }

    /// Leaves the mode on or off.
    pub(super) fn end(mut self, clusters: bool, out: &mut String) {
        if self.clusters.is_some() {
            self.switch(clusters, out);
        }
    }

    fn switch(&mut self, on: bool, out: &mut String) {
        if self.clusters.replace(on) != Some(on) {
            out.push_str(if on { CLUSTERS_ON } else { CLUSTERS_OFF });
        }
    }
}

/// Returns whether the mode must be on or off for a character to join the ones before it in a cell of that width; `None` if it does not
/// matter.
fn clusters_for_joined(character: char, width: CellWidth) -> Option<bool> {
    match character {
        '\u{300}'..='\u{36f}' | '\u{200d}' => None,
        // With the mode these two make a cell wide or narrow, without it they leave its width.
        '\u{fe0f}' => Some(width == CellWidth::Wide),
        '\u{fe0e}' => Some(width == CellWidth::Narrow),
        // A character with a width has made its cell wide, too.
        _ => Some(width == CellWidth::Wide && character.width().is_some_and(|columns| columns > 0)),
    }
}
