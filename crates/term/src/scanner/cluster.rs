//! Cleans text: only valid UTF-8, no C1 controls, and not more than a few marks on one place. Must not change text that
//! is fine.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Maximum number of characters that may join the one before them. An emulator keeps all of them in one cell, and some take
/// quadratic memory for it; the longest real cluster, a family of emoji, has 10.
const MAX_JOINED: u8 = 16;

/// Cleans text and limits the number of characters that join one cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClusterFilter {
    last: char,
    joined: u8,
}

impl Default for ClusterFilter {
    fn default() -> Self {
        Self {
            last: '\0',
            joined: MAX_JOINED,
        }
    }
}

impl ClusterFilter {
    /// Notes that a sequence moved the cursor: a mark that comes now would land on some other cell, uncounted, so it is left out.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns true if the last character may be repeated (REP): not a mark, which would pile up uncounted.
    pub(super) fn may_repeat(self) -> bool {
        self.joined == 0 && self.last >= ' ' && !self.joins(self.last)
    }

    /// Returns the text as it may be passed on, or none if it is fine as it is.
    pub(super) fn clean(&mut self, text: &[u8]) -> Option<String> {
        if text.is_ascii() {
            self.ascii(text);
            return None;
        }
        let before = *self;
        if let Ok(valid) = std::str::from_utf8(text) {
            if valid.chars().all(|c| self.keeps(c)) {
                return None;
            }
            *self = before;
        }
        let mut clean = String::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            clean.extend(chunk.valid().chars().filter(|&c| self.keeps(c)));
            if !chunk.invalid().is_empty() {
                clean.extend(Some('\u{fffd}').filter(|&c| self.keeps(c)));
            }
        }
        Some(clean)
    }

    fn ascii(&mut self, text: &[u8]) {
        // These neither print nor move.
        if let Some(&last) = text.iter().rev().find(|byte| !matches!(byte, 0x00 | 0x07 | 0x7f)) {
            self.keeps(char::from(last));
        }
    }

    fn keeps(&mut self, c: char) -> bool {
        match c {
            '\0' | '\x07' | '\x7f' => return true,
            ' '..='~' => self.joined = 0,
            '\0'..='\x1f' => self.joined = MAX_JOINED,
            '\u{80}'..='\u{9f}' => return false,
            _ if !self.joins(c) => self.joined = 0,
            _ if self.joined >= MAX_JOINED => return false,
            _ => self.joined += 1,
        }
        self.last = c;
        true
    }

    /// Returns true if `c` may end up in the cell of the character before it. A false true only costs a count.
    fn joins(self, c: char) -> bool {
        if c.width().unwrap_or(0) == 0 || joiner(self.last) || ('\u{1f3fb}'..='\u{1f3ff}').contains(&c) {
            return true;
        }
        if both_stand_alone(self.last, c) {
            return false;
        }
        let mut pair = String::from(self.last);
        pair.push(c);
        pair.graphemes(true).nth(1).is_none()
    }
}

/// Returns true if two characters certainly take a cell each. A false no costs only a few bytes.
pub(crate) fn stay_apart(one: char, next: char) -> bool {
    // Halves of flags join in pairs, and only the cells know which half is the first one.
    let is_half_of_flag = || ('\u{1f1e6}'..='\u{1f1ff}').contains(&next);
    let has_width = || next.width().is_some_and(|columns| columns > 0);
    next.is_ascii() || both_stand_alone(one, next) && has_width() && !is_half_of_flag()
}

fn both_stand_alone(one: char, next: char) -> bool {
    stands_alone(next) && (one.is_ascii() || stands_alone(one))
}

/// Returns true for the zero-width joiner and the signs that tie Indic consonants together.
fn joiner(c: char) -> bool {
    matches!(
        c,
        '\u{200d}'
            | '\u{94d}'
            | '\u{9cd}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{c4d}'
            | '\u{d4d}'
            | '\u{1039}'
            | '\u{17d2}'
            | '\u{1a60}'
            | '\u{1b44}'
            | '\u{1bab}'
            | '\u{a9c0}'
            | '\u{aaf6}'
            | '\u{10a3f}'
            | '\u{11133}'
            | '\u{113d0}'
            | '\u{1193e}'
            | '\u{11a47}'
            | '\u{11a99}'
            | '\u{11f42}'
    )
}

/// Returns true in common ranges in which characters with a width neither join nor are joined by one another.
fn stands_alone(c: char) -> bool {
    matches!(
        c,
        '\u{a0}'..='\u{2ff}' | '\u{370}'..='\u{52f}' | '\u{2010}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
            | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}'
    ) && !matches!(c, '\u{a800}'..='\u{abff}' | '\u{ff9e}' | '\u{ff9f}')
}
