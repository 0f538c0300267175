//! Themes: a style for each role from a theme file, and one of two sets of glyphs. Every state has a glyph and a word too, so
//! that nothing depends on colour alone (P50).

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
    /// How many colours may be used; with none the colours of agents are dropped as well.
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
}

/// The colours, glyphs and background a client's terminal can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayCaps {
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
    /// Whether the background of the terminal is dark or light, where it is known.
    pub ground: Option<Background>,
}

impl DisplayCaps {
    /// Those of a terminal whose background is not known.
    pub fn new(palette: ColourDepth, glyphs: Glyphs) -> DisplayCaps {
        DisplayCaps {
            palette,
            glyphs,
            ground: None,
        }
    }
}

/// How many colours may be used, from none to true colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColourDepth {
    /// None; bold, dim and reverse only.
    Mono,
    /// The terminal's own 16 colours.
    Sixteen,
    /// Those, and a fixed table of 240 more.
    Indexed,
    True,
}

/// Whether Unicode glyphs and lines can be drawn, or only ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Glyphs {
    Unicode,
    /// ASCII only: for `TERM=linux`, `LANG=C`, and locales that draw lines two columns wide.
    Ascii,
}

impl Glyphs {
    /// The one of two that can be drawn.
    pub(crate) fn pick<T>(self, unicode: T, ascii: T) -> T {
        match self {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
    }
}

/// Whether a terminal's background is dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Light text stands out on it.
    Dark,
    Light,
}

/// Whether things on the screen may blink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// What needs a person blinks.
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
    /// What was looked for, where it was found.
    Found,
    /// Waits its turn.
    Pending,
    Running,
    Verifying,
    Done,
    Failed,
    Blocked,
    /// Waits for a person.
    Human,
    /// The flag of the row that says what needs a person: the only thing that blinks.
    Needs,
    Retry,
    /// Banners: paused, connection.
    Banner,
    /// The words that say that this is a demo.
    Rehearsal,
}

impl Background {
    /// Whether a background of that red, green and blue is dark or light.
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
    /// The theme that follows the terminal's own colours, or uses none.
    pub fn builtin(palette: ColourDepth, glyphs: Glyphs) -> Theme {
        let looks = DisplayCaps::new(palette, glyphs);
        Themes::default().theme("auto", looks).unwrap_or(Theme {
            roles: BTreeMap::new(),
            palette,
            glyphs,
        })
    }

    /// The theme without anything that blinks, when motion is reduced.
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

    /// The style of a role.
    pub fn style(&self, role: StyleRole) -> Style {
        self.roles.get(&role).copied().unwrap_or_default()
    }

    /// The colours of our own views where nothing is drawn; those of the terminal in themes that follow it.
    pub(crate) fn ground(&self) -> Style {
        let text = self.style(StyleRole::Text);
        Style {
            fg: text.fg,
            bg: text.bg,
            ..Style::default()
        }
    }

    /// The style of a program in the colours that the theme may use.
    pub(crate) fn fit_style(&self, style: Style) -> Style {
        colour::fit_style(style, self.palette)
    }

    /// The mark for text that was cut.
    pub fn ellipsis(&self) -> &'static str {
        self.glyphs.pick("…", "~")
    }
}

#[cfg(test)]
mod tests;
