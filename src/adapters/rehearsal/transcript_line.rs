//! A line of coloured text and how it is written to a terminal.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::formats::scenario::{ScenarioColour, TextStyle};

/// Line of the rehearsal's transcript, as pieces of styled text. Holds no control characters.
#[derive(Debug, Clone, Default)]
pub(super) struct TranscriptLine {
    pieces: Vec<(TextStyle, String)>,
}

impl TranscriptLine {
    pub(super) fn new(text: &str, look: TextStyle) -> Self {
        Self::default().and(text, look)
    }

    pub(super) fn plain(text: &str) -> Self {
        Self::new(text, TextStyle::default())
    }

    pub(super) fn and(mut self, text: &str, look: TextStyle) -> Self {
        self.pieces.push((look, printable(text)));
        self
    }

    /// The bytes that draw it, cut to `width` columns.
    pub(super) fn draw(&self, width: usize) -> String {
        let mut out = String::new();
        let mut left = width;
        for (look, text) in &self.pieces {
            let cut = cut(text, left);
            left -= width_of(cut);
            start(*look, &mut out);
            out.push_str(cut);
            if *look != TextStyle::default() {
                out.push_str("\x1b[m");
            }
        }
        out
    }

    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(|(_, text)| text.as_str()).collect()
    }
}

pub(super) fn colour(colour: ScenarioColour) -> TextStyle {
    TextStyle { colour, bold: false }
}

pub(super) fn bold(colour: ScenarioColour) -> TextStyle {
    TextStyle { colour, bold: true }
}

pub(super) fn width_of(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Text without control characters; tabs become spaces.
pub(super) fn printable(text: &str) -> String {
    text.replace('\t', "    ")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

/// The beginning of a text that fits into `width` columns.
fn cut(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            return text.split_at(at).0;
        }
    }
    text
}

fn start(look: TextStyle, out: &mut String) {
    let code = match look.colour {
        ScenarioColour::Plain => None,
        ScenarioColour::Grey => Some(90),
        ScenarioColour::Red => Some(31),
        ScenarioColour::Green => Some(32),
        ScenarioColour::Yellow => Some(33),
        ScenarioColour::Blue => Some(34),
        ScenarioColour::Magenta => Some(35),
        ScenarioColour::Cyan => Some(36),
    };
    if look.bold {
        out.push_str("\x1b[1m");
    }
    if let Some(code) = code {
        // Writing into a string cannot fail.
        write!(out, "\x1b[{code}m").unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_columns_not_letters() {
        assert_eq!(TranscriptLine::plain("日本語").draw(5), "日本");
        assert_eq!(
            TranscriptLine::new("ab", colour(ScenarioColour::Red))
                .and("cd", bold(ScenarioColour::Plain))
                .draw(3),
            "\x1b[31mab\x1b[m\x1b[1mc\x1b[m"
        );
    }

    #[test]
    fn a_line_holds_no_control_characters() {
        assert_eq!(TranscriptLine::plain("a\x1b[2J\tb").draw(80), "a[2J    b");
    }
}
