//! The lines of a task while they are assembled: sections, wrapped paragraphs and named facts, all of one width.

use crate::display::text::wrap;
use crate::ui::canvas::prelude::*;

/// Lines, each as the pieces it is drawn from.
pub(super) type Lines = Vec<Vec<StyledText>>;

/// Columns of a fact's name.
const NAME: usize = 8;
/// Minimum columns that text is wrapped to.
const LEAST: usize = 8;

/// Lines of text that are wrapped to one width.
pub(super) struct TextBlock {
    pub(super) width: usize,
    pub(super) lines: Lines,
}

impl TextBlock {
    pub(super) fn new(width: usize) -> TextBlock {
        TextBlock {
            width,
            lines: Lines::new(),
        }
    }

    pub(super) fn push(&mut self, pieces: Vec<StyledText>) {
        self.lines.push(pieces);
    }

    /// Begins a section: an empty line and its title.
    pub(super) fn section(&mut self, title: &str) {
        self.lines.extend([Vec::new(), vec![strong(title)]]);
    }

    /// Adds a text, wrapped.
    pub(super) fn paragraph(&mut self, text: &str, role: StyleRole) {
        self.indented(0, text, role);
    }

    /// Adds a text, wrapped, with `indent` free columns before it.
    pub(super) fn indented(&mut self, indent: usize, text: &str, role: StyleRole) {
        let lines = wrap(text, self.width.saturating_sub(indent).max(LEAST)).into_iter();
        self.lines
            .extend(lines.map(|line| vec![plain(" ".repeat(indent)), piece(line, role)]));
    }

    /// Adds several facts of one name, which is put before the first.
    pub(super) fn facts(&mut self, name: &str, texts: impl Iterator<Item = (String, StyleRole)>) {
        for ((text, role), name) in texts.zip([name].into_iter().chain(std::iter::repeat(""))) {
            self.fact(name, &text, role);
        }
    }

    /// Adds a named fact, wrapped under its beginning.
    pub(super) fn fact(&mut self, name: &str, text: &str, role: StyleRole) {
        let first = self.lines.len();
        self.indented(NAME, text, role);
        if let Some(begin) = self.lines.get_mut(first).and_then(|line| line.first_mut()) {
            *begin = dim(format!("{name:<NAME$}"));
        }
    }
}
