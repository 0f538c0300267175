//! Themes: a style for each role from a theme file, and one of two sets of glyphs. Every state has a glyph and a word too, so that nothing
//! depends on colour alone (P50).

use std::collections::BTreeMap;

use ratatui::style::{Modifier, Style};
use serde::Deserialize;

use crate::display::{Appearance, ColourDepth, DisplayCaps, Glyphs, Motion};

mod accent;
mod colour;
mod file;
mod themes;

pub use file::ThemeError;
pub use themes::Themes;

/// The styles of all roles, the colour depth and the glyphs of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    roles: BTreeMap<StyleRole, Style>,
    /// Number of colours that may be used; with none the colours of agents are dropped as well.
    pub palette: ColourDepth,
    pub glyphs: Glyphs,
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

impl Theme {
    /// Creates the theme for a terminal with these capabilities: the one that was chosen, else the one that is set. A setting wins over the
    /// terminal, also over `NO_COLOR`.
    ///
    /// # Errors
    /// The fault of the theme.
    pub fn of(appearance: &Appearance, chosen: Option<&str>, caps: DisplayCaps) -> Result<Theme, ThemeError> {
        let name = chosen.unwrap_or(&appearance.theme);
        let themes = Themes::new(appearance.own_themes.clone());
        let theme = themes.theme(name, appearance.effective_caps(caps))?;
        Ok(theme.with_motion(appearance.motion))
    }

    /// Creates the theme that needs no file, for when there is something wrong with the other one.
    pub fn plain(appearance: &Appearance, caps: DisplayCaps) -> Theme {
        let caps = appearance.effective_caps(caps);
        Theme::builtin(caps.palette, caps.glyphs).with_motion(appearance.motion)
    }

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

    /// Returns the colours of our own views if nothing is drawn; those of the terminal in themes that follow it.
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
