//! Character sets for an emulator that has none. Must only be used for such a one.

use std::borrow::Cow;

/// Character sets that are loaded, and the one in use.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Charsets {
    line_drawing: [bool; 2],
    active: usize,
}

impl Charsets {
    /// Loads G0 or G1.
    pub(super) fn load(&mut self, slot: usize, line_drawing: bool) {
        if let Some(set) = self.line_drawing.get_mut(slot) {
            *set = line_drawing;
        }
    }

    /// Uses G0 or G1.
    pub(super) fn shift(&mut self, slot: usize) {
        self.active = slot;
    }

    /// Returns text as it shows in the set in use.
    pub(super) fn translate<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let on = self.line_drawing.get(self.active).copied().unwrap_or(false);
        if !on || !text.iter().any(|byte| (b'_'..=b'~').contains(byte)) {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len() * 3);
        let mut buffer = [0; 4];
        for &byte in text {
            match byte
                .checked_sub(b'_')
                .and_then(|index| DRAWING.get(usize::from(index)))
            {
                Some(c) => out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
                None => out.push(byte),
            }
        }
        Cow::Owned(out)
    }
}

/// DEC special graphics from `_` to `~`.
const DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];
