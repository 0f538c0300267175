//! Drawing capabilities of a terminal.

use serde::{Deserialize, Serialize};

/// The colours, glyphs and background a client's terminal can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayCaps {
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
    /// Brightness of the terminal's background, if it is known.
    pub ground: Option<Background>,
}

impl DisplayCaps {
    /// Creates the capabilities of a terminal whose background is not known.
    pub fn new(palette: ColourDepth, glyphs: Glyphs) -> DisplayCaps {
        DisplayCaps {
            palette,
            glyphs,
            ground: None,
        }
    }
}

/// Number of colours that may be used, from none to true colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourDepth {
    /// No colours; bold, dim and reverse only.
    Mono,
    /// The terminal's own 16 colours.
    Sixteen,
    /// The 16 colours, and a fixed table of 240 more.
    Indexed,
    True,
}

/// Set of glyphs and lines that can be drawn: Unicode, or only ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Glyphs {
    Unicode,
    /// ASCII only: for `TERM=linux`, `LANG=C`, and locales that draw lines two columns wide.
    Ascii,
}

impl Glyphs {
    /// Returns the one of two that can be drawn.
    pub(crate) fn pick<T>(self, unicode: T, ascii: T) -> T {
        match self {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
    }
}

/// Brightness of a terminal's background: dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Background for light text.
    Dark,
    Light,
}

impl Background {
    /// Returns the brightness of a background of that red, green and blue.
    pub fn from_rgb(red: u8, green: u8, blue: u8) -> Background {
        let palette = crate::term::ColorPalette {
            background: (red, green, blue),
            ..crate::term::ColorPalette::default()
        };
        if palette.is_dark() {
            Background::Dark
        } else {
            Background::Light
        }
    }
}
