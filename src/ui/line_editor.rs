//! A line of text being written: the typed text, the position of the caret, and the keys that change both.

use crate::term::keys::Key;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use crate::keymap::Chord;

/// Maximum bytes of a line.
const MOST_BYTES: usize = 4096;

/// A one-line text field with its caret and the keys that edit it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LineEditor {
    text: String,
    /// Position in bytes; always at the edge of a grapheme.
    caret: usize,
}

impl LineEditor {
    /// Creates a line with that text, with the caret at its end.
    pub(crate) fn with_text(text: impl Into<String>) -> LineEditor {
        let text = text.into();
        LineEditor {
            caret: text.len(),
            text,
        }
    }

    /// Returns the typed text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the caret.
    pub(crate) fn before_caret(&self) -> &str {
        self.text.get(..self.caret).unwrap_or(&self.text)
    }

    /// Returns true if nothing was typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes in a key that edits; returns true if it was such a key.
    pub(crate) fn key(&mut self, chord: Chord) -> bool {
        match chord.code() {
            Key::Left => self.caret = self.one_back(),
            Key::Right => self.caret = self.one_on(),
            Key::Home => self.caret = 0,
            Key::End => self.caret = self.text.len(),
            Key::Backspace => self.erase(LineEditor::one_back),
            Key::Delete => {
                let end = self.one_on();
                self.text.replace_range(self.caret..end, "");
            }
            _ if chord.is_control('a') => self.caret = 0,
            _ if chord.is_control('e') => self.caret = self.text.len(),
            _ if chord.is_control('u') => self.erase(|_| 0),
            _ if chord.is_control('k') => self.text.truncate(self.caret),
            _ if chord.is_control('w') => self.erase(LineEditor::word_back),
            _ => match chord.typed_char() {
                Some(c) => self.insert(c.encode_utf8(&mut [0; 4])),
                None => return false,
            },
        }
        true
    }

    /// Writes text at the caret; line ends and tabs become spaces, other controls are left out.
    pub(crate) fn insert(&mut self, text: &str) {
        let spaced = text.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
        for c in spaced.chars().filter(|c| !c.is_control()) {
            if self.text.len() + c.len_utf8() > MOST_BYTES {
                break;
            }
            self.text.insert(self.caret, c);
            self.caret += c.len_utf8();
        }
        // A combining character may have joined the text before it.
        while !self.at_edge() {
            self.caret += 1;
        }
    }

    fn at_edge(&self) -> bool {
        let boundary = self.text.is_char_boundary(self.caret)
            && GraphemeCursor::new(self.caret, self.text.len(), true).is_boundary(&self.text, 0) == Ok(true);
        boundary || self.caret >= self.text.len()
    }

    fn one_back(&self) -> usize {
        let mut graphemes = self.before_caret().grapheme_indices(true);
        graphemes.next_back().map_or(0, |(at, _)| at)
    }

    fn one_on(&self) -> usize {
        let rest = self.text.get(self.caret..).unwrap_or_default();
        self.caret + rest.graphemes(true).next().map_or(0, str::len)
    }

    fn word_back(&self) -> usize {
        let mut words = self.before_caret().trim_end().unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    /// Erases from there to the caret.
    fn erase(&mut self, from: impl Fn(&LineEditor) -> usize) {
        let from = from(self).min(self.caret);
        self.text.replace_range(from..self.caret, "");
        self.caret = from;
        // Separate characters may have become one grapheme.
        while !self.at_edge() {
            self.caret += 1;
        }
    }
}
