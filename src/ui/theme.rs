//! What a role looks like: colours from a theme file, glyphs from one of two sets. Every state has a glyph and a word too, so
//! that nothing is said by colour alone (P50).

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
    /// How many colours may be used; without any an agent's own colours are left out as well.
    pub palette: ColourDepth,
    /// Which glyphs and lines.
    pub glyphs: Glyphs,
}

/// The colours, glyphs and background a client's terminal can display.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayCaps {
    /// How many colours it shows.
    pub palette: ColourDepth,
    /// Which glyphs.
    pub glyphs: Glyphs,
    /// What its own background is like, when it told.
    pub ground: Option<Background>,
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
    /// Any.
    True,
}

/// Whether Unicode glyphs and lines can be drawn, or only ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Glyphs {
    /// Unicode.
    Unicode,
    /// ASCII only: for `TERM=linux`, `LANG=C`, and locales that draw lines two columns wide.
    Ascii,
}

/// Whether a terminal's background is dark or light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Background {
    /// Light text stands out on it.
    Dark,
    /// Dark text stands out on it.
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
    /// Ordinary text.
    Text,
    /// Less important text.
    Dim,
    /// Text that stands out.
    Strong,
    /// Lines around panes.
    Border,
    /// Lines around the pane that has the focus.
    BorderFocus,
    /// Lines around the pane that receives every key.
    BorderType,
    /// A pane's title.
    Title,
    /// The title of the pane that has the focus.
    TitleFocus,
    /// The row that actions apply to, in the pane that has the focus.
    Selected,
    /// The same in other panes.
    SelectedElsewhere,
    /// Top bar and status line.
    Bar,
    /// The tab shown.
    TabHere,
    /// A key in a hint.
    Key,
    /// The word NAV.
    ModeNav,
    /// The word LOOK.
    ModeLook,
    /// The word TYPE.
    ModeType,
    /// The word COPY.
    ModeCopy,
    /// The word FIND.
    ModeFind,
    /// The word ASK.
    ModeAsk,
    /// What was looked for, where it was found.
    Found,
    /// Waits its turn.
    Pending,
    /// At work.
    Running,
    /// Being checked.
    Verifying,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Stuck.
    Blocked,
    /// Waits for a person.
    Human,
    /// The flag of the row that says what needs a person: the only thing that blinks.
    Needs,
    /// Will be tried again.
    Retry,
    /// Banners: paused, connection.
    Banner,
    /// The word REHEARSAL.
    Rehearsal,
}

impl Background {
    /// What a background of that red, green and blue is like.
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
        let looks = DisplayCaps {
            palette,
            glyphs,
            ground: None,
        };
        Themes::default().theme("auto", looks).unwrap_or(Theme {
            roles: BTreeMap::new(),
            palette,
            glyphs,
        })
    }

    /// The same without anything that moves by itself, when that is wished.
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

    /// How a role looks.
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

    /// How a program's own style is shown with the colours there are.
    pub(crate) fn fit_style(&self, style: Style) -> Style {
        colour::fit_style(style, self.palette)
    }

    /// The mark for text that was cut.
    pub fn ellipsis(&self) -> &'static str {
        match self.glyphs {
            Glyphs::Unicode => "…",
            Glyphs::Ascii => "~",
        }
    }
}

#[cfg(test)]
mod tests;
