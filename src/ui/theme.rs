//! Themes: a style for each role from a theme file, and one of two sets of glyphs. Every state has a glyph and a word too, so that nothing
//! depends on colour alone (P50).

use std::collections::BTreeMap;

use ratatui::style::{Modifier, Style};
use serde::{Deserialize, Serialize};

mod accent;
mod colour;
mod file;
mod themes;

pub use file::ThemeError;
pub use themes::{Themes, UserTheme};

/// The styles of all roles, the colour depth and the glyphs of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    roles: BTreeMap<StyleRole, Style>,
    /// Number of colours that may be used; with none the colours of agents are dropped as well.
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
}

/// The colours, glyphs and background a client's terminal can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayCaps {
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
    /// Brightness of the terminal's background, where it is known.
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

/// Setting for blinking parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Marks of tasks that need a person blink.
    Full,
    /// Nothing blinks.
    Reduced,
}

/// The meaning of a piece of text on the screen, from which a theme derives its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StyleRole {
    Text,
    Dim,
    Strong,
    Border,
    BorderFocus,
    /// Lines around the pane that receives every key.
    BorderType,
    Title,
    TitleFocus,
    /// The row that actions apply to, in the pane that has the focus.
    Selected,
    SelectedElsewhere,
    Bar,
    /// The tab shown.
    TabHere,
    Key,
    ModeNav,
    ModeLook,
    ModeType,
    ModeCopy,
    ModeFind,
    ModeAsk,
    /// Search words where they were found.
    Found,
    /// Task that waits its turn.
    Pending,
    Running,
    Verifying,
    Done,
    Failed,
    Blocked,
    /// Task that waits for a person.
    Human,
    /// The flag of the row of tasks that need a person: the only thing that blinks.
    Needs,
    Retry,
    /// Banners: paused, connection.
    Banner,
    /// The words that mark a demo.
    Rehearsal,
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

impl Theme {
    /// Creates the theme that follows the terminal's own colours, or uses none.
    pub fn builtin(palette: ColourDepth, glyphs: Glyphs) -> Theme {
        let looks = DisplayCaps::new(palette, glyphs);
        Themes::default().theme("auto", looks).unwrap_or(Theme {
            roles: BTreeMap::new(),
            palette,
            glyphs,
        })
    }

    /// Removes everything that blinks from the theme when motion is reduced.
    #[must_use]
    pub fn with_motion(mut self, motion: Motion) -> Theme {
        if motion == Motion::Reduced {
            for style in self.roles.values_mut() {
                *style = style.remove_modifier(Modifier::SLOW_BLINK);
                style.sub_modifier = Modifier::empty();
            }
        }
        self
    }

    /// Returns the style of a role.
    pub fn style(&self, role: StyleRole) -> Style {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// Returns the colours of our own views where nothing is drawn; those of the terminal in themes that follow it.
    pub(crate) fn ground(&self) -> Style {
        let text = self.style(StyleRole::Text);
        Style {
            fg: text.fg,
            bg: text.bg,
            ..Style::default()
        }
    }

    /// Returns the style of a program in the colours that the theme may use.
    pub(crate) fn fit_style(&self, style: Style) -> Style {
        colour::fit_style(style, self.palette)
    }

    /// Returns the mark for text that was cut.
    pub fn ellipsis(&self) -> &'static str {
        self.glyphs.pick("…", "~")
    }
}

#[cfg(test)]
mod tests;
